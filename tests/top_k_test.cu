// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k and bottom_k against sorted lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>
#include <warpfold/reduce.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/top_k_operators.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace top_k_tests {

namespace wf = warpfold;
using wf_test::device_array;

/// The numbers of the first `k` of the items [begin, end), best first; -1 where there is none.
template <class T>
std::vector<std::int64_t> expected(const std::vector<T>& items, std::int64_t begin, std::int64_t end, int k,
                                   bool largest) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(end - begin));
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    const T a = items[static_cast<std::size_t>(i)], b = items[static_cast<std::size_t>(j)];
    if (a != a || b != b) return a != a && b == b;
    return largest ? a > b : a < b;
  });
  order.resize(static_cast<std::size_t>(k), -1);
  return order;
}
template <class List> std::vector<std::int64_t> indices(const List& list) {
  std::vector<std::int64_t> result;
  for (const auto& item : list.item) result.push_back(item.index);
  return result;
}
std::vector<float> random_values(std::int64_t count, int distinct) {
  wf_test::random_source random(static_cast<std::uint64_t>(count + distinct));
  std::vector<float> items;
  for (std::int64_t i = 0; i < count; ++i)
    items.push_back(random.below(200) == 0 ? NAN : static_cast<float>(random.below(distinct)) - 3);
  return items;
}

/// Lists of all lengths join to the best of both, whatever K is.
template <int K> void expect_joined() {
  const wf::top_k<K> op;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::int64_t count = static_cast<std::int64_t>(seed) % (3 * K) + 1;
    const auto items = random_values(count, seed % 2 == 0 ? 5 : 1000);
    auto left = wf::identity<wf::top_k<K>, wf::best_items<float, K>>::value(), right = left;
    const std::int64_t cut = static_cast<std::int64_t>(seed / 7) % (count + 1);
    for (std::int64_t i = 0; i < cut; ++i) left = op(left, op.lift(items[static_cast<std::size_t>(i)], i));
    for (std::int64_t i = count; i-- > cut;) right = op(op.lift(items[static_cast<std::size_t>(i)], i), right);
    ASSERT_EQ(indices(op(left, right)), expected(items, 0, count, K, true)) << K << ' ' << seed;
  }
}
TEST(top_k, lists_of_every_length_join) {
  expect_joined<1>(), expect_joined<2>(), expect_joined<3>(), expect_joined<5>();
  expect_joined<7>(), expect_joined<8>(), expect_joined<11>(), expect_joined<16>();
}

