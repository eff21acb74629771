// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions whose count the kernel reads: they have the bits of a call with that count, and graphs see other counts.
#include <gtest/gtest.h>

#include <warpfold/arg_operators.hpp>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/device_count.cuh>
#include <warpfold/fuse.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "reduce/stream.cuh"

namespace device_count_tests {

namespace wf = warpfold;
using wf_test::device_array;

constexpr std::int64_t most = 50'003;

std::vector<float> random_floats() {
  wf_test::random_source source(3);
  std::vector<float> items;
  for (std::int64_t i = 0; i < most; ++i) items.push_back(wf_test::random_item<float>(source));
  return items;
}
void set(const device_array<std::int64_t>& count, std::int64_t value) { count.set(0, value); }

TEST(device_count, sums_have_the_bits_of_the_tree) {
  const std::vector<float> items = random_floats();
  const device_array<std::int64_t> count(1);
  for (const int misaligned : {0, 1}) {
    const device_array<float> in(items, misaligned);
    for (const std::int64_t n : {1l, 31l, 4096l, 16'385l, 49'999l, most})
      for (const int max_blocks : {0, 1, 3}) {
        set(count, n);
        EXPECT_EQ(wf::reduce_value(in.data(), wf::device_count(count.data(), most), {.max_blocks = max_blocks}),
                  wf::canonical_tree::replay(items.data(), n, wf::plus{}))
            << n;
      }
  }
}

TEST(device_count, none_gives_init_or_the_identity) {
  const device_array<float> in(random_floats());
  const device_array<std::int64_t> count(1);
  set(count, 0);
  EXPECT_EQ(wf::reduce_value(in.data(), wf::device_count(count.data(), most)), 0);
  EXPECT_EQ(wf::reduce_value(in.data(), wf::device_count(count.data(), most), {.init = 7}), 7);
  set(count, 2);
  EXPECT_EQ(wf::reduce_value(in.data(), wf::device_count(count.data(), 2), {.init = 7}),
            7 + (in.value(0) + in.value(1)));
}

/// A reduction of the first items, by an operator that indexes or fuses, or of pairs, is that of a range of as many.
TEST(device_count, other_operators_and_pairs_have_the_results_of_a_range) {
  const std::vector<float> items = random_floats();
  const device_array<float> in(items);
  const device_array<std::int64_t> count(1);
  const device_array<float> dot(2);
  for (const std::int64_t n : {1l, 40'000l}) {
    set(count, n);
    const wf::device_count number(count.data(), most);
    const auto first = in.items().first(static_cast<std::size_t>(n));
    const auto largest = wf::reduce_value(in.data(), number, wf::arg_maximum{}),
               of_range = wf::reduce_value(first, wf::arg_maximum{});
    EXPECT_EQ(largest.index, of_range.index);
    EXPECT_EQ(largest.value, of_range.value);
    const auto fused = wf::fuse(wf::plus{}, wf::minimum{});
    const auto [sum, least] = wf::reduce_value(in.data(), number, fused);
    const auto [sum_of_range, least_of_range] = wf::reduce_value(first, fused);
    EXPECT_EQ(sum, sum_of_range);
    EXPECT_EQ(least, least_of_range);
    wf::transform_reduce(in.data(), in.data(), number, dot.data(), wf::plus{}, wf::multiplies{});
    wf::transform_reduce(first, first, dot.data() + 1, wf::plus{}, wf::multiplies{});
    EXPECT_EQ(dot.value(0), dot.value(1));
  }
}

TEST(device_count, replays_of_a_graph_see_other_counts) {
  const std::vector<float> items = random_floats();
  const device_array<float> in(items), out(1);
  const device_array<std::int64_t> count(1);
  const wf_test::graph graph(
      [&](cudaStream_t s) { wf::reduce(in.data(), wf::device_count(count.data(), most), out.data(), {.stream = s}); });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const std::int64_t n : {most, std::int64_t{5}, std::int64_t{40'000}}) {
    set(count, n);
    graph.launch(stream);
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    EXPECT_EQ(out.value(), wf::canonical_tree::replay(items.data(), n, wf::plus{})) << n;
  }
}

#if defined(WARPFOLD_EMULATOR) || !WARPFOLD_CHECKS  // on a GPU a kernel that stops takes the context with it
TEST(device_count, wrong_counts_stop_the_kernel_or_are_clamped_and_reported) {
  const std::vector<float> items = random_floats();
  const device_array<float> in(items);
  const device_array<std::int64_t> count(1);
  const device_array<int> status(std::vector<int>{0});
  const auto sum = [&] { return wf::reduce_value(in.data(), wf::device_count(count.data(), 1000, status.data())); };
  for (const std::int64_t n : {std::int64_t{-1}, std::int64_t{1001}}) {
    set(count, n);
#if WARPFOLD_CHECKS
    try {
      ADD_FAILURE() << sum();
    } catch (const cuda_emulator::error& e) {
      EXPECT_TRUE(e.kind() == cuda_emulator::fault::precondition) << e.what();
    }
#else
    EXPECT_EQ(sum(), n < 0 ? 0 : wf::canonical_tree::replay(items.data(), 1000, wf::plus{}));
    EXPECT_EQ(status.value(), 1);
#endif
  }
}
#endif

TEST(device_count, errors_name_the_argument) {
  const device_array<float> in(1);
  const device_array<std::int64_t> count(1);
  const auto reduce = [&](const std::int64_t* pointer, std::int64_t at_most) {
    static_cast<void>(wf::reduce_value(in.data(), wf::device_count(pointer, at_most)));
  };
  EXPECT_THROW(reduce(nullptr, 1), std::invalid_argument);
  EXPECT_THROW(reduce(count.data(), -1), std::invalid_argument);
}

}  // namespace device_count_tests
