// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators with lift and lower, through every function.
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/scan_by_key.cuh>
#include <warpfold/segmented_reduce.cuh>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "common/device.cuh"
#include "common/interval.hpp"

namespace lift_tests {

namespace wf = warpfold;
using wf_test::device_array;
using span = wf_test::interval<std::int64_t>;

/// Item i, whose value must be 3 i, is lifted to the interval [i, i]; the result is its length, or -1 for poison.
struct counted {
  __host__ __device__ span lift(int item, std::int64_t index) const {
    return item == 3 * index ? span::of(index) : span::poison();
  }
  __host__ __device__ span operator()(const span& a, const span& b) const { return wf_test::join{}(a, b); }
  __host__ __device__ std::int64_t lower(const span& all) const {
    return all.is_poison() ? -1 : all.last - all.first + 1;
  }
};

struct sum_and_count {
  double sum;
  int count;
};
/// The mean of the items, each times `scale`.
struct mean {
  double scale = 1;
  __host__ __device__ sum_and_count lift(double item) const { return {scale * item, 1}; }
  __host__ __device__ sum_and_count operator()(const sum_and_count& a, const sum_and_count& b) const {
    return {wf::plus{}(a.sum, b.sum), a.count + b.count};
  }
  __host__ __device__ double lower(const sum_and_count& all) const { return all.sum / all.count; }
};
struct halve {
  __host__ __device__ double operator()(int item) const { return item / 2.0; }
};
struct difference {
  __host__ __device__ double operator()(int a, int b) const { return a - b; }
};
/// A source of items that is no pointer.
struct triples {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(3 * i); }
};

std::vector<int> triples_to(int count) {
  std::vector<int> items(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) items[static_cast<std::size_t>(i)] = 3 * i;
  return items;
}

TEST(lift, indices_of_a_reduction_are_those_of_the_items) {
  static_assert(std::is_same_v<wf::accumulator_t<counted, int>, span>);
  static_assert(std::is_same_v<wf::lowered_t<counted, span>, std::int64_t>);
  const device_array<std::int64_t> out(1);
  for (const int count : {1, 31, 257, 5000, 70001})
    for (const int offset : {0, 1, 3}) {
      const device_array<int> items(triples_to(count), offset);
      EXPECT_EQ(wf::reduce_value(items.items(), counted{}), count) << offset;
      wf::reduce(items.data(), count, out.data(), counted{}, {.init = span::of(-2, -1), .max_blocks = 3});
      EXPECT_EQ(out.value(), count + 2) << offset;
    }
  EXPECT_EQ(wf::reduce_value(triples{}, 3001, counted{}), 3001);
}

TEST(lift, transforms_come_first) {
  const device_array<int> items(std::vector<int>{1, 2, 3, 4, 5, 6}), zeros(std::vector<int>(6, 0));
  EXPECT_EQ(wf::transform_reduce_value(items.items(), mean{10}, halve{}), 17.5);
  EXPECT_EQ(wf::transform_reduce_value(items.items(), zeros.items(), mean{}, difference{}), 3.5);
}

TEST(lift, segments_of_every_form_and_length) {
  std::vector<int> ends;
  for (int at = 0, length = 1; at < 20000; length = length * 5 % 1013 + (length == 700) * 9000)
    ends.push_back(at += length);
  const int count = ends.back(), segments = static_cast<int>(ends.size());
  std::vector<int> offsets{0}, owners;
  offsets.insert(offsets.end(), ends.begin(), ends.end());
  for (int s = 0; s < segments; ++s)
    owners.insert(owners.end(), static_cast<std::size_t>(offsets[s + 1] - offsets[s]), s);
  const device_array<int> items(triples_to(count), 1), device_offsets(offsets), device_owners(owners);
  const device_array<std::int64_t> out(segments);
  const std::span<std::int64_t> to(out.data(), out.size());
  const auto expect = [&] {
    const std::vector<std::int64_t> lengths = out.to_host();
    for (int s = 0; s < segments; ++s)
      ASSERT_EQ(lengths[static_cast<std::size_t>(s)], offsets[s + 1] - offsets[s]) << s;
  };
  wf::segmented_reduce(items.items(), device_offsets.items(), to, counted{}, {.empty = span::poison()});
  expect();
  wf::segmented_reduce(items.items(), wf::owners{device_owners.items()}, to, counted{}, {.empty = span::poison()});
  expect();
  for (const int length : {1, 3, 7, 20, 100, 250, 900}) {
    const int number = 4000 / length;
    const device_array<std::int64_t> lengths(number);
    wf::segmented_reduce(items.data(), number * length, wf::fixed_length{length}, lengths.data(), counted{});
    for (const std::int64_t own : lengths.to_host()) ASSERT_EQ(own, length);
  }
}

TEST(lift, runs_and_scans) {
  constexpr int count = 9001;
  std::vector<int> keys;
  for (int i = 0; i < count; ++i) keys.push_back(i / 700);
  const device_array<int> items(triples_to(count)), device_keys(keys), out_keys(20), runs(1);
  const device_array<std::int64_t> out(count);
  wf::reduce_by_key(device_keys.items(), items.items(), std::span<int>(out_keys.data(), 20), out.data(), runs.data(),
                    counted{});
  ASSERT_EQ(runs.value(), 13);
  for (int run = 0; run < 13; ++run) EXPECT_EQ(out.value(run), run < 12 ? 700 : 601);
  wf::inclusive_scan(items.items(), out.data(), counted{});
  std::vector<std::int64_t> lengths = out.to_host();
  for (int i = 0; i < count; ++i) ASSERT_EQ(lengths[static_cast<std::size_t>(i)], i + 1);
  wf::inclusive_scan_by_key(device_keys.items(), items.items(), out.data(), counted{});
  lengths = out.to_host();
  for (int i = 0; i < count; ++i) ASSERT_EQ(lengths[static_cast<std::size_t>(i)], i % 700 + 1);
}

TEST(lift, replay_lifts_too) {
  const std::vector<int> items = triples_to(100);
  EXPECT_EQ(counted{}.lower(wf::canonical_tree::replay(items.data(), 100, counted{})), 100);
}

}  // namespace lift_tests
