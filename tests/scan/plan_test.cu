// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a scan.
#include <warpfold/scan/plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include <warpfold/scan/scratch.hpp>
#include <warpfold/scan_by_key.cuh>

#include "common/outputs.cuh"

namespace {

namespace scan = warpfold::scan;

constexpr scan::kernel_policy floats = scan::kernel_policy_for(16, scan::lane_load::sums, 16);
constexpr std::int64_t quick = scan::tile_items(floats.quick, 4), full = scan::tile_items(floats.full, 4);

TEST(scan_plan, tiles_cover_the_items) {
  for (std::int64_t items = 1; items < std::int64_t{1} << 40; items = items * 3 / 2 + 1)
    for (const int max_blocks : {0, 1, 7, 100'000}) {
      const auto plan = scan::plan_scan(132, items, 4, floats, max_blocks);
      const std::int64_t tile = plan.is_quick ? quick : full;
      EXPECT_GE(plan.tiles * tile, items);
      EXPECT_LT((plan.tiles - 1) * tile, items);
      EXPECT_GE(plan.blocks, 1);
      EXPECT_LE(plan.blocks, plan.tiles);
      if (max_blocks > 0) {
        EXPECT_LE(plan.blocks, max_blocks);
      } else if (plan.tiles <= scan::most_tiles) {
        EXPECT_EQ(plan.blocks, plan.tiles);
      }
      if (plan.is_quick) {
        EXPECT_EQ(plan.blocks, plan.tiles);
      }
      if (plan.blocks < std::min(plan.tiles, scan::most_tiles)) {
        EXPECT_TRUE(plan.low_occupancy);  // only these take tile after tile
      }
    }
}

TEST(scan_plan, small_inputs_take_quick_tiles) {
  EXPECT_TRUE(scan::plan_scan(132, 1, 4, floats).is_quick);
  EXPECT_TRUE(scan::plan_scan(132, floats.quick_tiles_per_multiprocessor * 132 * quick, 4, floats).is_quick);
  EXPECT_FALSE(scan::plan_scan(132, floats.quick_tiles_per_multiprocessor * 132 * quick + 1, 4, floats).is_quick);
}

TEST(scan_plan, what_one_block_can_scan_needs_no_other) {
  EXPECT_EQ(scan::plan_scan(132, quick, 4, floats).tiles, 1);
  EXPECT_EQ(scan::plan_scan(132, quick + 1, 4, floats).tiles, 1);
  EXPECT_EQ(scan::plan_scan(132, full, 4, floats).tiles, 1);
  EXPECT_GT(scan::plan_scan(132, full + 1, 4, floats).tiles, 2);  // quick ones
}

TEST(scan_plan, full_tiles_are_taken_where_only_they_are_one_group) {
  constexpr std::int64_t group = warpfold::warp_lanes;
  EXPECT_TRUE(scan::plan_scan(132, group * quick, 4, floats).is_quick);
  EXPECT_EQ(scan::plan_scan(132, group * full, 4, floats).tiles, group);
  EXPECT_TRUE(scan::plan_scan(132, group * full + 1, 4, floats).is_quick);
}

TEST(scan_plan, blocks_have_low_occupancy_while_there_are_few_tiles) {
  const std::int64_t few = floats.low_occupancy_tiles_per_multiprocessor * 132 * full;
  EXPECT_TRUE(scan::plan_scan(132, few, 4, floats).low_occupancy);
  EXPECT_FALSE(scan::plan_scan(132, few + 1, 4, floats).low_occupancy);
  constexpr scan::kernel_policy doubles = scan::kernel_policy_for(16, scan::lane_load::accumulators, 16);
  EXPECT_FALSE(scan::plan_scan(132, few / 2, 2, doubles).low_occupancy);  // its blocks have the registers anyway
}

TEST(scan_plan, large_inputs_are_staged_where_that_is_possible) {
  constexpr scan::kernel_policy policy = [] {
    auto with_stages = floats;
    with_stages.staged = scan::staged_policy_for(true);
    return with_stages;
  }();
  constexpr std::int64_t tile = scan::tile_items(policy.staged.shape, 4),
                         few = policy.staged.tiles_per_block * 132 * tile,
                         few_misaligned = policy.staged.misaligned_tiles_per_block * 132 * tile;
  const auto plan = [&](std::int64_t items, scan::staging how, int max_blocks = 0) {
    return scan::plan_scan(132, items, 4, policy, max_blocks, how);
  };
  EXPECT_FALSE(plan(few, scan::staging::aligned).is_staged);
  EXPECT_TRUE(plan(few + 1, scan::staging::aligned).is_staged);
  EXPECT_EQ(plan(few + 1, scan::staging::aligned).blocks, 132);
  EXPECT_EQ(plan(few + 1, scan::staging::aligned, 7).blocks, 7);
  EXPECT_EQ(plan(few + 1, scan::staging::aligned, 1000).blocks, 132);
  EXPECT_FALSE(plan(few_misaligned, scan::staging::misaligned).is_staged);
  EXPECT_TRUE(plan(few_misaligned + 1, scan::staging::misaligned).is_staged);
  EXPECT_FALSE(plan(few + 1, scan::staging::impossible).is_staged);
  EXPECT_FALSE(plan(tile, scan::staging::aligned, 1).is_staged);
  EXPECT_FALSE(scan::plan_scan(132, few + 1, 4, floats, 0, scan::staging::aligned).is_staged);  // has no stages
}

TEST(scan_plan, shapes_are_powers_of_two_and_hold_what_they_may) {
  for (const auto& policy : {scan::kernel_policy_for(4, scan::lane_load::accumulators, 4), floats,
                             scan::kernel_policy_for(64, scan::lane_load::packed, 64),
                             scan::kernel_policy_for(12, scan::lane_load::accumulators, 12),
                             scan::kernel_policy_for(200, scan::lane_load::accumulators, 200),
                             scan::kernel_policy_for(1024, scan::lane_load::accumulators, 1024)})
    for (const auto& shape : {policy.full, policy.quick}) {
      EXPECT_EQ(shape.rows & (shape.rows - 1), 0);
      EXPECT_EQ(shape.warps & (shape.warps - 1), 0);
      EXPECT_LE(shape.threads() * shape.blocks_per_multiprocessor, 2048);
    }
}

TEST(scan_plan, nodes_of_any_accumulator_fit) {
  for (std::size_t bytes = 1; bytes <= 1024; ++bytes) EXPECT_TRUE(scan::fits_control_words(bytes)) << bytes;
}

// ---- every tile fits the shared memory that a launch may ask for ------------------------------------------------
// Items of 1 to 256 bytes and accumulators up to 1 KB, into pointers and into iterators, which do not tell what they
// hold, with and without keys.
template <int Bytes, int Alignment = 1> struct sized { alignas(Alignment) unsigned char bytes[Bytes]; };
struct pick {
  template <class A> __host__ __device__ A operator()(const A& a, const A&) const { return a; }
};

template <class Leaves, class Op, class Out> consteval bool fits() {
  constexpr auto policy = scan::policy_of<Leaves, Op, Out>();
  constexpr scan::tile_shape f = policy.full, q = policy.quick;
  using full = scan::fixed_shape<f.rows, f.warps, f.blocks_per_multiprocessor>;
  using quick = scan::fixed_shape<q.rows, q.warps, q.blocks_per_multiprocessor>;
  return sizeof(scan::scan_storage<Leaves, Op, Out, full>) <= warpfold::host_side::plain_shared_bytes &&
         sizeof(scan::scan_storage<Leaves, Op, Out, quick>) <= warpfold::host_side::plain_shared_bytes;
}
template <class T, class A, class Op, class Out, class Key = void> consteval bool scan_fits() {
  using warpfold::thread::pointer_source, warpfold::thread::items_per_chunk;
  constexpr int most = warpfold::warp::chunk_items_of<T, Out>();
  if constexpr (std::is_void_v<Key>)
    return fits<warpfold::thread::leaves<pointer_source<T, most>, warpfold::thread::no_transform, A>, Op, Out>();
  else {
    constexpr int items = std::min(most, items_per_chunk(sizeof(Key)));
    using values = pointer_source<T, items>;
    using leaves = warpfold::thread::leaves<values, warpfold::thread::no_transform, A>;
    using source = scan::keyed_source<pointer_source<Key, items>, values>;
    return fits<scan::keyed_leaves<source, leaves, warpfold::equal_to>, scan::join_parts<Op>, Out>();
  }
}
template <class T, class A, class Op = pick, class Key = void> consteval bool fits_any_output() {
  return scan_fits<T, A, Op, A*, Key>() && scan_fits<T, A, Op, wf_test::outputs::discarding_output, Key>();
}
template <class Key, int Bytes, int... AccumulatorBytes>
inline constexpr bool sizes_fit = (fits_any_output<sized<Bytes>, sized<AccumulatorBytes>, pick, Key>() && ...);
template <class Key, int... AccumulatorBytes, int... Before>
consteval bool all_sizes_fit(std::integer_sequence<int, Before...>) {
  return (sizes_fit<Key, Before + 1, AccumulatorBytes...> && ...);
}
static_assert(all_sizes_fit<void, 8, 1024>(std::make_integer_sequence<int, 256>()));
static_assert(all_sizes_fit<void, 1, 2, 3, 4, 12, 16, 24, 32, 40, 64, 72, 128>(std::make_integer_sequence<int, 16>()));
static_assert(all_sizes_fit<char, 1, 4, 16, 40, 1024>(std::make_integer_sequence<int, 16>()));
static_assert(all_sizes_fit<std::int64_t, 1, 4, 16, 1024>(std::make_integer_sequence<int, 16>()));
static_assert(fits_any_output<sized<32, 32>, sized<32, 32>>() && fits_any_output<sized<128, 128>, sized<128, 128>>());

// Narrow numbers stay packed. Their results do not.
template <class Op, class Key, class... Ts> consteval bool numbers_fit() {
  return (fits_any_output<Ts, int, Op, Key>() && ...) && (fits_any_output<Ts, unsigned, Op, Key>() && ...) &&
         (fits_any_output<Ts, long long, Op, Key>() && ...) &&
         (fits_any_output<Ts, warpfold::int128, Op, Key>() && ...);
}
template <class Op, class Key> consteval bool all_numbers_fit() {
  return numbers_fit<Op, Key, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, std::int64_t>();
}
template <class Key, class... Ops> inline constexpr bool operators_fit = (all_numbers_fit<Ops, Key>() && ...);
static_assert(operators_fit<void, warpfold::plus, warpfold::multiplies, warpfold::maximum, warpfold::bit_or>);
static_assert(operators_fit<char, warpfold::plus, warpfold::maximum>);

}  // namespace
