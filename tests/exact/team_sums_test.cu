// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of segments of one length by teams of warps: parts at one level, at several and at none, and their join.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <warpfold/exact_plus.cuh>
#include <warpfold/explain.hpp>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"
#include "exact/team_sums.cuh"

namespace exact_team_sums_tests {

namespace wf = warpfold;
namespace exact = wf::exact;
using wf_test::device_array, wf_test::expect_team_sums, wf_test::no_op;

TEST(exact_team_sums, are_what_a_call_takes) {
  const device_array<float> in(std::vector<float>(2700, 0.5f)), out(3);
  const auto call = [&] { wf::segmented_reduce(in.data(), 2700, wf::fixed_length{900}, out.data(), wf::exact_plus{}); };
  EXPECT_NE(std::string(wf::explain(call).front().why).find("a team of warps"), std::string::npos);
  EXPECT_EQ(out.to_host(), std::vector<float>(3, 450.0f));
}

template <class T> void expect_sums_of_hard_items() {
  wf_test::random_source source(sizeof(T) + 9);
  int offset = 0;
  for (const wf_test::hard_items what : wf_test::all_hard_items)
    for (const int length : {1, 31, 640, 1000, 2048, 2305, 5001}) {
      const auto items = wf_test::make_hard_items<T>(what, 3 * length, source);
      for (const int warps : {1, 2, 3, 5, 8}) expect_team_sums(items, length, warps, ++offset % 5);
    }
}
TEST(exact_team_sums, floats) { expect_sums_of_hard_items<float>(); }
TEST(exact_team_sums, halves) { expect_sums_of_hard_items<__half>(); }
TEST(exact_team_sums, bfloats) { expect_sums_of_hard_items<__nv_bfloat16>(); }

/// Numbers that one level holds, but for what `change` makes of some.
template <class Change> void expect_sums_of_one_magnitude(Change change) {
  wf_test::random_source source(3);
  for (const int length : {700, 2400, 9001}) {
    std::vector<float> items(static_cast<std::size_t>(3 * length));
    for (float& each : items) each = static_cast<float>(static_cast<int>(source.below(257)) - 128) / 64;
    change(items, length);
    for (const int warps : {1, 4, 7}) expect_team_sums(items, length, warps, 1);
  }
}
TEST(exact_team_sums, of_one_magnitude) {
  expect_sums_of_one_magnitude([](std::vector<float>&, int) {});
}
TEST(exact_team_sums, parts_of_other_magnitudes) {
  expect_sums_of_one_magnitude([](std::vector<float>& items, int length) {
    for (int i = 0; i < std::ssize(items); ++i) items[static_cast<std::size_t>(i)] *= i % length < 2048 ? 1 : 0x1p30f;
  });
}
TEST(exact_team_sums, single_items_far_apart) {
  expect_sums_of_one_magnitude([](std::vector<float>& items, int length) {
    items[0] = 0x1p100f, items[static_cast<std::size_t>(length) - 1] = -0x1p-100f;
    items[static_cast<std::size_t>(length) + 600] = 0x1.8p-140f;
  });
}
TEST(exact_team_sums, negative_zeros_infinities_and_nan) {
  expect_sums_of_one_magnitude([](std::vector<float>& items, int length) {
    std::fill(items.begin(), items.begin() + length, -0.0f);
    items[static_cast<std::size_t>(length) + 3] = -INFINITY;
    items[static_cast<std::size_t>(3 * length) - 1] = NAN;
  });
}

// ---- the join -------------------------------------------------------------------------------------------------------

/// What join_parts needs of a kernel's arguments.
struct join_arguments {
  using V = float;
  wf::grid::initial_value<exact::superaccumulator<float>> init;
  no_op op;
  exact::superaccumulator<float>* out;
};
struct given_part {
  std::int64_t digits;
  int exponent;
  bool is_at_level;  ///< if not, it is 3 * 2^-20
};

__global__ void join_kernel(join_arguments arguments, const given_part* given, int count) {
  __shared__ exact::part_storage<float> parts[8];
  for (int i = 0; i < count; ++i) {
    parts[i].at_level = {given[i].digits, exact::has_other_than_minus_zero};
    parts[i].exponent = given[i].exponent, parts[i].is_at_level = given[i].is_at_level;
    __syncwarp();
    if (parts[i].is_at_level) continue;
    exact::clear_sums(parts[i].sums);
    parts[i].sums.sum[0].add(3, -20, exact::whole_warp());
    if (threadIdx.x == 0) parts[i].sums.kinds[0] = exact::has_other_than_minus_zero;
    __syncwarp();
  }
  exact::join_parts(arguments, 0, parts, count);
}

void expect_join(const std::vector<given_part>& parts) {
  const device_array<given_part> given(parts);
  const device_array<exact::superaccumulator<float>> out(1);
  join_arguments arguments{};
  arguments.out = out.data();
  wf_test::launch_and_wait(&join_kernel, 1, 32, 0, arguments, given.data(), static_cast<int>(parts.size()));
  exact::superaccumulator<float> expected{};
  for (const given_part& part : parts)
    expected = exact::add(expected, exact::accumulator_of<float>(part.is_at_level ? part.digits : 3,
                                                                 part.is_at_level ? part.exponent - 52 : -20,
                                                                 exact::has_other_than_minus_zero));
  const auto found = out.value();
  for (int i = 0; i < exact::superaccumulator<float>::words; ++i) EXPECT_EQ(found.word[i], expected.word[i]) << i;
  EXPECT_EQ(found.kinds, expected.kinds);
}

/// One warp sums the items of `part`, which are more than a level counts at once.
__global__ void part_kernel(const float* items, std::int64_t count, wf::segment::segment_span part,
                            join_arguments arguments) {
  using source = wf::thread::pointer_source<float, 4>;
  const wf::thread::leaves<source, wf::thread::no_transform, float> leaves{{items, count}, {}};
  __shared__ exact::part_storage<float> own;
  auto level = exact::tile_level<float>::of_field(127, 2);
  exact::level_sum sum;
  const bool is_at_level = exact::sum_part(leaves, part, level, sum, own.sums);
  if (threadIdx.x == 0) own.at_level = sum, own.exponent = level.exponent, own.is_at_level = is_at_level;
  __syncwarp();
  exact::join_parts(arguments, 0, &own, 1);
}

TEST(exact_team_sums, parts_of_more_items_than_a_level_counts) {
  for (const float last : {0.25f, 0x1p-140f})
    for (const std::int64_t begin : {3, 4}) {
      std::vector<float> items(70'010, 1.5f);
      items[50'000] = -3, items[70'000] = last;
      const device_array<float> in(items, 1);
      const device_array<exact::superaccumulator<float>> out(1);
      join_arguments arguments{};
      arguments.out = out.data();
      wf_test::launch_and_wait(&part_kernel, 1, 32, 0, in.data(), std::ssize(items),
                               wf::segment::segment_span{begin, 70'001}, arguments);
      wf_test::exact_sum expected;
      for (std::int64_t i = begin; i <= 70'000; ++i) expected.add(items[static_cast<std::size_t>(i)]);
      EXPECT_TRUE(expected.rounds_to(exact::rounded<double>(out.value()))) << begin;
    }
}

TEST(exact_team_sums, joins_parts_of_one_level) {
  expect_join({{5, 10, true}});
  expect_join({{5, 10, true}, {-7, 10, true}});
  expect_join({{-5, 10, true}, {-7, 10, true}, {(std::int64_t{1} << 62) + 3, 10, true}});
}
TEST(exact_team_sums, joins_more_than_64_bits) {
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 12'345;
  expect_join({{large, 10, true}, {large, 10, true}});
  expect_join({{-large, 10, true}, {-large, 10, true}, {-large, 10, true}});
  expect_join(std::vector<given_part>(8, {large, 3, true}));
}
TEST(exact_team_sums, joins_parts_of_several_levels_and_of_none) {
  expect_join({{5, 10, true}, {-7, 12, true}});
  expect_join({{5, 10, true}, {0, 10, false}, {-7, 10, true}});
  expect_join({{0, 10, false}, {5, 10, true}, {0, 10, false}, {-7, 30, true}});
}

}  // namespace exact_team_sums_tests
