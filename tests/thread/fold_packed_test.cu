// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed folds of 8- and 16-bit integers: every operator, every number of items, whatever lies behind them.
#include <warpfold/by_key/split_sums.cuh>
#include <warpfold/thread/fold_packed.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

/// Thread c folds the first c - 1 items of a chunk.
template <class A, class Op, class T, int Items> __global__ void fold_kernel(const T* items, A* results) {
  wf::thread::chunk<T, Items> chunk;
  chunk.load(items);
  results[threadIdx.x] = wf::thread::fold_packed<A, Op>(chunk, static_cast<int>(threadIdx.x) - 1);
}
/// Thread c splits two chunks before item c - 1.
template <class A, class T, int Items> __global__ void split_kernel(const T* items, wf::by_key::split_run<A>* splits) {
  wf::thread::chunk<T, Items> chunks[2];
  chunks[0].load(items);
  chunks[1].load(items + Items);
  splits[threadIdx.x] = wf::by_key::split_sums<A>(chunks, static_cast<int>(threadIdx.x) - 1);
}

template <class A, class Op, int Items, class T> void expect_folds(const std::vector<T>& items) {
  constexpr int threads = Items + 3;  // of -1 to Items + 1 items
  const device_array<T> in(items);
  const device_array<A> results(threads);
  wf_test::launch_and_wait(&fold_kernel<A, Op, T, Items>, 1, threads, 0, in.data(), results.data());
  const auto found = results.to_host();
  A expected = wf::identity<Op, A>::value();
  for (int count = -1; count <= Items + 1; ++count) {
    if (0 < count && count <= Items)
      expected = Op{}(expected, static_cast<A>(items[static_cast<std::size_t>(count - 1)]));
    if (count <= 0 && !std::is_same_v<Op, wf::plus>) continue;
    EXPECT_EQ(found[static_cast<std::size_t>(count + 1)], expected) << count << " of " << Items;
  }
}

template <class A, class T> void expect_splits(const std::vector<T>& items) {
  constexpr int chunk = 32 / sizeof(T), threads = 2 * chunk + 2;
  const device_array<T> in(items);
  const device_array<wf::by_key::split_run<A>> splits(threads);
  wf_test::launch_and_wait(&split_kernel<A, T, chunk>, 1, threads, 0, in.data(), splits.data());
  const auto found = splits.to_host();
  const auto sum_of = [&](int begin, int end) {
    return std::accumulate(items.begin() + begin, items.begin() + end, A{0});
  };
  for (int thread = 0; thread < threads; ++thread) {
    const int before = std::max(thread - 1, 0);
    const auto& split = found[static_cast<std::size_t>(thread)];
    EXPECT_EQ(split.all, sum_of(0, 2 * chunk));
    EXPECT_EQ(split.before, sum_of(0, before)) << before << " of " << 2 * chunk;
    EXPECT_EQ(split.from, sum_of(before, 2 * chunk)) << before << " of " << 2 * chunk;
  }
}

template <class A, class Op, class T> void expect_folds_of_all_chunks(const std::vector<T>& items) {
  expect_folds<A, Op, 4>(items);
  expect_folds<A, Op, 16 / sizeof(T)>(items);
  expect_folds<A, Op, 64 / sizeof(T)>(items);
}
template <class A, class T> void expect_folds_by_all_operators(const std::vector<T>& items) {
  expect_folds_of_all_chunks<A, wf::plus>(items);
  expect_folds_of_all_chunks<A, wf::minimum>(items);
  expect_folds_of_all_chunks<A, wf::maximum>(items);
  expect_folds_of_all_chunks<A, wf::bit_and>(items);
  expect_folds_of_all_chunks<A, wf::bit_or>(items);
  expect_folds_of_all_chunks<A, wf::bit_xor>(items);
  expect_splits<A>(items);
}

/// Random items, all equal to the least, and all equal to the greatest.
template <class A, class T> void expect_folds_of_all_items() {
  expect_folds_by_all_operators<A>(wf_test::random_items<T>(64));
  expect_folds_by_all_operators<A>(std::vector<T>(64, std::numeric_limits<T>::lowest()));
  expect_folds_by_all_operators<A>(std::vector<T>(64, std::numeric_limits<T>::max()));
}

