// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions by key of as many items as the device knows: they have the bits of a call with that count, and the count
// may be the number of runs of another call.
#include <gtest/gtest.h>

#include <algorithm>
#include <warpfold/device_count_by_key.cuh>

#include "by_key/ways.cuh"
#include "common/interval.hpp"
#include "reduce/stream.cuh"

namespace by_key_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;
using interval = wf_test::interval<>;

template <class N> void set(const device_array<N>& count, std::int64_t value) { count.set(0, static_cast<N>(value)); }
template <class T> std::vector<T> first_of(const std::vector<T>& all, std::int64_t count) {
  return {all.begin(), all.begin() + count};
}

TEST(by_key_device_count, has_the_runs_of_a_call_with_that_count) {
  const layout runs("of all lengths", {3000, 3, 1, 5001, 1, 400, 2047, 31, 33});
  const auto keys = wf_test::keys_of<int>(runs);
  const auto items = wf_test::interval_items<interval>(runs.items);
  const device_array<int> k(keys, 1);
  const device_array<interval> v(items);
  const device_array<std::uint8_t> few(1);
  const device_array<std::int64_t> many(1);
  const auto expect = [&](const auto& count, std::int64_t n, std::int64_t most, const wf_test::by_key_way& way) {
    set(count, n);
    const auto expected = wf_test::canonical_runs(first_of(keys, n), first_of(items, n), wf_test::join{});
    const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(k.data(), v.data(), wf::device_count(count.data(), most), out_keys, out_values, out_count,
                        wf_test::join{}, options);
    };
    EXPECT_TRUE(wf_test::gives_runs(way, expected, {}, wf_test::join{}, reduce)) << n << " of " << most;
  };
  for (const std::int64_t n : {0, 1, 255}) expect(few, n, 255, {.spare = 3});
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2048}, std::int64_t{8007}, runs.items})
    for (const int max_blocks : {0, 1})
      expect(many, n, runs.items, {.max_blocks = max_blocks, .own_workspace = true, .spare = 1});
}

struct same_tens {
  __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

TEST(by_key_device_count, the_runs_of_one_call_are_the_items_of_the_next_in_a_graph) {
  constexpr int items = 5000;
  const device_array<int> keys(items), values(std::vector<int>(items, 1)), some_keys(items), sums(items), runs(1),
      out_keys(items), out_sums(items), out_runs(1);
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::reduce_by_key(keys.data(), values.data(), items, some_keys.data(), sums.data(), runs.data(), {.stream = s});
    wf::reduce_by_key(some_keys.data(), sums.data(), wf::device_count(runs.data(), items), out_keys.data(),
                      out_sums.data(), out_runs.data(), wf::plus{}, same_tens{}, {.stream = s});
  });
  EXPECT_EQ(graph.nodes(), 2u);
  const wf_test::stream stream;
  for (const int length : {7, 100, 5000}) {
    std::vector<int> of_runs(items);
    for (int i = 0; i < items; ++i) of_runs[static_cast<std::size_t>(i)] = i / length;
    keys.set(of_runs);
    graph.launch(stream);
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const int tens = (items + 10 * length - 1) / (10 * length);
    ASSERT_EQ(out_runs.value(), tens);
    for (int r = 0; r < tens; ++r) {
      EXPECT_EQ(out_keys.value(r), 10 * r);
      EXPECT_EQ(out_sums.value(r), std::min(10 * length, items - 10 * length * r));
    }
  }
}

#if defined(WARPFOLD_EMULATOR) || !WARPFOLD_CHECKS  // on a GPU a kernel that stops takes the context with it
TEST(by_key_device_count, wrong_counts_stop_the_kernel_or_are_clamped_and_reported) {
  const device_array<int> keys(std::vector<int>(50, 4)), values(std::vector<int>(50, 1)), out_keys(50), sums(50),
      runs(1), count(1), status(std::vector<int>{0});
  for (const int n : {-1, 51}) {
    set(count, n);
    const auto call = [&] {
      wf::reduce_by_key(keys.data(), values.data(), wf::device_count(count.data(), 50, status.data()), out_keys.data(),
                        sums.data(), runs.data());
      return runs.value();
    };
#if WARPFOLD_CHECKS
    try {
      ADD_FAILURE() << "no kernel has stopped for " << n << ": " << call();
    } catch (const cuda_emulator::error& e) {
      EXPECT_TRUE(e.kind() == cuda_emulator::fault::precondition) << e.what();
    }
#else
    EXPECT_EQ(call(), n < 0 ? 0 : 1);
    EXPECT_EQ(status.value(), 1);
#endif
  }
}
#endif

TEST(by_key_device_count, errors_name_the_argument) {
  const device_array<int> in(20), out_keys(20), sums(20), runs(1), count(1);
  const auto error_of = [&](std::int64_t most, auto keys_to, int* runs_to) -> std::string {
    try {
      wf::reduce_by_key(in.data(), in.data(), wf::device_count(count.data(), most), keys_to, sums.data(), runs_to);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of(-1, out_keys.data(), runs.data()).find("at most -1"), std::string::npos);
  EXPECT_NE(error_of(20, out_keys.data(), count.data()).find("out_count lies within device_count"), std::string::npos);
  EXPECT_NE(error_of(20, count.data(), runs.data()).find("out_keys lies within device_count"), std::string::npos);
}

}  // namespace by_key_device_count_tests
