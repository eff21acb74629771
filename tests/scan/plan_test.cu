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
constexpr scan::kernel_policy staged = scan::with_stages(floats, true, 4);
constexpr std::int64_t quick = scan::tile_items(floats.quick, 4), full = scan::tile_items(floats.full, 4),
                       middle = scan::tile_items(staged.middle, 4);
constexpr int listed = 1024;

scan::scan_plan plan_floats(std::int64_t items, int max_blocks = 0, int cluster_blocks = 8) {
  return scan::plan_scan({132, listed, cluster_blocks, max_blocks}, items, 4, floats);
}
scan::scan_plan plan_staged(std::int64_t items, scan::staging stages, int max_blocks = 0) {
  return scan::plan_scan({132, listed, 8, max_blocks, stages}, items, 4, staged);
}
std::int64_t items_of_tile(scan::scan_tiles shape) {
  switch (shape) {
    case scan::scan_tiles::quick: return quick;
    case scan::scan_tiles::middle: return middle;
    case scan::scan_tiles::staged: return scan::tile_items(staged.staged.shape, 4);
    default: return full;
  }
}

TEST(scan_plan, tiles_cover_the_items) {
  for (std::int64_t items = 1; items < std::int64_t{1} << 40; items = items * 3 / 2 + 1)
    for (const int max_blocks : {0, 1, 7, 100'000})
      for (const scan::scan_plan& plan : {plan_floats(items, max_blocks), plan_floats(items, max_blocks, 1),
                                          plan_staged(items, scan::staging::impossible, max_blocks),
                                          plan_staged(items, scan::staging::aligned, max_blocks)}) {
        const std::int64_t tile = items_of_tile(plan.shape);
        EXPECT_GE(plan.tiles * tile, items);
        EXPECT_LT((plan.tiles - 1) * tile, items);
        EXPECT_GE(plan.blocks, 1);
        if (max_blocks > 0) {
          EXPECT_LE(plan.blocks, max_blocks);
        }
        const bool has_all_blocks = plan.blocks == std::min(plan.tiles, scan::most_tiles);
        if (plan.in_cluster) {
          EXPECT_GE(plan.blocks, plan.tiles);
          EXPECT_LE(plan.blocks, 8);
        } else if (plan.shape == scan::scan_tiles::quick || plan.shape == scan::scan_tiles::middle) {
          EXPECT_TRUE(has_all_blocks);
          EXPECT_LE(plan.tiles, listed);
        } else if (!has_all_blocks) {
          EXPECT_NE(plan.shape, scan::scan_tiles::full);  // only others take tile after tile
        }
      }
}

TEST(scan_plan, small_inputs_take_quick_tiles) {
  constexpr std::int64_t most = floats.quick_tiles_per_multiprocessor * 132 * quick;
  EXPECT_EQ(plan_floats(1).shape, scan::scan_tiles::quick);
  EXPECT_EQ(plan_floats(most).shape, scan::scan_tiles::quick);
  EXPECT_NE(plan_floats(most + 1).shape, scan::scan_tiles::quick);
  EXPECT_NE(scan::plan_scan({132, 100}, 101 * quick, 4, floats).shape, scan::scan_tiles::quick);  // the list is full
}

TEST(scan_plan, middle_tiles_follow_quick_ones) {
  constexpr std::int64_t most_quick = staged.quick_tiles_per_multiprocessor * 132 * quick,
                         most_middle = staged.middle_tiles_per_multiprocessor * 132 * middle;
  const auto shape_of = [](std::int64_t items) { return plan_staged(items, scan::staging::impossible).shape; };
  EXPECT_EQ(shape_of(most_quick), scan::scan_tiles::quick);
  EXPECT_EQ(shape_of(most_quick + 1), scan::scan_tiles::middle);
  EXPECT_EQ(shape_of(most_middle), scan::scan_tiles::middle);
  EXPECT_EQ(shape_of(most_middle + 1), scan::scan_tiles::low_occupancy);
  const auto of_user_operator = [](std::int64_t items) {
    return scan::plan_scan({132, listed, 8}, items, 4, scan::with_middle(floats, 2, 4, 3, 4));
  };
  EXPECT_FALSE(of_user_operator(8 * quick + 1).in_cluster);  // quick tiles are faster than a cluster of middle ones
  EXPECT_EQ(of_user_operator(8 * quick + 1).shape, scan::scan_tiles::quick);
  EXPECT_EQ(of_user_operator(3 * 132 * quick + 1).shape, scan::scan_tiles::middle);
  EXPECT_EQ(of_user_operator(4 * 132 * middle + 1).shape, scan::scan_tiles::low_occupancy);
  EXPECT_EQ(of_user_operator(8 * 132 * full + 1).shape, scan::scan_tiles::full);
}

TEST(scan_plan, tiles_that_fit_a_cluster_are_one) {
  for (const int tiles : {2, 3, 8}) {
    EXPECT_TRUE(plan_floats(tiles * quick).in_cluster);
    EXPECT_FALSE(plan_floats(tiles * quick, 0, 1).in_cluster);  // there are no clusters
    EXPECT_FALSE(plan_floats(tiles * quick, tiles - 1).in_cluster);
  }
  EXPECT_EQ(plan_floats(3 * quick).blocks, 4);
  EXPECT_FALSE(plan_floats(3 * quick, 3).in_cluster);
  EXPECT_FALSE(plan_floats(8 * quick + 1).in_cluster);
  const auto plan = plan_staged(8 * quick + 1, scan::staging::impossible);
  EXPECT_TRUE(plan.in_cluster);
  EXPECT_EQ(plan.shape, scan::scan_tiles::middle);
}

TEST(scan_plan, what_one_block_can_scan_needs_no_other) {
  EXPECT_EQ(plan_floats(quick).tiles, 1);
  EXPECT_EQ(plan_floats(quick + 1, 0, 1).tiles, 1);
  EXPECT_EQ(plan_floats(full, 0, 1).tiles, 1);
  EXPECT_GT(plan_floats(full + 1, 0, 1).tiles, 2);  // quick ones
}

TEST(scan_plan, blocks_have_low_occupancy_while_there_are_few_tiles) {
  const std::int64_t few = floats.low_occupancy_tiles_per_multiprocessor * 132 * full;
  EXPECT_EQ(plan_floats(few).shape, scan::scan_tiles::low_occupancy);
  EXPECT_EQ(plan_floats(few + 1).shape, scan::scan_tiles::full);
  EXPECT_EQ(plan_floats(few + 1, 1000).shape, scan::scan_tiles::low_occupancy);
  constexpr scan::kernel_policy doubles = scan::kernel_policy_for(16, scan::lane_load::accumulators, 16);
  EXPECT_EQ(scan::plan_scan({132, listed}, few / 2, 2, doubles).shape,
            scan::scan_tiles::full);  // its blocks have the registers anyway
}

TEST(scan_plan, large_inputs_are_staged_where_that_is_possible) {
  constexpr std::int64_t tile = scan::tile_items(staged.staged.shape, 4),
                         few = staged.staged.tiles_per_block * 132 * tile,
                         few_misaligned = staged.staged.misaligned_tiles_per_block * 132 * tile;
  const auto is_staged = [](const scan::scan_plan& plan) { return plan.shape == scan::scan_tiles::staged; };
  EXPECT_FALSE(is_staged(plan_staged(few, scan::staging::aligned)));
  EXPECT_TRUE(is_staged(plan_staged(few + 1, scan::staging::aligned)));
  EXPECT_EQ(plan_staged(few + 1, scan::staging::aligned).blocks, 132);
  EXPECT_EQ(plan_staged(few + 1, scan::staging::aligned, 7).blocks, 7);
  EXPECT_EQ(plan_staged(few + 1, scan::staging::aligned, 1000).blocks, 132);
  EXPECT_FALSE(is_staged(plan_staged(few_misaligned, scan::staging::misaligned)));
  EXPECT_TRUE(is_staged(plan_staged(few_misaligned + 1, scan::staging::misaligned)));
  EXPECT_FALSE(is_staged(plan_staged(few + 1, scan::staging::impossible)));
  EXPECT_FALSE(is_staged(plan_staged(tile, scan::staging::aligned, 1)));
  EXPECT_FALSE(is_staged(scan::plan_scan({132, listed, 8, 0, scan::staging::aligned}, few + 1, 4, floats)));
}

TEST(scan_plan, shapes_are_powers_of_two_and_hold_what_they_may) {
  for (const auto& policy : {scan::kernel_policy_for(4, scan::lane_load::accumulators, 4), floats, staged,
                             scan::kernel_policy_for(64, scan::lane_load::packed, 64),
                             scan::kernel_policy_for(12, scan::lane_load::accumulators, 12),
                             scan::kernel_policy_for(200, scan::lane_load::accumulators, 200),
                             scan::kernel_policy_for(1024, scan::lane_load::accumulators, 1024)})
    for (const auto& shape : {policy.full, policy.quick, policy.has_middle() ? policy.middle : policy.quick}) {
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
  constexpr scan::tile_shape f = policy.full, q = policy.has_middle() ? policy.middle : policy.quick;
  using full = scan::fixed_shape<f.rows, f.warps, f.blocks_per_multiprocessor>;
  using quick = scan::fixed_shape<q.rows, q.warps, q.blocks_per_multiprocessor>;
  return sizeof(scan::scan_storage<Leaves, Op, Out, full>) <= warpfold::host_side::plain_shared_bytes &&
         sizeof(scan::quick_storage<Leaves, Op, Out, quick>) <= warpfold::host_side::plain_shared_bytes;
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
