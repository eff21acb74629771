// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes whose outermost one is as long as the kernel reads.
#include <gtest/gtest.h>

#include <warpfold/canonical_tree.hpp>
#include <warpfold/device_count_axes.cuh>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/refusal.hpp"
#include "reduce/stream.cuh"

namespace axes_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array;
using interval = wf_test::interval<>;

const interval none = interval::of(-5);

void set(const device_array<int>& count, int value) { count.set(0, value); }
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

/// An output that is no pointer: kernels of segments, to which rows in pointers go, are not compiled for it.
struct floats {
  float* first;
  __host__ __device__ float& operator*() const { return *first; }
  __host__ __device__ float& operator[](std::ptrdiff_t i) const { return first[i]; }
  floats operator+(std::ptrdiff_t i) const { return {first + i}; }
};
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
  // The same rows as matrices of 150, of which each has results.
  const device_array<float> sums(std::vector<float>(10 * columns, -1));
  const auto matrices = wf::strided(in.data(), {10, 150, columns});
  set(count, 7);
  wf::reduce_axes(matrices, wf::device_count(count.data(), 10), floats{sums.data()}, wf::axes{1});
  for (int i = 0; i < 10 * columns; ++i) {
    std::vector<float> column;
    for (int r = 0; r < 150; ++r)
      column.push_back(items[static_cast<std::size_t>((i / columns * 150 + r) * columns + i % columns)]);
    ASSERT_EQ(sums.value(i), i >= 7 * columns ? -1 : wf::canonical_tree::replay(column.data(), 150, wf::plus{})) << i;
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

// As many outputs as there are indices, of which each has all items of the other axes: side by side or apart, in vectors
// and not, with splits and without, and with no items at all.
TEST(axes_device_count, kept_indices_have_results_and_others_have_none) {
  const device_array<int> count(1);
  const interval untouched = interval::of(-77);
  struct extents {
    int most, middle, inner;
  };
  for (const auto& [most, middle, inner] : {extents{70, 1, 90}, {5, 3, 900}, {3, 800, 64}, {300, 7, 2}, {9, 0, 4}}) {
    std::vector<interval> items;
    for (int i = 0; i < most * middle * inner; ++i) items.push_back(interval::of(i / inner % std::max(middle, 1)));
    const device_array<interval> in(items);
    const auto array = wf::strided(in.data(), {most, middle, inner});
    for (const int n : {0, 1, most - 1, most})
      for (const int max_blocks : {0, 2}) {
        set(count, n);
        const device_array<interval> out(std::vector<interval>(static_cast<std::size_t>(most * inner), untouched));
        wf::reduce_axes(array, wf::device_count(count.data(), most), out.data(), wf::axes{1}, wf_test::join{},
                        {.empty = none, .max_blocks = max_blocks});
        const auto found = out.to_host();
        for (int i = 0; i < most * inner; ++i)
          ASSERT_EQ(found[static_cast<std::size_t>(i)], i >= n * inner ? untouched
                                                        : middle == 0  ? none
                                                                       : interval::of(0, middle - 1))
              << n << " of " << most << ", " << middle << ", " << inner << ", output " << i;
      }
  }
}

// Rows: adjacent ones, which go the way of segments; padded ones into an array of more rows; turned and transposed ones.
TEST(axes_device_count, kept_rows) {
  constexpr int most = 60, columns = 130;
  const device_array<int> count(1);
  const std::vector<interval> nothing(2 * most, interval::of(-77));
  for (const auto& [row, item] : {std::pair{columns, 1}, {columns + 3, 1}, {-columns, 1}, {1, most}}) {
    const std::int64_t origin = row < 0 ? (most - 1) * columns : 0;
    std::vector<interval> items(static_cast<std::size_t>((most + 1) * (columns + 3)));
    for (int i = 0; i < most; ++i)
      for (int j = 0; j < columns; ++j)
        items[static_cast<std::size_t>(origin + i * row + j * item)] = interval::of(1000 * i + j);
    const device_array<interval> in(items);
    const auto matrix = wf::strided<const interval, 2>(in.data() + origin, {most, columns}, {row, item});
    for (const int n : {0, 1, 41, most}) {
      set(count, n);
      const wf::device_count number(count.data(), most);
      const device_array<interval> out(nothing);
      if (row == columns) wf::reduce_axes(matrix, number, out.data(), wf::axes{1}, wf_test::join{});
      else
        wf::reduce_axes(matrix, number, wf::strided<interval, 1>(out.data(), {most + 5}, {2}), wf::keep_axes{0},
                        wf_test::join{});
      const int step = row == columns ? 1 : 2;
      const auto found = out.to_host();
      for (int i = 0; i < most; ++i)
        ASSERT_EQ(found[static_cast<std::size_t>(i * step)],
                  i < n ? interval::of(1000 * i, 1000 * i + columns - 1) : nothing[0])
            << n << " rows by " << row << ", row " << i;
    }
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
  EXPECT_EQ(wf_test::refusal([&] {
              wf::reduce_axes(matrix, wf::device_count(count.data(), 3), std::span(out.data(), 10), wf::axes{1},
                              wf_test::join{});
            }),
            "warpfold::reduce_axes: out has the extents (10); the kept axes have (3)");
  EXPECT_NE(error_of(wf::axes{0}, 5, true).find("axis 0 has 4 indices"), std::string::npos);
  EXPECT_NE(error_of(wf::axes{0}, -1, true).find("at most -1"), std::string::npos);
  EXPECT_NE(error_of(wf::axes{0}, 4, false).find("a count of 0"), std::string::npos);
}

}  // namespace axes_device_count_tests