TEST(top_k, of_one_sequence) {
  const device_array<wf::best_items<float, 5>> out(1);
  const device_array<wf::best_items<int, 4>> out_bytes(1);
  for (const std::int64_t size : {1, 4, 130, 4099, 20'011}) {
    const auto items = random_values(size, size % 2 == 0 ? 50 : 100'000);
    const device_array<float> in(items, 1);
    wf::reduce(in.items(), out.data(), wf::top_k<5>{}, {.max_blocks = 2});
    EXPECT_EQ(indices(out.value()), expected(items, 0, size, 5, true)) << size;
    // The same of equal items, of rising ones, and of bytes.
    for (const float slope : {0.0f, 1.0f, -1.0f}) {
      std::vector<float> ramp;
      std::vector<std::int8_t> bytes;
      for (std::int64_t i = 0; i < size; ++i) ramp.push_back(slope * static_cast<float>(i));
      const device_array<float> sorted(ramp);
      wf::reduce(sorted.items(), out.data(), wf::top_k<5>{});
      EXPECT_EQ(indices(out.value()), expected(ramp, 0, size, 5, true)) << size << ' ' << slope;
      for (float& x : ramp) bytes.push_back(static_cast<std::int8_t>(std::fmod(x, 100))), x = bytes.back();
      const device_array<std::int8_t> in_bytes(bytes);
      wf::reduce(in_bytes.items(), out_bytes.data(), wf::bottom_k<4>{});
      EXPECT_EQ(indices(out_bytes.value()), expected(ramp, 0, size, 4, false)) << size << ' ' << slope;
    }
  }
}

// Lists that live on from batch to batch, in one block and in several.
TEST(top_k, of_many_batches) {
  constexpr std::int64_t count = 30'001;
  const device_array<wf::best_items<float, 16>> out(1);
  for (const int distinct : {3, 1'000'000})
    for (const bool ascends : {false, true}) {
      auto items = random_values(count, distinct);
      if (ascends) std::stable_sort(items.begin(), items.end(), [](float a, float b) { return a < b; });
      const device_array<float> in(items, distinct % 4);
      for (const int max_blocks : {0, 1, 3}) {
        wf::reduce(in.items(), out.data(), wf::top_k<16>{}, {.max_blocks = max_blocks});
        ASSERT_EQ(indices(out.value()), expected(items, 0, count, 16, true)) << distinct << ascends << max_blocks;
        wf::reduce(in.items(), out.data(), wf::bottom_k<16>{}, {.max_blocks = max_blocks});
        ASSERT_EQ(indices(out.value()), expected(items, 0, count, 16, false)) << distinct << ascends << max_blocks;
      }
    }
}

// The least two integers, of which equally many lanes hold each, are told apart. -0 and +0 are not: the index decides.
template <class T> void expect_lists_of_two_values(T a, T b, T third) {
  const device_array<wf::best_items<T, 3>> out(1);
  for (const std::int64_t count : {5, 100, 5000, 30'001}) {
    wf_test::random_source random(static_cast<std::uint64_t>(count));
    std::vector<T> items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(random.below(100) == 0 ? third : random.below(2) ? a : b);
    const device_array<T> in(items);
    wf::reduce(in.items(), out.data(), wf::top_k<3>{});
    EXPECT_EQ(indices(out.value()), expected(items, 0, count, 3, true)) << count;
    wf::reduce(in.items(), out.data(), wf::bottom_k<3>{});
    EXPECT_EQ(indices(out.value()), expected(items, 0, count, 3, false)) << count;
  }
}
// Whatever warp is first: its zeros do not keep those of another sign, and of lower indices, out of another warp's list.
TEST(top_k, of_zeros_by_any_warp) {
  constexpr std::int64_t count = 20'000;
  const device_array<wf::best_items<float, 3>> out(1);
  for (std::int64_t zeros = 512; zeros + 512 <= count; zeros += 1024) {
    std::vector<float> items(count, 0.0f);
    std::fill(items.begin(), items.begin() + zeros, -1.0f);
    std::fill(items.begin() + zeros, items.begin() + zeros + 512, -0.0f);
    const device_array<float> in(items);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const wf_test::schedule_seed schedule(seed);
      wf::reduce(in.items(), out.data(), wf::top_k<3>{}, {.max_blocks = 1});
      ASSERT_EQ(indices(out.value()), (std::vector<std::int64_t>{zeros, zeros + 1, zeros + 2})) << seed;
    }
  }
}
TEST(top_k, of_the_least_integers_and_of_zeros) {
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  expect_lists_of_two_values(least, least + 1, least);
  expect_lists_of_two_values(least, least, least);
  expect_lists_of_two_values(most, most - 1, most);
  expect_lists_of_two_values(0u, 1u, 0u);
  expect_lists_of_two_values(-0.0f, 0.0f, -0.0f);
  expect_lists_of_two_values(-0.0f, 0.0f, 1.0f);
  expect_lists_of_two_values(-0.0f, 0.0f, -1.0f);
}

TEST(top_k, of_segments) {
  const auto items = random_values(9000, 100);
  std::vector<int> offsets{0};
  for (int length = 1; offsets.back() + length < 9000; length = length * 7 % 501)
    offsets.push_back(offsets.back() + length);
  const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
  const device_array<float> in(items);
  const device_array<int> on_device(offsets);
  const device_array<wf::best_items<float, 3>> out(segments);
  wf::segmented_reduce(in.items(), on_device.items(), std::span<wf::best_items<float, 3>>(out.data(), out.size()),
                       wf::bottom_k<3>{});
  const auto results = out.to_host();
  for (std::size_t s = 0; s < results.size(); ++s)
    ASSERT_EQ(indices(results[s]), expected(items, offsets[s], offsets[s + 1], 3, false)) << s;
}

}  // namespace top_k_tests
