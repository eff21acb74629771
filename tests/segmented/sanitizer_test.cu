// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small case of each path, to run under compute-sanitizer's tools: short and long segments, units that warps of
// several blocks hand over, empties, misaligned bytes.
#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <warpfold/statistics.hpp>

#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/samples.hpp"
#include "kernels.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;
using interval = wf_test::interval<>;

namespace {

const std::vector<layout>& layouts() {
  static const std::vector<layout> all{{"short", {1, 0, 3, 31, 200, 7, 64, 1}},
                                       {"empty", wf_test::lengths(1000, 0)},
                                       {"long", {5000, 3, 0, 9001, 400}},
                                       {"mixed", wf_test::power_law(120, 3000)}};
  return all;
}

/// The expected results of reduce(out): the items of each segment, joined.
template <class Reduce> void expect_each(const layout& where, Reduce reduce) {
  const device_array<interval> out(where.segments());
  reduce(std::span(out.data(), out.size()));
  for (std::int64_t s = 0; s < where.segments(); ++s) {
    const auto begin = where.begins[static_cast<std::size_t>(s)], end = where.ends[static_cast<std::size_t>(s)];
    ASSERT_EQ(out.value(s), begin == end ? interval::of(-5) : interval::of(begin, end - 1))
        << where << ", segment " << s;
  }
}

template <class Call> void expect_joined(Call call, const layout& another = {"nothing", {}}) {
  auto all = layouts();
  all.push_back(another);
  for (const layout& where : all)
    for (const int max_blocks : {1, 3}) {
      const device_array<interval> in(wf_test::interval_items(where.items), 1);
      expect_each(where, [&](auto out) {
        call(in.items(), where, out,
             wf::segmented_options<interval>{.empty = interval::of(-5), .max_blocks = max_blocks});
      });
    }
}

TEST(segmented_reduce_sanitizer, offsets) {
  expect_joined([](auto in, const layout& where, auto out, const auto& options) {
    const device_array<int> offsets(where.offsets<int>(), 1);
    wf::segmented_reduce(in, offsets.items(), out, wf_test::join{}, options);
  });
}

TEST(segmented_reduce_sanitizer, owners) {
  expect_joined([](auto in, const layout& where, auto out, const auto& options) {
    const device_array<int> ids(where.owners<int>(), 1);
    wf::segmented_reduce(in, wf::owners{ids.items()}, out, wf_test::join{}, options);
  });
}

// With items of 4 bytes, a warp folds the units of the segment before its first one at once, not at the end.
TEST(segmented_reduce_sanitizer, items_of_4_bytes) {
  for (const layout& where : layouts()) {
    std::vector<int> places(static_cast<std::size_t>(where.items));
    std::iota(places.begin(), places.end(), 0);
    const device_array<int> in(places, 1), offsets(where.offsets<int>(), 1), ids(where.owners<int>(), 1);
    for (const int max_blocks : {1, 3}) {
      const wf::segmented_options<interval> options{.empty = interval::of(-5), .max_blocks = max_blocks};
      const auto expect_joined_by = [&](const auto& segments) {
        expect_each(where, [&](auto out) {
          wf::transform_segmented_reduce(in.items(), segments, out, wf_test::join{}, wf_test::to_interval<interval>{},
                                         options);
        });
      };
      expect_joined_by(offsets.items());
      expect_joined_by(wf::owners{ids.items()});
    }
  }
}

// The race detector sees loads of numbers, and none of structs that are passed by value. Many segments of a few items
// wait in queues, and many tiny ones fill tiles.
TEST(segmented_reduce_sanitizer, sums_of_numbers) {
  auto all = layouts();
  all.emplace_back("few", wf_test::lengths(600, 20));
  all.emplace_back("tiny", wf_test::lengths(1500, 3));
  for (const layout& where : all) {
    std::vector<int> lengths;
    for (std::size_t s = 0; s < where.begins.size(); ++s)
      lengths.push_back(static_cast<int>(where.ends[s] - where.begins[s]));
    const device_array<int> in(std::vector<int>(static_cast<std::size_t>(where.items), 1), 1);
    const device_array<int> offsets(where.offsets<int>()), ids(where.owners<int>()), out(where.segments());
    const std::span outputs(out.data(), out.size());
    const wf::segmented_options<int> options{.max_blocks = 1};
    wf::segmented_reduce(in.items(), offsets.items(), outputs, wf::plus{}, options);
    EXPECT_EQ(out.to_host(), lengths) << where;
    wf::segmented_reduce(in.items(), wf::owners{ids.items()}, outputs, wf::plus{}, options);
    EXPECT_EQ(out.to_host(), lengths) << where << " by owners";
    wf_test::per_warp_team::reduce(in.items(), offsets.items(), outputs, wf::plus{}, options);
    EXPECT_EQ(out.to_host(), lengths) << where << " by teams";
  }
}

// Enough steps for a stage to be used again.
TEST(segmented_reduce_sanitizer, staged) {
  if (!wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  expect_joined(
      [](auto in, const layout& where, auto out, const auto& options) {
        const device_array<int> offsets(where.offsets<int>(), 1);
        wf_test::staged::reduce(in, offsets.items(), out, wf_test::join{}, options);
      },
      {"staged", wf_test::power_law(4000, 300)});
  expect_joined(
      [](auto in, const layout& where, auto out, const auto& options) {
        const device_array<int> ids(where.owners<int>(), 1);
        wf_test::staged::reduce(in, wf::owners{ids.items()}, out, wf_test::join{}, options);
      },
      {"tiny", wf_test::lengths(1500, 1)});
}

// By teams of all sizes, and units of segments that are too long for these, joined by several blocks.
TEST(segmented_reduce_sanitizer, per_warp_team) {
  for (int again = 0; again < wf_test::share_of(2); ++again)
    expect_joined(
        [](auto in, const layout& where, auto out, const auto& options) {
          const device_array<int> offsets(where.offsets<int>(), 1);
          wf_test::per_warp_team::reduce(in, offsets.items(), out, wf_test::join{}, options);
        },
        {"one of all", {30'000}});
}

TEST(segmented_reduce_sanitizer, misaligned_bytes_of_fixed_length) {
  for (const std::int64_t length : {1, 7, 50, 3000})
    for (const int offset : {0, 1, 15}) {
      const device_array<std::int8_t> in(std::vector<std::int8_t>(static_cast<std::size_t>(7 * length), 1), offset);
      const device_array<int> out(7);
      wf::segmented_reduce(in.items(), wf::fixed_length{length}, std::span(out.data(), out.size()), wf::plus{},
                           {.max_blocks = 2});
      EXPECT_EQ(out.to_host(), std::vector<int>(7, static_cast<int>(length))) << offset << " off";
    }
}

// Segments that are short to one packing are longer than a unit: no other warp folds them, too.
TEST(segmented_reduce_sanitizer, short_segments_across_ranges) {
  wf_test::lengths lengths;
  for (int again = 0; again < 40; ++again)
    for (const int length : {900, 3, 70, 0, 41, 600, 12, 5, 9, 1, 30, 2, 17, 8, 4, 6}) lengths.push_back(length);
  const layout where("longer than a unit", lengths);
  const device_array<float> in(wf_test::random_items<float>(where.items, 3), 1);
  const device_array<int> offsets(where.offsets<int>(), 1), ids(where.owners<int>(), 1);
  const device_array<wf::moments_of<2>> out(where.segments());
  const auto expect_counts = [&](const auto& segments, int max_blocks) {
    wf::segmented_reduce(in.items(), segments, std::span(out.data(), out.size()), wf::moments<>{},
                         {.max_blocks = max_blocks});
    for (std::int64_t s = 0; s < where.segments(); ++s) ASSERT_EQ(out.value(s).count, where.length(s)) << s;
  };
  for (const int max_blocks : {1, 3}) {
    expect_counts(offsets.items(), max_blocks);
    expect_counts(wf::owners{ids.items()}, max_blocks);
  }
}

}  // namespace
