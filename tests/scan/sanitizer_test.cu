// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small case of each path, to run under compute-sanitizer's tools: one tile, quick tiles, groups of tiles, bounded
// grids, whole and partial tiles, misaligned bases, in place.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "scan/expect_prefixes.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::scan_kind;

namespace {

template <class Interval> void expect_prefixes(const device_array<Interval>& out, std::int64_t before) {
  const auto found = out.to_host();
  for (std::int64_t i = 0; i < out.count(); ++i)
    ASSERT_EQ(found[static_cast<std::size_t>(i)], Interval::of(before, before + 1 + i)) << i;
}

TEST(scan_sanitizer, intervals) {
  for (const std::int64_t count : {1, 1000, 20'011})
    for (const int max_blocks : {0, 3}) {
      const device_array<interval<>> in(wf_test::interval_items(count)), out(std::vector<interval<>>(in.size()), 1);
      wf::inclusive_scan(in.items(), out.data(), join{}, {.init = interval<>::of(-1), .max_blocks = max_blocks});
      expect_prefixes(out, -1);
    }
}

TEST(scan_sanitizer, groups_of_tiles) {
  using wide = interval<std::int32_t, 40>;
  const device_array<wide> in(wf_test::interval_items<wide>(32 * 70 + 5)), out(in.count());
  for (const int max_blocks : {0, 5}) {
    wf_test::scan_in_tiles<scan_kind::exclusive, 1, 1>(in.items(), out.data(), join{},
                                                       {.init = wide::of(-1), .max_blocks = max_blocks});
    const auto found = out.to_host();
    for (std::int64_t i = 0; i < in.count(); ++i)
      ASSERT_EQ(found[static_cast<std::size_t>(i)], wide::of(-1, i - 1)) << i;
  }
}

TEST(scan_sanitizer, tiles_in_clusters_and_lists) {
  for (const std::int64_t count : {64 * 2, 64 * 8 - 3, 64 * 9, 64 * 70 + 5}) {
    const device_array<interval<>> in(wf_test::interval_items(count)), out(std::vector<interval<>>(in.size()), 1);
    wf_test::scan_in_tiles<scan_kind::inclusive, 1, 1, wf_test::tile_kernel::quick>(in.items(), out.data(), join{},
                                                                                    {.init = interval<>::of(-1)});
    expect_prefixes(out, -1);
  }
}

// Numbers: the race detector sees how they are loaded.
TEST(scan_sanitizer, integers_in_a_cluster) {
  const device_array<int> in(std::vector<int>(128 * 8 - 3, 1)), out(in.count());
  wf_test::scan_in_tiles<scan_kind::inclusive, 1, 1, wf_test::tile_kernel::quick>(in.items(), out.data(), wf::plus{});
  const auto found = out.to_host();
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<int>(i + 1)) << i;
}

TEST(scan_sanitizer, bytes_in_place) {
  for (const std::int64_t offset : {0, 1}) {
    const device_array<std::int8_t> both(std::vector<std::int8_t>(9'003, 1), offset);
    wf::inclusive_scan(both.items(), both.data());
    const auto found = both.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], static_cast<std::int8_t>(i + 1)) << i;
  }
}

}  // namespace
