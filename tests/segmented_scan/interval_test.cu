// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix of every segment keeps the order, uses each item once and init once, and no item of another segment,
// wherever segments lie and however they are described.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "common/samples.hpp"
#include "reduce/ways.cuh"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::exact_join_after_init, wf_test::interval, wf_test::join_after_init,
    wf_test::layout, wf_test::way;

namespace {

constexpr std::int64_t many = wf_test::emulated ? 20'000 : 200'000, empties = wf_test::emulated ? 3'000 : 100'000;

interval<> before_all() { return interval<>::of(-1); }

class segmented_scan_interval : public testing::Test {
 protected:
  using items = device_array<interval<>>;

  /// scan(in, out, options) as `w` says; gaps keep what they hold.
  template <bool IsExclusive, class Scan> void expect_joined(const layout& where, const way& w, Scan scan) {
    const std::int64_t offset = turn_++ % 3;
    const items in(wf_test::interval_items(where.items), offset),
        out(std::vector<interval<>>(in.size(), untouched_), turn_ % 2);
    scan(in.items(), out.data(), asked_.options(w));
    const auto expected = wf_test::prefixes_of<IsExclusive>(
        where, untouched_, before_all(),
        [&](std::int64_t first, std::int64_t last) { return interval<>::of(w.has_init() ? -1 - first : first, last); });
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), expected)) << where << ", " << w;
  }
  /// Inclusive and, with init, exclusive scans by each description that fits.
  template <class Join = join_after_init> void expect_all_joined(const layout& where, const way& w) {
    const auto both = [&](auto... segments) {
      expect_joined<false>(where, w, [&](auto in, auto* out, const auto& options) {
        wf::segmented_inclusive_scan(in, segments..., out, Join{}, options);
      });
      if (w.has_init())
        expect_joined<true>(where, w, [&](auto in, auto* out, const auto& options) {
          wf::segmented_exclusive_scan(in, segments..., out, Join{}, options);
        });
    };
    const device_array<int> offsets(where.offsets<int>()), ids(where.owners<int>());
    both(offsets.items());
    both(wf::owners{ids.items()});
    const layout gaps = wf_test::with_gaps(where);
    const device_array<int> begins(wf_test::narrowed<int>(gaps.begins)), ends(wf_test::narrowed<int>(gaps.ends));
    const auto dense = wf::bounds{begins.items(), ends.items()};
    expect_joined<false>(gaps, w, [&](auto in, auto* out, const auto& options) {
      wf::segmented_inclusive_scan(in, dense, out, Join{}, options);
    });
    if (!w.has_init()) return;
    expect_joined<true>(gaps, w, [&](auto in, auto* out, const auto& options) {
      wf::segmented_exclusive_scan(in, dense, out, Join{}, options);
    });
  }

 private:
  const interval<> untouched_ = interval<>::of(-99, -77);
  wf_test::asked<interval<>> asked_{before_all(), interval<>::poison()};
  std::int64_t turn_ = 0;
};

TEST_F(segmented_scan_interval, every_distribution) {
  std::int64_t turn = 0, number = 0;
  for (const layout& where : wf_test::distributions(256, many, empties)) {
    if (!wf_test::in_sample(number++)) continue;
    const auto all = wf_test::ways(turn, {0, 3});
    expect_all_joined(where, all[static_cast<std::size_t>(turn) % all.size()]);
    if (turn % 3 == 0)
      expect_all_joined<exact_join_after_init>(where, all[static_cast<std::size_t>(turn) % all.size()]);
    ++turn;
  }
}

TEST_F(segmented_scan_interval, random_segments_under_random_schedules) {
  wf_test::random_source source(7);
  for (std::uint64_t seed = 1; seed <= (wf_test::emulated ? 25 : 20); ++seed) {
    const wf_test::schedule_seed schedule(seed);
    const layout where("random " + std::to_string(seed), wf_test::random_lengths(source, many / 2));
    const auto all = wf_test::ways(static_cast<std::int64_t>(seed), {0, 1, 7});
    expect_all_joined(where, all[seed % all.size()]);
    if (seed % 2 == 0) expect_all_joined<exact_join_after_init>(where, all[seed % all.size()]);
  }
}

TEST_F(segmented_scan_interval, fixed_lengths) {
  std::int64_t turn = 0;
  for (const std::int64_t length : {1, 2, 3, 7, 31, 32, 33, 100, 511, 512, 513, 1000, 1024, 5000}) {
    const layout where("all " + std::to_string(length),
                       wf_test::lengths(static_cast<std::size_t>(many / 4 / length + 1), length));
    const way w = wf_test::ways(turn)[static_cast<std::size_t>(turn) % 9];
    ++turn;
    expect_joined<false>(where, w, [&](auto in, auto* out, const auto& options) {
      wf::segmented_inclusive_scan(in, wf::fixed_length{length}, out, join_after_init{}, options);
    });
    if (!w.has_init()) continue;
    expect_joined<true>(where, w, [&](auto in, auto* out, const auto& options) {
      wf::segmented_exclusive_scan(in, wf::fixed_length{length}, out, join_after_init{}, options);
    });
  }
}

// More empty segments in a tile than its warp reads one by one, between some that have items.
TEST_F(segmented_scan_interval, many_empties_among_others) {
  wf_test::lengths among, before_long;
  for (int s = 0; s < 4'000; ++s) {
    among.push_back(s % 171 == 0 ? 1 + s % 3 : 0);
    before_long.push_back(s == 3'000 ? 5'000 : s % 200 == 7);
  }
  for (const auto& some : {among, before_long}) {
    const layout where("many empties", some), gaps = wf_test::with_gaps(where);
    const device_array<int> offsets(where.offsets<int>());
    expect_joined<false>(where, {.max_blocks = 3}, [&](auto in, auto* out, const auto& options) {
      wf_test::scan_in_small_tiles<false, 2, 2>(in, wf_test::listed<256>(offsets), out, join_after_init{}, options);
    });
    const device_array<int> begins(wf_test::narrowed<int>(gaps.begins)), ends(wf_test::narrowed<int>(gaps.ends));
    expect_joined<false>(gaps, {.max_blocks = 3}, [&](auto in, auto* out, const auto& options) {
      wf_test::scan_in_small_tiles<false, 2, 2>(in, wf_test::listed<256>(begins, ends), out, join_after_init{},
                                                options);
    });
  }
}

// Nothing of a gap is touched, nor what lies before the first and behind the last segment.
TEST_F(segmented_scan_interval, offsets_that_leave_items_out) {
  layout where("left out", {40, 0, 3'000, 1}, {700, 0, 0, 0});
  where.items += 900;
  std::vector<int> offsets{700};
  for (const std::int64_t end : where.ends) offsets.push_back(static_cast<int>(end));
  const device_array<int> on_device(offsets);
  expect_joined<false>(where, {}, [&](auto in, auto* out, const auto& options) {
    wf::segmented_inclusive_scan(in, on_device.items(), out, join_after_init{}, options);
  });
  layout far("far apart", {5, 0, 2'000, 0, 0, 1, 600}, {3'000, 5'000, 1'999, 4'000, 2'500, 700, 6'000});
  far.items += 3'000;
  const device_array<int> begins(wf_test::narrowed<int>(far.begins)), ends(wf_test::narrowed<int>(far.ends));
  expect_joined<false>(far, {}, [&](auto in, auto* out, const auto& options) {
    wf::segmented_inclusive_scan(in, wf::bounds{begins.items(), ends.items()}, out, join_after_init{}, options);
  });
}

}  // namespace
