// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interval monoid through every form and distribution of lengths: it shows any leak between segments, loss,
// duplicate or reorder.
#include <gtest/gtest.h>
#include <algorithm>

#include "common/interval.hpp"
#include "segmented/ways.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::segmented_way;
using interval = wf_test::interval<>;

namespace {

constexpr std::int64_t batch = 256;  // of 8-byte items and accumulators: 4 rows of 32 lanes with 2 items
constexpr std::int64_t many = wf_test::emulated ? 18'000 : 200'000, empties = wf_test::emulated ? 5'000 : 100'000;

const std::vector<layout>& layouts() {
  static const auto all = wf_test::distributions(batch, many, empties);
  return all;
}

/// Each item is its place in its segment, so that an init of [-1, -1] fits all segments, and items outside them are
/// poison; or its place in the input, so that no item of one segment fits another.
std::vector<interval> items_of(const layout& where, bool from_segment) {
  std::vector<interval> items(static_cast<std::size_t>(where.items), interval::poison());
  for (std::size_t s = 0; s < where.begins.size(); ++s)
    for (std::int64_t i = where.begins[s]; i < where.ends[s]; ++i)
      items[static_cast<std::size_t>(i)] = interval::of(i - (from_segment ? where.begins[s] : 0));
  return items;
}

std::vector<interval> joined(const layout& where, bool from_segment) {
  std::vector<interval> result;
  for (std::size_t s = 0; s < where.begins.size(); ++s) {
    const std::int64_t first = from_segment ? 0 : where.begins[s];
    result.push_back(interval::of(first, first + where.ends[s] - where.begins[s] - 1));
  }
  return result;
}

/// An item of the reduction's input.
struct as_it_is {
  interval operator()(const interval& item) const { return item; }
};
/// In 4 bytes: its place, which a transform makes an interval of again.
struct as_place {
  std::int32_t operator()(const interval& item) const { return item.first; }
};

/// call(items, way's offset, out, options) reduces as one form does. Ways take turns.
template <class Given = as_it_is, class Call> void expect_joined(const layout& where, std::int64_t turn, Call call) {
  const auto init = interval::of(-1), empty = interval::of(-9, -7);
  for (int i = 0; i < 2; ++i) {
    const segmented_way way = wf_test::way_of(2 * turn + i);
    const bool from_segment = way.init != wf_test::from::nothing;
    std::vector<decltype(Given{}(init))> items;
    for (const interval& item : items_of(where, from_segment)) items.push_back(Given{}(item));
    const device_array in(items, way.offset);
    const auto results = wf_test::results_of(way, where.segments(), init, empty, [&](auto out, const auto& options) {
      call(in.items(), way.offset, out, options);
    });
    const auto expected = wf_test::expected_of(way, joined(where, from_segment), where, init, empty, wf_test::join{});
    EXPECT_TRUE(wf_test::same_segments(results, expected)) << where << ", " << way;
  }
}

TEST(segmented_reduce_interval, offsets) {
  std::int64_t turn = 0;
  for (const layout& where : layouts())
    expect_joined(where, turn++, [&](auto in, std::int64_t offset, auto out, const auto& options) {
      const device_array<int> offsets(where.offsets<int>(), offset);
      wf::segmented_reduce(in, offsets.items(), out, wf_test::join{}, options);
    });
}

TEST(segmented_reduce_interval, bounds_that_touch_and_bounds_with_gaps) {
  std::int64_t turn = 1;
  for (const layout& dense : layouts())
    for (const layout& where : {dense, wf_test::with_gaps(dense)})
      expect_joined(where, turn++, [&](auto in, std::int64_t offset, auto out, const auto& options) {
        const device_array<unsigned> begins(wf_test::narrowed<unsigned>(where.begins), offset);
        const device_array<std::int64_t> ends(where.ends, offset + 1);
        wf::segmented_reduce(in, wf::bounds{begins.items(), ends.items()}, out, wf_test::join{}, options);
      });
}

TEST(segmented_reduce_interval, owners) {
  std::int64_t turn = 2;
  for (const layout& where : layouts())
    expect_joined(where, turn++, [&](auto in, std::int64_t offset, auto out, const auto& options) {
      const device_array<int> ids(where.owners<int>(), offset);
      wf::segmented_reduce(in, wf::owners{ids.items()}, out, wf_test::join{}, options);
    });
}

// With these items, a warp folds the units of the segment before its first one at once, not at the end.
TEST(segmented_reduce_interval, places_of_4_bytes) {
  static_assert(sizeof(std::int32_t) == wf::segmented::previous_first_item_bytes &&
                sizeof(interval) != wf::segmented::previous_first_item_bytes);
  std::int64_t turn = 4;
  const auto reduce = [](auto in, const auto& segments, auto out, const auto& options) {
    wf::transform_segmented_reduce(in, segments, out, wf_test::join{}, wf_test::to_interval<interval>{}, options);
  };
  for (const layout& where : layouts()) {
    expect_joined<as_place>(where, turn++, [&](auto in, std::int64_t offset, auto out, const auto& options) {
      const device_array<int> offsets(where.offsets<int>(), offset);
      reduce(in, offsets.items(), out, options);
    });
    expect_joined<as_place>(where, turn++, [&](auto in, std::int64_t offset, auto out, const auto& options) {
      const device_array<int> ids(where.owners<int>(), offset);
      reduce(in, wf::owners{ids.items()}, out, options);
    });
  }
}

TEST(segmented_reduce_interval, fixed_lengths_of_fewer_or_more_segments_than_a_warp_takes) {
  std::int64_t turn = 5;
  for (const std::int64_t length : {1, 2, 3, 5, 8, 9, 33, 100, 129})
    for (const std::int64_t segments : {1, 2, 3, 7, 31, 32, 33, 64, 65, 127, 128, 129, 256, 257, 511, 513, 1025}) {
      const wf_test::lengths all(static_cast<std::size_t>(segments), length);
      expect_joined(layout(std::to_string(segments) + " of " + std::to_string(length), all), turn++,
                    [&](auto in, std::int64_t, auto out, const auto& options) {
                      wf::segmented_reduce(in, wf::fixed_length{length}, out, wf_test::join{}, options);
                    });
    }
}

TEST(segmented_reduce_interval, fixed_length) {
  std::int64_t turn = 3;
  for (const std::int64_t length :
       {0,   1,   2,   3,   5,   15,  16,  17,  31,  32,  33,  63,  64,   65,   100,  128,  129,  143,    160,
        161, 255, 256, 257, 270, 288, 289, 300, 511, 512, 513, 769, 1000, 1024, 2047, 4096, 4099, 10'007, 70'001})
    for (const std::int64_t segments : {std::int64_t{1}, std::min<std::int64_t>(5000, many / (4 * length + 1) + 2)}) {
      const wf_test::lengths all(static_cast<std::size_t>(segments), length);
      expect_joined(layout("all " + std::to_string(length), all), turn++,
                    [&](auto in, std::int64_t, auto out, const auto& options) {
                      wf::segmented_reduce(in, wf::fixed_length{length}, out, wf_test::join{}, options);
                    });
    }
}

// One giant segment among others, so that many warps of every grid hand units over, under many schedules.
TEST(segmented_reduce_interval, long_segments_under_many_schedules_and_grids) {
  const layout where("giants", {3, 0, many, 1, many / 2, 257, 0, 0, many / 3});
  const device_array<interval> in(items_of(where, false));
  const device_array<int> offsets(where.offsets<int>());
  const auto expected = wf_test::expected_of({}, joined(where, false), where, {}, interval::of(-5), wf_test::join{});
  for (std::uint64_t seed = 1; seed <= (wf_test::emulated ? 6 : 1); ++seed)
    for (const int max_blocks : {1, 2, 3, 5, 7, 131, 0}) {
      const segmented_way way{.max_blocks = max_blocks, .own_workspace = true, .seed = seed};
      const auto results =
          wf_test::results_of(way, where.segments(), {}, interval::of(-5), [&](auto out, const auto& options) {
            wf::segmented_reduce(in.items(), offsets.items(), out, wf_test::join{}, options);
          });
      EXPECT_TRUE(wf_test::same_segments(results, expected)) << way;
    }
}

}  // namespace
