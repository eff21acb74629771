// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes whose outermost one is as long as the kernel reads.
#include <gtest/gtest.h>

#include <warpfold/canonical_tree.hpp>
#include <warpfold/device_count_axes.cuh>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "reduce/stream.cuh"

namespace axes_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array;
using interval = wf_test::interval<>;

const interval none = interval::of(-5);

void set(const device_array<int>& count, int value) {
  wf::check(cudaMemcpy(count.data(), &value, sizeof value, cudaMemcpyDefault), "cudaMemcpy");
}
/// A matrix whose rows hold the interval of the row's number.
std::vector<interval> numbered(std::int64_t rows, std::int64_t columns) {
  std::vector<interval> items;
  for (std::int64_t i = 0; i < rows * columns; ++i) items.push_back(interval::of(i / columns));
  return items;
}

// Few and many columns, with and without splits that blocks share, of which each has one, or draws many.
TEST(axes_device_count, every_column_has_the_first_rows) {
  const device_array<int> count(1);
  for (const auto& [columns, most] : {std::pair{1, 2500}, {3, 2500}, {64, 900}, {64, 2500}}) {
    const device_array<interval> in(numbered(most, columns)), out(columns);
    const auto matrix = wf::strided(in.data(), {most, columns});
    for (const int n : {0, 1, 33, most / 2, most})
      for (const int max_blocks : {0, 1, 5}) {
        set(count, n);
        wf::reduce_columns(matrix, wf::device_count(count.data(), most), out.data(), wf_test::join{},
                           {.empty = none, .max_blocks = max_blocks});
        for (const interval& each : out.to_host())
          ASSERT_EQ(each, n == 0 ? none : interval::of(0, n - 1)) << n << " rows of " << columns << ", " << max_blocks;
      }
  }
}

TEST(axes_device_count, sums_of_vectors_of_columns_have_the_bits_of_the_tree) {
  constexpr int most = 1500, columns = 64;
  std::vector<float> items;
  for (int i = 0; i < most * columns; ++i) items.push_back(static_cast<float>(i * 37 % 1009) / 7);
  const device_array<float> in(items), out(columns);
  const device_array<int> count(1);
  for (const int n : {0, 700, most}) {
    set(count, n);
    wf::reduce_columns(wf::strided(in.data(), {most, columns}), wf::device_count(count.data(), most), out.data());
    for (int c = 0; c < columns; ++c) {
      std::vector<float> column;
      for (int r = 0; r < n; ++r) column.push_back(items[static_cast<std::size_t>(r * columns + c)]);
      ASSERT_EQ(out.value(c), n == 0 ? 0 : wf::canonical_tree::replay(column.data(), n, wf::plus{})) << n << ", " << c;
    }
  }
}

TEST(axes_device_count, several_axes_in_a_graph_whose_replays_see_other_counts) {
  constexpr int most = 200, middle = 5, inner = 3;
  std::vector<interval> items;
  for (int i = 0; i < most; ++i)
    for (int j = 0; j < middle; ++j)
      for (int k = 0; k < inner; ++k) items.push_back(interval::of(i * inner + k));
  const device_array<interval> in(items), out(middle);
  const device_array<int> count(1);
  const auto array = wf::strided(in.data(), {most, middle, inner});
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::reduce_axes(array, wf::device_count(count.data(), most), out.data(), wf::keep_axes{1}, wf_test::join{},
                    {.stream = s, .empty = none});
  });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const int n : {7, 0, most}) {
    set(count, n);
    graph.launch(stream);
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    for (const interval& each : out.to_host()) EXPECT_EQ(each, n == 0 ? none : interval::of(0, n * inner - 1)) << n;
  }
}

TEST(axes_device_count, errors_name_the_argument) {
  const device_array<interval> in(40), out(10);
  const device_array<int> count(1);
  const auto matrix = wf::strided(in.data(), {4, 10});
  const auto error_of = [&](const wf::axes& named, std::int64_t most, bool has_empty) -> std::string {
    try {
      wf::segmented_options<interval> options;
      if (has_empty) options.empty = none;
      wf::reduce_axes(matrix, wf::device_count(count.data(), most), out.data(), named, wf_test::join{}, options);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of(wf::axes{1}, 4, true).find("axis 0, which a device_count counts, is kept"), std::string::npos);
  EXPECT_NE(error_of(wf::axes{0}, 5, true).find("axis 0 has 4 indices"), std::string::npos);
  EXPECT_NE(error_of(wf::axes{0}, -1, true).find("at most -1"), std::string::npos);
  EXPECT_NE(error_of(wf::axes{0}, 4, false).find("a count of 0"), std::string::npos);
}

}  // namespace axes_device_count_tests