TEST(packed_folds, of_signed_bytes) { expect_folds_of_all_items<int, std::int8_t>(); }
TEST(packed_folds, of_unsigned_bytes) {
  expect_folds_of_all_items<unsigned, std::uint8_t>();
  expect_folds_of_all_items<int, std::uint8_t>();
}
TEST(packed_folds, of_signed_pairs) { expect_folds_of_all_items<int, std::int16_t>(); }
TEST(packed_folds, of_unsigned_pairs) {
  expect_folds_of_all_items<unsigned, std::uint16_t>();
  expect_folds_of_all_items<int, std::uint16_t>();
}

/// The extremum lies in one place after the other, among items that differ from it by one: no place is left out, and no
/// item's neighbour counts for it.
template <class T, class Op> void expect_found_everywhere(T usual, T extremum) {
  for (std::size_t place = 0; place < 16; ++place) {
    std::vector<T> items(64, usual);
    items[place] = extremum;
    expect_folds<int, Op, 16>(items);
  }
}
TEST(packed_folds, find_the_extremum_everywhere) {
  expect_found_everywhere<std::int8_t, wf::minimum>(0, -1);
  expect_found_everywhere<std::int8_t, wf::maximum>(-1, 0);
  expect_found_everywhere<std::uint8_t, wf::minimum>(128, 127);
  expect_found_everywhere<std::uint8_t, wf::maximum>(127, 128);
  expect_found_everywhere<std::int16_t, wf::minimum>(0, -1);
  expect_found_everywhere<std::int16_t, wf::maximum>(-256, -255);
  expect_found_everywhere<std::uint16_t, wf::minimum>(0x8000, 0x7FFF);
  expect_found_everywhere<std::uint16_t, wf::maximum>(0x7FFF, 0x8000);
}

template <class T, class A, class Transform = wf::thread::no_transform>
using leaves_of = wf::thread::leaves<wf::thread::pointer_source<T>, Transform, A>;
template <class T, class A, class Op, class Transform = wf::thread::no_transform>
constexpr bool folds = wf::thread::folds_packed<leaves_of<T, A, Transform>, Op>;
template <class T, class A, class Op> constexpr bool sums = wf::thread::sums_packed<leaves_of<T, A>, Op>;

TEST(packed_folds, are_of_integers_as_they_are_in_thirty_two_bits) {
  struct twice {
    int operator()(int x) const { return 2 * x; }
  };
  EXPECT_TRUE((folds<std::int8_t, int, wf::plus> && sums<std::int8_t, int, wf::plus>));
  EXPECT_TRUE((folds<std::int8_t, unsigned, wf::plus>));
  EXPECT_TRUE((folds<unsigned char, unsigned, decltype(wf::accumulate_in<unsigned>(wf::plus{}))>));
  EXPECT_TRUE((folds<std::int16_t, int, wf::maximum> && !sums<std::int16_t, int, wf::maximum>));
  EXPECT_TRUE((folds<std::uint8_t, int, wf::minimum_number>));
  EXPECT_TRUE((folds<std::int8_t, unsigned, wf::bit_xor>));
  EXPECT_FALSE((folds<std::int8_t, unsigned, wf::minimum>)) << "-1 is the greatest unsigned number";
  EXPECT_FALSE((folds<std::int8_t, std::int8_t, wf::plus>));
  EXPECT_FALSE((folds<std::int8_t, long long, decltype(wf::accumulate_in<long long>(wf::plus{}))>));
  EXPECT_FALSE((folds<std::int8_t, float, decltype(wf::accumulate_in<float>(wf::plus{}))>));
  EXPECT_FALSE((folds<std::int8_t, int, wf::multiplies>));
  EXPECT_FALSE((folds<std::int8_t, int, wf::plus, twice>));
  EXPECT_FALSE((folds<int, int, wf::plus>));
  EXPECT_FALSE((folds<bool, int, wf::plus>));
}

}  // namespace
