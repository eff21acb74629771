// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of 8-bit integers by words: every number of items, whatever lies behind them.
#include <warpfold/by_key/split_bytes.cuh>
#include <warpfold/thread/sum_bytes.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

/// Thread c sums the first c - 1 items of a chunk; and two chunks, split at that number, to `splits`.
template <class A, class T, int Items>
__global__ void sum_kernel(const T* items, A* sums, wf::by_key::split_run<A>* splits) {
  const int count = static_cast<int>(threadIdx.x) - 1;
  wf::thread::chunk<T, Items> chunks[2];
  chunks[0].load(items);
  chunks[1].load(items + Items);
  sums[threadIdx.x] = wf::thread::sum_bytes<A>(chunks[0], count);
  splits[threadIdx.x] = wf::by_key::split_bytes<A>(chunks, count);
}

template <class A, class T, int Items> void expect_sums(const std::vector<T>& items) {
  constexpr int threads = 2 * Items + 2;
  const device_array<T> in(items);
  const device_array<A> sums(threads);
  const device_array<wf::by_key::split_run<A>> splits(threads);
  wf_test::launch_and_wait(&sum_kernel<A, T, Items>, 1, threads, 0, in.data(), sums.data(), splits.data());
  const auto found = sums.to_host();
  const auto split = splits.to_host();
  const auto sum_of = [&](int begin, int end) {
    return std::accumulate(items.begin() + begin, items.begin() + end, A{0});
  };
  for (int thread = 0; thread < threads; ++thread) {
    const int count = thread - 1, present = std::max(count, 0);
    const auto& [all, before, from] = split[static_cast<std::size_t>(thread)];
    EXPECT_EQ(found[static_cast<std::size_t>(thread)], sum_of(0, std::min(present, Items))) << count << " of " << Items;
    EXPECT_EQ(all, sum_of(0, 2 * Items));
    EXPECT_EQ(before, sum_of(0, present)) << count << " of " << 2 * Items;
    EXPECT_EQ(from, sum_of(present, 2 * Items)) << count << " of " << 2 * Items;
  }
}

template <class A, class T> void expect_sums_of_all_chunks(const std::vector<T>& items) {
  expect_sums<A, T, 16>(items);
  expect_sums<A, T, 32>(items);
  expect_sums<A, T, 64>(items);
}

TEST(ByteSums, OfEveryNumberOfItems) {
  expect_sums_of_all_chunks<int>(wf_test::random_items<std::int8_t>(128));
  expect_sums_of_all_chunks<unsigned>(wf_test::random_items<std::uint8_t>(128));
  expect_sums_of_all_chunks<int>(wf_test::random_items<std::uint8_t>(128));
}

TEST(ByteSums, OfTheLeastAndTheGreatest) {
  expect_sums_of_all_chunks<int>(std::vector<std::int8_t>(128, -128));
  expect_sums_of_all_chunks<int>(std::vector<std::int8_t>(128, 127));
  expect_sums_of_all_chunks<unsigned>(std::vector<std::uint8_t>(128, 255));
}

template <class T, class A, class Op, class Transform = wf::thread::no_transform>
constexpr bool sums = wf::thread::sums_bytes<wf::thread::leaves<wf::thread::pointer_source<T>, Transform, A>, Op>;

TEST(ByteSums, AreOfBytesAsTheyAreInThirtyTwoBits) {
  struct twice {
    int operator()(int x) const { return 2 * x; }
  };
  EXPECT_TRUE((sums<std::int8_t, int, wf::plus>));
  EXPECT_TRUE((sums<unsigned char, unsigned, decltype(wf::accumulate_in<unsigned>(wf::plus{}))>));
  EXPECT_FALSE((sums<std::int8_t, std::int8_t, wf::plus>));
  EXPECT_FALSE((sums<std::int8_t, long long, decltype(wf::accumulate_in<long long>(wf::plus{}))>));
  EXPECT_FALSE((sums<std::int8_t, float, decltype(wf::accumulate_in<float>(wf::plus{}))>));
  EXPECT_FALSE((sums<std::int8_t, int, wf::maximum>));
  EXPECT_FALSE((sums<std::int8_t, int, wf::plus, twice>));
  EXPECT_FALSE((sums<std::int16_t, int, wf::plus>));
  EXPECT_FALSE((sums<bool, int, wf::plus>));
}

}  // namespace
