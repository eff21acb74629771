// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix has the association of reduce over it, whatever the tiles: the operator is not associative on purpose.
#include <gtest/gtest.h>

#include "common/random_items.hpp"
#include "common/tree_hash.hpp"
#include "scan/expect_prefixes.cuh"

namespace wf = warpfold;
using wf_test::all_same_bits, wf_test::device_array, wf_test::scan_kind;

namespace {

template <class Hash, int Rows, int Warps>
void expect_trees(const std::vector<Hash>& items, const std::vector<Hash>& expected) {
  using wf_test::tile_kernel;
  const device_array<Hash> in(items, 1), out(std::vector<Hash>(items.size()));
  const auto expect = [&](const char* kernel) {
    EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << Rows << " rows, " << Warps << " warps, " << kernel;
  };
  for (const int max_blocks : {0, 3}) {
    wf_test::scan_in_tiles<scan_kind::inclusive, Rows, Warps>(in.items(), out.data(), wf_test::hash_pair{},
                                                              {.max_blocks = max_blocks});
    expect("full");
  }
  wf_test::scan_in_tiles<scan_kind::inclusive, Rows, Warps, tile_kernel::low_occupancy>(in.items(), out.data(),
                                                                                        wf_test::hash_pair{});
  expect("low occupancy");
  wf_test::scan_in_tiles<scan_kind::inclusive, Rows, Warps, tile_kernel::quick>(in.items(), out.data(),
                                                                                wf_test::hash_pair{});
  expect("quick");
}

TEST(scan_bits, trees_in_tiles_of_all_shapes) {
  using hash = wf_test::tree_hash<8, 8>;
  const auto items = wf_test::hash_items<hash>(40'013);
  const auto expected = wf_test::canonical_prefixes(items, wf_test::hash_pair{});
  expect_trees<hash, 1, 1>(items, expected);
  expect_trees<hash, 2, 4>(items, expected);
  expect_trees<hash, 4, 2>(items, expected);
}

TEST(scan_bits, each_length_alone) {
  using hash = wf_test::tree_hash<8, 8>;
  const auto items = wf_test::hash_items<hash>(400);
  const auto expected = wf_test::canonical_prefixes(items, wf_test::hash_pair{});
  const device_array<hash> in(items);
  for (std::size_t count = 1; count <= items.size(); ++count) {
    const device_array<hash> out(static_cast<std::int64_t>(count));
    wf_test::scan_in_tiles<scan_kind::inclusive, 1, 1, wf_test::tile_kernel::quick>(in.items().first(count), out.data(),
                                                                                    wf_test::hash_pair{});
    EXPECT_TRUE(
        all_same_bits(out.to_host(), {expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count)}));
  }
}

// Sizes that are no power of two, and that take several messages between blocks.
TEST(scan_bits, trees_of_wide_accumulators) {
  const auto expect = [](auto hash) {
    using H = decltype(hash);
    const auto items = wf_test::hash_items<H>(5'003);
    const device_array<H> in(items), out(std::vector<H>(items.size()));
    wf::inclusive_scan(in.items(), out.data(), wf_test::hash_pair{});
    EXPECT_TRUE(all_same_bits(out.to_host(), wf_test::canonical_prefixes(items, wf_test::hash_pair{}))) << sizeof(H);
  };
  expect(wf_test::tree_hash<3>{});
  expect(wf_test::tree_hash<14, 2>{});
  expect(wf_test::tree_hash<36, 4>{});
}

// init joins last, as in reduce.
TEST(scan_bits, init_joins_the_prefix) {
  using hash = wf_test::tree_hash<8, 8>;
  const auto items = wf_test::hash_items<hash>(5'001);
  const hash init = hash::of(-1);
  const device_array<hash> in(items), out(std::vector<hash>(items.size()));
  std::vector<hash> inclusive, exclusive{init};
  for (const hash& prefix : wf_test::canonical_prefixes(items, wf_test::hash_pair{}))
    inclusive.push_back(wf_test::hash_pair{}(init, prefix));
  exclusive.insert(exclusive.end(), inclusive.begin(), inclusive.end() - 1);
  wf::inclusive_scan(in.items(), out.data(), wf_test::hash_pair{}, {.init = init});
  EXPECT_TRUE(all_same_bits(out.to_host(), inclusive));
  wf::exclusive_scan(in.items(), out.data(), wf_test::hash_pair{}, {.init = init});
  EXPECT_TRUE(all_same_bits(out.to_host(), exclusive));
}

// Items for each plan: one quick tile, clusters of quick and middle tiles, lists of both, full tiles in blocks at low
// occupancy, and stages.
TEST(scan_bits, sums_of_each_plan) {
  constexpr auto policy =
      wf::scan::with_stages(wf::scan::kernel_policy_for(16, wf::scan::lane_load::sums, 16), true, 4);
  constexpr std::int64_t quick = wf::scan::tile_items(policy.quick, 4), middle = wf::scan::tile_items(policy.middle, 4);
  const std::int64_t multiprocessors = wf::host_side::limits_of(wf::host_side::current_device()).multiprocessors;
  for (const std::int64_t count :
       {quick - 3, quick + 1, 8 * quick - 5, 8 * quick + 1, 8 * middle + 1,
        policy.quick_tiles_per_multiprocessor * multiprocessors * quick + 1,
        policy.middle_tiles_per_multiprocessor * multiprocessors * middle + 1,
        policy.staged.tiles_per_block * multiprocessors * wf::scan::tile_items(policy.staged.shape, 4) + 1}) {
    const auto items = wf_test::random_items<float>(count);
    const device_array<float> in(items), out(std::vector<float>(items.size()));
    wf::inclusive_scan(in.items(), out.data());
    EXPECT_TRUE(all_same_bits(out.to_host(), wf_test::canonical_prefixes(items, wf::plus{}))) << count;
  }
}

// Tiles that look back over a list: all of it, accumulators of any width, under many schedules.
template <class Hash, int Rows, int Warps> void expect_in_list(std::int64_t count) {
  const auto items = wf_test::hash_items<Hash>(count);
  const auto expected = wf_test::canonical_prefixes(items, wf_test::hash_pair{});
  const device_array<Hash> in(items), out(std::vector<Hash>(items.size()));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const wf_test::schedule_seed schedule(seed);
    wf_test::scan_in_tiles<scan_kind::inclusive, Rows, Warps, wf_test::tile_kernel::quick>(in.items(), out.data(),
                                                                                           wf_test::hash_pair{});
    EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << count << " items of " << sizeof(Hash) << " bytes";
  }
}

TEST(scan_bits, trees_in_a_list) {
  constexpr int warps = 2, most = wf::grid::most_listed_tiles<wf_test::tree_hash<8, 8>>(warps), tile = warps * 32 * 2;
  static_assert(most == 256);
  expect_in_list<wf_test::tree_hash<8, 8>, 1, warps>(most * tile - 5);
  expect_in_list<wf_test::tree_hash<8, 8>, 1, warps>((most - 30) * tile);
  expect_in_list<wf_test::tree_hash<8, 8>, 2, 1>(100 * tile + 7);
  expect_in_list<wf_test::tree_hash<3>, 1, 1>(128 * 32 * 5 - 1);
  expect_in_list<wf_test::tree_hash<14, 2>, 1, 4>(100 * 4 * 32 + 3);
  expect_in_list<wf_test::tree_hash<36, 4>, 1, 2>(60 * 2 * 32 + 1);
}

// Any alignment of both bases, and nothing written beside the results.
template <class T, class Out, class Op> void expect_at_all_alignments(Op op) {
  const auto items = wf_test::random_items<T>(9'001);
  std::vector<Out> expected{Out(77)};
  for (const auto& prefix : wf_test::canonical_prefixes(items, op)) expected.push_back(static_cast<Out>(prefix));
  expected.push_back(Out(77));
  for (const std::int64_t in_offset : {0, 1, 3, 5})
    for (const std::int64_t out_offset : {0, 1, 2, 7}) {
      const device_array<T> in(items, in_offset);
      const device_array<Out> out(std::vector<Out>(items.size() + 2, Out(77)), out_offset + 15);
      wf::inclusive_scan(in.data(), in.count(), out.data() + 1, op, {.max_blocks = static_cast<int>(in_offset)});
      EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << in_offset << ", " << out_offset;
    }
}

TEST(scan_bits, floats_at_all_alignments) { expect_at_all_alignments<float, float>(wf::plus{}); }
TEST(scan_bits, doubles_at_all_alignments) { expect_at_all_alignments<double, double>(wf::plus{}); }
TEST(scan_bits, bytes_at_all_alignments) { expect_at_all_alignments<std::int8_t, std::int8_t>(wf::plus{}); }
TEST(scan_bits, bytes_into_integers_at_all_alignments) { expect_at_all_alignments<std::int8_t, int>(wf::plus{}); }
TEST(scan_bits, shorts_into_bytes_at_all_alignments) {
  expect_at_all_alignments<std::int16_t, std::int8_t>(wf::maximum{});
}

// In stages, any alignment of both bases, whole tiles and not, and nothing written beside the results.
template <class T, class Op> void expect_in_stages_at_all_alignments(Op op) {
  for (const std::int64_t count : {4'096, 9'001}) {
    const auto items = wf_test::random_items<T>(count);
    std::vector<T> expected{T(77)};
    for (const auto& prefix : wf_test::canonical_prefixes(items, op)) expected.push_back(prefix);
    expected.push_back(T(77));
    for (const std::int64_t in_offset : {0, 1, 2, 3})
      for (const std::int64_t out_offset : {0, 1, 2, 3}) {
        const device_array<T> in(items, in_offset);
        const device_array<T> out(std::vector<T>(items.size() + 2, T(77)), out_offset + 3);
        wf_test::scan_in_stages<wf_test::scan_kind::inclusive, 2, 2, 2, 1>(in.items(), out.data() + 1, op);
        EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << in_offset << ", " << out_offset;
      }
  }
}

TEST(scan_bits, floats_in_stages) { expect_in_stages_at_all_alignments<float>(wf::plus{}); }
TEST(scan_bits, doubles_in_stages) { expect_in_stages_at_all_alignments<double>(wf::plus{}); }
TEST(scan_bits, integers_in_stages) { expect_in_stages_at_all_alignments<int>(wf::plus{}); }
// Every association, init, and in place.
TEST(scan_bits, trees_in_stages) {
  using hash = wf_test::tree_hash<8, 8>;
  const auto items = wf_test::hash_items<hash>(9'001);
  const hash init = hash::of(-1);
  const device_array<hash> in(items);
  std::vector<hash> inclusive, exclusive{init};
  for (const hash& prefix : wf_test::canonical_prefixes(items, wf_test::hash_pair{}))
    inclusive.push_back(wf_test::hash_pair{}(init, prefix));
  exclusive.insert(exclusive.end(), inclusive.begin(), inclusive.end() - 1);
  const device_array<hash> out(std::vector<hash>(items.size()));
  wf_test::scan_in_stages<wf_test::scan_kind::exclusive, 4, 4, 3, 2>(in.items(), out.data(), wf_test::hash_pair{},
                                                                     {.init = init});
  EXPECT_TRUE(all_same_bits(out.to_host(), exclusive));
  wf_test::scan_in_stages<wf_test::scan_kind::inclusive, 8, 2, 2, 1>(in.items(), in.data(), wf_test::hash_pair{},
                                                                     {.init = init});
  EXPECT_TRUE(all_same_bits(in.to_host(), inclusive));
}

}  // namespace
