// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulators so wide that few of them fit shared memory. nvcc optimises this file little: it would take a quarter of an
// hour to unroll their copies.
#include <gtest/gtest.h>

#include "common/outputs.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"
#include "segmented_scan/expect_segment_prefixes.cuh"
#include "segmented_scan/expect_trees.cuh"

namespace wf = warpfold;
using wf_test::all_same_bits, wf_test::device_array, wf_test::expect_trees, wf_test::layout;
using wf_test::outputs::storing_output;

namespace {

// For wide accumulators there is room for few windows of tiles, which are used again.
TEST(segmented_scan_wide_accumulators, places_are_used_again) {
  using hash = wf_test::tree_hash<1'020, 4>;
  constexpr std::int64_t places = wf::segmented_scan::unit_ring<hash>::shape_type::tiles_without_rounds;
  static_assert(places <= 512);
  for (const int max_blocks : {5, 0}) {
    expect_trees<hash, 1, 1, false>({"places", {7, 32 * places + 11, 1, 0, 900, 32 * 70}}, max_blocks);
    if (wf_test::emulated) return;  // it takes seconds
  }
}

TEST(segmented_scan_wide_accumulators, trees_of_wide_accumulators) {
  const layout where("wide", {3, 2'000, 1, 0, 31, 500, 64, 64, 65});
  const auto expect = [&]<class H>(const H&) {
    const auto items = wf_test::hash_items<H>(where.items);
    const device_array<H> in(items), out(items);
    const device_array<int> offsets(where.offsets<int>());
    wf::segmented_inclusive_scan(in.items(), offsets.items(), out.data(), wf_test::hash_pair{});
    const auto expected =
        wf_test::canonical_segment_prefixes<false>(items, where, wf_test::hash_pair{}, items[0], items[0]);
    EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << sizeof(H);
  };
  expect(wf_test::tree_hash<12, 4>{});
  expect(wf_test::tree_hash<3>{});
  expect(wf_test::tree_hash<40, 8>{});
  expect(wf_test::tree_hash<100, 4>{});
  expect(wf_test::tree_hash<32, 32>{});
}

// An output iterator does not tell what it holds. A lane holds fewer items than it could load, because their
// accumulators would not fit shared memory.
TEST(segmented_scan_wide_accumulators, trees_of_bytes_as_wide_accumulators) {
  const layout where("wide", {3, 2'000, 1, 0, 31, 500, 64, 64, 65});
  const auto items = wf_test::random_items<std::int8_t>(where.items);
  const device_array<std::int8_t> in(items, 1);
  const device_array<int> offsets(where.offsets<int>());
  const auto expect = [&]<class H>(const H&) {
    std::vector<H> leaves;
    for (const std::int8_t item : items) leaves.push_back(wf_test::to_hash<H>{}(item));
    const device_array<H> out(leaves);
    wf::transform_segmented_inclusive_scan(in.items(), offsets.items(), storing_output<H>{out.data()},
                                           wf_test::hash_pair{}, wf_test::to_hash<H>{});
    const auto expected =
        wf_test::canonical_segment_prefixes<false>(leaves, where, wf_test::hash_pair{}, leaves[0], leaves[0]);
    EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << sizeof(H);
  };
  expect(wf_test::tree_hash<16, 8>{});
  expect(wf_test::tree_hash<80, 8>{});
}

}  // namespace
