// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators inside operators, over inputs at odd places: cases that the tests of single features do not have.
#include <warpfold/warpfold.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace combination_tests {

namespace wf = warpfold;
using wf_test::device_array;

TEST(combinations, top_of_unsigned_bytes_whose_values_are_neighbours) {
  std::vector<std::uint8_t> bytes(8192, 0);
  bytes[16] = 1;
  const device_array<std::uint8_t> in(bytes);
  const auto best = wf::reduce_value(in.items(), wf::top_k<2>{});
  EXPECT_EQ(best.item[0].index, 16);
  EXPECT_EQ(best.item[1].index, 0);
}

TEST(combinations, indices_of_segments_within_fused_operators) {
  std::vector<float> items(3000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>((i * 7919) % 1009);
  const std::vector<int> offsets{0, 3, 1000, 1001, 2999, 3000};
  const device_array<float> in(items, 1), sums(5);
  const device_array<int> device_offsets(offsets);
  const device_array<wf::indexed_value<float>> places(5);
  wf::segmented_reduce(in.items(), device_offsets.items(), wf::outputs(places, sums),
                       wf::fuse(wf::within_segment{wf::arg_minimum{}}, wf::plus{}),
                       {.empty = wf::fused(wf::indexed_value<float>{0, -1}, 0.f)});
  for (std::int64_t s = 0; s < 5; ++s) {
    const auto first = items.begin() + offsets[static_cast<std::size_t>(s)],
               last = items.begin() + offsets[static_cast<std::size_t>(s) + 1];
    EXPECT_EQ(places.value(s).index, std::min_element(first, last) - first) << s;
  }
}

TEST(combinations, segmented_scans_of_fused_operators_from_odd_items) {
  constexpr std::int64_t count = 9001;
  std::vector<float> items;
  wf_test::random_source source(3);
  for (std::int64_t i = 0; i < count; ++i) items.push_back(static_cast<float>(source.below(1000)));
  const std::vector<int> offsets{0, 1, 4, 4099, 4101, 9001};
  const device_array<float> in(items), sums(count);
  const device_array<int> device_offsets(offsets);
  const device_array<wf::indexed_value<float>> places(count);
  wf::segmented_inclusive_scan(in.items(), device_offsets.items(), wf::outputs(sums, places),
                               wf::fuse(wf::plus{}, wf::arg_minimum{}));
  const auto least = places.to_host();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (auto i = static_cast<std::size_t>(offsets[s]), best = i; i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
      if (items[i] < items[best]) best = i;
      ASSERT_EQ(least[i].index, static_cast<std::int64_t>(best)) << i;
    }
}

TEST(combinations, runs_of_bytes_with_narrow_indices) {
  constexpr int count = 5000;
  std::vector<int> keys;
  std::vector<std::int8_t> values;
  for (int i = 0; i < count; ++i) keys.push_back(i / 77), values.push_back(static_cast<std::int8_t>((i * 37) % 101));
  const device_array<int> in_keys(keys), out_keys(100), runs(1);
  const device_array<std::int8_t> in_values(values);
  const device_array<wf::indexed_value<int, int>> out(100);
  wf::reduce_by_key(in_keys.items(), in_values.items(), std::span<int>(out_keys.data(), 100), out.data(), runs.data(),
                    wf::arg_minimum<wf::ties::first, wf::nans::propagate, int>{});
  ASSERT_EQ(runs.value(), 65);
  for (int run = 0; run < 65; ++run) {
    const auto first = values.begin() + run * 77, last = values.begin() + std::min((run + 1) * 77, count);
    EXPECT_EQ(out.value(run).index, std::min_element(first, last) - values.begin()) << run;
  }
}

struct wide {
  std::int64_t value, more[3];
  wide() = default;
  __host__ __device__ explicit wide(int v) : value(v), more{v, v, v} {}
  __host__ __device__ wide& operator=(int v) { return *this = wide(v); }
};
TEST(combinations, scans_into_wide_results) {
  const device_array<int> in(std::vector<int>(3001, 1));
  const device_array<wide> out(3001);
  wf::inclusive_scan(in.items(), out.data(), wf::plus{});
  const auto results = out.to_host();
  for (int i = 0; i < 3001; ++i) ASSERT_EQ(results[static_cast<std::size_t>(i)].more[2], i + 1);
}

TEST(combinations, windows_that_overlap) {
  std::vector<float> items;
  for (int i = 0; i < 64; ++i) items.push_back(static_cast<float>(i * i % 97));
  const device_array<float> in(items), out(1);
  wf::reduce_axes(wf::strided<const float, 2>{in.data(), {8, 8}, {1, 1}}, wf::strided<float, 0>{out.data()},
                  wf::axes{0, 1}, wf::plus{});
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) sum += items[static_cast<std::size_t>(i + j)];
  EXPECT_EQ(out.value(), sum);
}

}  // namespace combination_tests
