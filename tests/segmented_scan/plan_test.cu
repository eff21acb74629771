// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and policies of segmented scans.
#include <gtest/gtest.h>
#include <warpfold/segmented_scan.cuh>

namespace segmented_scan = warpfold::segmented_scan;

namespace {

TEST(segmented_scan_plan, a_warp_a_tile) {
  const auto one = segmented_scan::plan_scan(1, 1024, 4);
  EXPECT_EQ(one.tiles, 1);
  EXPECT_EQ(one.blocks, 1);
  const auto many = segmented_scan::plan_scan(5 * 1024 + 1, 1024, 4);
  EXPECT_EQ(many.tiles, 6);
  EXPECT_EQ(many.block_tiles, 2);
  EXPECT_EQ(many.blocks, 2);
  EXPECT_EQ(segmented_scan::plan_scan(std::int64_t{1} << 33, 1024, 4, 7).blocks, 7);
  EXPECT_EQ(segmented_scan::plan_scan(1, 1024, 4, 7).blocks, 1);
}

TEST(segmented_scan_plan, few_items_make_small_tiles) {
  EXPECT_EQ(segmented_scan::tile_rows(1, 128, 8), 1);
  EXPECT_EQ(segmented_scan::tile_rows(1000 * 256 - 1, 128, 8), 1);
  EXPECT_EQ(segmented_scan::tile_rows(1000 * 256, 128, 8), 2);
  EXPECT_EQ(segmented_scan::tile_rows(2000 * 512 - 1, 128, 8), 2);
  EXPECT_EQ(segmented_scan::tile_rows(2000 * 512, 128, 8), 4);
  EXPECT_EQ(segmented_scan::tile_rows(2000 * 1024, 128, 8), 8);
  EXPECT_EQ(segmented_scan::tile_rows(std::int64_t{1} << 40, 128, 8), 8);
  EXPECT_EQ(segmented_scan::tile_rows(1, 128, 1), 1);
  EXPECT_EQ(segmented_scan::tile_rows(6 * 1024, 128, 8, 6), 8);  // few warps
  EXPECT_EQ(segmented_scan::tile_rows(6 * 1024 - 1, 128, 8, 6), 4);
  EXPECT_EQ(segmented_scan::tile_rows(1000 * 256 - 1, 128, 8, 100'000), 1);
}

TEST(segmented_scan_plan, lanes_take_two_vectors_of_a_row_but_beside_owners) {
  EXPECT_EQ(segmented_scan::scanned_chunk_items(4, 4, false), 8);
  EXPECT_EQ(segmented_scan::scanned_chunk_items(4, 4, true), 4);
  EXPECT_EQ(segmented_scan::scanned_chunk_items(2, 8, false), 4);
  EXPECT_EQ(segmented_scan::scanned_chunk_items(1, 16, false), 2);
  EXPECT_EQ(segmented_scan::scanned_chunk_items(1, 32, false), 1);
  EXPECT_EQ(segmented_scan::scanned_chunk_items(8, 2, false), 8);
  EXPECT_EQ(segmented_scan::scanned_chunk_items(16, 1, false), 16);
}

TEST(segmented_scan_plan, lanes_hold_128_bytes_or_32_items) {
  EXPECT_EQ(segmented_scan::kernel_policy_for(1, 16, 16).rows, 8);
  EXPECT_EQ(segmented_scan::kernel_policy_for(1, 1'024, 1'024).rows, 1);
  EXPECT_EQ(segmented_scan::kernel_policy_for(4, 16, 4).rows, 8);
  EXPECT_EQ(segmented_scan::kernel_policy_for(8, 16, 4).rows, 4);
  EXPECT_EQ(segmented_scan::kernel_policy_for(16, 16, 4).rows, 2);
}

// Shared memory of a block stays below what every launch may ask for.
template <int Items, std::size_t AccumulatorBytes> constexpr std::size_t shared_bytes() {
  struct accumulator {
    unsigned char bytes[AccumulatorBytes];
  };
  constexpr auto policy = segmented_scan::kernel_policy_for(Items, Items, AccumulatorBytes);
  return sizeof(segmented_scan::scan_storage<accumulator, policy.rows, Items, policy.warps, true>);
}

TEST(segmented_scan_plan, shared_memory_fits) {
  EXPECT_LE((shared_bytes<4, 4>()), 30u * 1024);
  EXPECT_LE((shared_bytes<8, 4>()), 32u * 1024);
  EXPECT_LE((shared_bytes<16, 4>()), 40u * 1024);
  EXPECT_LE((shared_bytes<2, 16>()), 26u * 1024);
  EXPECT_LE((shared_bytes<1, 64>()), 48u * 1024);
  EXPECT_LE((shared_bytes<4, 12>()), 48u * 1024);
  EXPECT_LE((shared_bytes<1, 1'024>()), 48u * 1024);
}

// Chunks of narrow items with wide accumulators are made smaller until they fit, and no others are.
template <std::size_t Bytes, int... Items> consteval bool all_chunks_fit(std::integer_sequence<int, Items...>) {
  struct accumulator {
    unsigned char bytes[Bytes];
  };
  return ((shared_bytes<segmented_scan::fitting_chunk_items<accumulator, 1 << Items, true>(), Bytes>() <=
           segmented_scan::most_shared_bytes) &&
          ...);
}
template <std::size_t... Before> consteval bool all_accumulators_fit(std::index_sequence<Before...>) {
  return (all_chunks_fit<Before + 1>(std::make_integer_sequence<int, 5>()) && ...);  // 1 to 16 items
}
static_assert(all_accumulators_fit(std::make_index_sequence<132>()));
static_assert(all_chunks_fit<512>(std::make_integer_sequence<int, 5>()));
static_assert(all_chunks_fit<1024>(std::make_integer_sequence<int, 5>()));
static_assert(segmented_scan::fitting_chunk_items<int, 16, true>() == 16);
static_assert(segmented_scan::fitting_chunk_items<long long, 16, true>() == 16);
static_assert(segmented_scan::fitting_chunk_items<warpfold::int128, 16, true>() == 8);

}  // namespace
