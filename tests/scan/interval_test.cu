// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix keeps the order, uses each item once and init once, at every size and however it is asked.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "common/samples.hpp"
#include "reduce/ways.cuh"
#include "scan/expect_prefixes.cuh"

namespace wf = warpfold;
using wf_test::exact_join, wf_test::interval, wf_test::join, wf_test::way;

namespace {

using device_intervals = wf_test::device_array<interval<>>;

/// The results of an inclusive scan, or, one place later, of an exclusive one.
std::vector<interval<>> prefixes(std::int64_t count, std::int64_t first, std::int64_t last) {
  std::vector<interval<>> expected;
  for (std::int64_t i = 0; i < count; ++i) expected.push_back(interval<>::of(first, last + i));
  return expected;
}

class scan_interval : public testing::Test {
 protected:
  template <class Join = join> void expect_joined(std::int64_t count, const way& w) {
    const device_intervals in(wf_test::interval_items(count)), out(std::vector<interval<>>(in.size(), poison_));
    wf::inclusive_scan(in.items(), out.data(), Join{}, asked_.options(w));
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, w.has_init() ? -1 : 0, 0))) << w;
    if (!w.has_init()) return;
    wf::exclusive_scan(in.items(), out.data(), Join{}, asked_.options(w));
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, -1, -1))) << w;
  }

 private:
  const interval<> poison_ = interval<>::poison();
  wf_test::asked<interval<>> asked_{interval<>::of(-1), interval<>::poison()};
};

TEST_F(scan_interval, every_border_and_way) {
  std::int64_t turn = 0, number = 0;
  for (const std::int64_t size : wf_test::border_sizes<interval<>>(wf_test::emulated ? 1 << 14 : 1 << 19))
    for (const way& w : wf_test::ways(turn++))
      if (wf_test::in_sample(number++)) expect_joined(size, w);
}

TEST_F(scan_interval, every_small_size) {
  for (std::int64_t size = 1; size <= 200; ++size) {
    expect_joined(size, {wf_test::init_from::value});
    expect_joined<exact_join>(size, {wf_test::init_from::value});
  }
}

TEST_F(scan_interval, every_border_of_an_exact_operator) {
  std::int64_t turn = 0;
  for (const std::int64_t size : wf_test::border_sizes<interval<>>(wf_test::emulated ? 1 << 14 : 1 << 19)) {
    const auto all = wf_test::ways(turn);
    if (wf_test::in_sample(turn)) expect_joined<exact_join>(size, all[static_cast<std::size_t>(turn) % all.size()]);
    ++turn;
  }
}

TEST_F(scan_interval, under_many_schedules) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const wf_test::schedule_seed schedule(seed);
    for (const int max_blocks : {0, 1, 2, 5, 33}) expect_joined(20'011, {wf_test::init_from::value, {}, max_blocks});
  }
}

// Tiles of 64 items: all levels of groups, and groups that use the places of earlier ones.
TEST(scan_interval_tiles, groups_of_groups_under_many_schedules) {
  for (const std::int64_t count : {64 * 33, 64 * 1024, 64 * 1057 + 5})
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const wf_test::schedule_seed schedule(seed);
      const device_intervals in(wf_test::interval_items(count)), out(std::vector<interval<>>(in.size()));
      wf_test::scan_in_tiles<wf_test::scan_kind::inclusive, 1, 1>(in.items(), out.data(), join{},
                                                                  {.max_blocks = seed == 2 ? 7 : 0});
      EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, 0, 0))) << seed;
    }
}

// Clusters of up to 8 tiles of 64 or 128 items, and lists of more.
TEST(scan_interval_tiles, clusters_and_lists_under_many_schedules) {
  for (const std::int64_t count : {65, 64 * 5, 64 * 8, 128 * 8 - 1, 64 * 9, 64 * 33 - 1, 64 * 128, 128 * 200 + 3})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const wf_test::schedule_seed schedule(seed);
      const device_intervals in(wf_test::interval_items(count)), out(std::vector<interval<>>(in.size()));
      using enum wf_test::tile_kernel;
      wf_test::scan_in_tiles<wf_test::scan_kind::inclusive, 1, 1, quick>(in.items(), out.data(), join{});
      EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, 0, 0))) << seed;
      wf_test::scan_in_tiles<wf_test::scan_kind::exclusive, 1, 2, quick>(in.items(), out.data(), join{},
                                                                         {.init = interval<>::of(-1)});
      EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, -1, -1))) << seed;
      wf_test::scan_in_tiles<wf_test::scan_kind::inclusive, 1, 2, quick>(in.items(), out.data(), exact_join{});
      EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, 0, 0))) << seed;
    }
}

// For wide accumulators there is room for few groups of tiles. A tile has 32 items, or 64 on a GPU.
TEST(scan_interval_tiles, places_are_used_again) {
  using item = std::conditional_t<wf_test::emulated, interval<std::int32_t, 600>, interval<>>;
  constexpr std::int64_t places = wf::scan::tile_ring<item>::shape_type::tiles_without_rounds;
  constexpr std::int64_t tiles = (wf_test::emulated ? 1 : 2) * places + 40,
                         count = tiles * (wf_test::emulated ? 32 : 64) - 3;
  static_assert(!wf_test::emulated || places == 1024);
  const wf_test::device_array<item> in(wf_test::interval_items<item>(count)), out(count);
  wf_test::scan_in_tiles<wf_test::scan_kind::inclusive, 1, 1>(in.items(), out.data(), join{});
  const auto found = out.to_host();
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], item::of(0, i));
}

// Tiles of 256 items in stages. Neighbours share vectors at odd offsets, in place, too.
TEST(scan_interval_stages, all_sizes_and_alignments_under_many_schedules) {
  std::uint64_t seed = 0;
  for (const std::int64_t count : {257, 511, 512, 1'025, 2'049 + 63, 9'000})
    for (const std::int64_t offset : {0, 1})
      for (const int max_blocks : {0, 1, 2}) {
        const wf_test::schedule_seed schedule(++seed);
        const device_intervals in(wf_test::interval_items(count), offset);
        const device_intervals out(std::vector<interval<>>(static_cast<std::size_t>(count)), offset ^ (seed & 1));
        wf_test::scan_in_stages<wf_test::scan_kind::inclusive, 2, 2, 2, 1>(in.items(), out.data(), join{},
                                                                           {.max_blocks = max_blocks});
        EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, 0, 0))) << count << ", " << offset;
        wf_test::scan_in_stages<wf_test::scan_kind::exclusive, 2, 2, 2, 1>(
            in.items(), out.data(), exact_join{}, {.init = interval<>::of(-1), .max_blocks = max_blocks});
        EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, -1, -1))) << count << ", " << offset;
        wf_test::scan_in_stages<wf_test::scan_kind::exclusive, 2, 2, 3, 2>(
            in.items(), in.data(), join{}, {.init = interval<>::of(-1), .max_blocks = max_blocks});
        EXPECT_TRUE(wf_test::all_same_bits(in.to_host(), prefixes(count, -1, -1))) << count << ", " << offset;
      }
}

TEST(scan_interval_stages, groups_of_groups_under_many_schedules) {
  for (const std::int64_t count : {128 * 33, 128 * 1057 + 5})
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const wf_test::schedule_seed schedule(seed);
      const device_intervals in(wf_test::interval_items(count), 1), out(std::vector<interval<>>(in.size()));
      wf_test::scan_in_stages<wf_test::scan_kind::inclusive, 1, 2, 3, 2>(in.items(), out.data(), join{});
      EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(count, 0, 0))) << seed;
    }
}

}  // namespace
