// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments begin for a warp; and units of long segments, joined by the warp that comes last. Units have a few
// items only, so there are very many.
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/segmented/owned_segments.cuh>
#include <warpfold/segmented/segment_units.cuh>
#include <warpfold/segmented/segments.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/samples.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
namespace segmented = warpfold::segmented;
using hash = wf_test::tree_hash<8, 8>;
using wf_test::device_array;

// ---- starts ---------------------------------------------------------------------------------------------------------

constexpr int tile_segments = segmented::tile_segments_per_lane * 32;
constexpr int look_items = 8 * 32;  // how far owners may be looked at past what tells that a segment is too long

struct found_start {
  segmented::segment_start start;
  segmented::segment_span before;
  segmented::segment_span tile[tile_segments];
  bool all_known;
};

/// Warp b starts at position b, and looks at the segments of the step there, if these have steps.
template <class Segments>
__global__ void start_kernel(Segments segments, segmented::load_balance_partition partition, std::int64_t items,
                             int max_items, int together, found_start* found) {
  found_start& own = found[blockIdx.x];
  auto& scratch = wf::arch::dynamic_shared<typename Segments::scratch>();
  const segmented::segment_start start = segments.find_first(blockIdx.x, partition, items);
  const auto before = segments.previous(start);
  if (threadIdx.x == 0) own.start = start, own.before = {before.begin, before.end};
  if (start.segment >= segments.count) return;
  if constexpr (!Segments::is_fixed_length) {
    typename Segments::tile_index begin[segmented::tile_segments_per_lane], end[segmented::tile_segments_per_lane];
    const bool all_known =
        segments.read_tile(start.segment, start.cursor, {items, max_items, together}, begin, end, scratch);
    if (threadIdx.x == 0) own.all_known = all_known;
    const std::int64_t base = segments.tile_base(start.segment, start.cursor);
    for (int k = 0; k < segmented::tile_segments_per_lane; ++k)
      own.tile[32 * k + threadIdx.x] = {base + begin[k], base + end[k]};
  }
}

/// For every position: what a warp learns whose range begins there.
template <class Segments>
std::vector<found_start> starts_of(const Segments& segments, const segmented::load_balance_partition& partition,
                                   std::int64_t items, int max_items, int together) {
  const std::int64_t positions = items + partition.segment_cost * segments.count + 3;
  const device_array<found_start> found(std::vector<found_start>(static_cast<std::size_t>(positions)));
  wf_test::launch_and_wait(&start_kernel<Segments>, static_cast<int>(positions), 32, sizeof(typename Segments::scratch),
                           segments, partition, items, max_items, together, found.data());
  return found.to_host();
}

/// The same against the definition. Segments are known up to one of more than `most_items`.
template <class Segments>
void expect_starts(const Segments& segments, const segmented::load_balance_partition& partition,
                   const std::vector<std::int64_t>& offsets, bool cursors, int max_items = 1000, std::int64_t gap = 0) {
  constexpr int any_number = 0x7FFFFFFF;
  const std::int64_t count = std::ssize(offsets) - 1;
  const auto all = starts_of(segments, partition, offsets.back(), max_items, any_number);
  for (std::int64_t position = 0; position < std::ssize(all); ++position) {
    const auto& [start, before, tile, all_known] = all[static_cast<std::size_t>(position)];
    std::int64_t first = 0;
    while (first < count && offsets[static_cast<std::size_t>(first)] + partition.segment_cost * first < position)
      ++first;
    ASSERT_EQ(start.segment, first) << "position " << position;
    const auto offset = [&](std::int64_t s) { return offsets[static_cast<std::size_t>(s)]; };
    // The warp must learn of items of the segment before that lie at the position or later. It need not learn of
    // others.
    if (first > 0 && offset(first) - gap + partition.segment_cost * (first - 1) > position) {
      ASSERT_EQ(before.begin, offset(first - 1)) << "position " << position;
      ASSERT_EQ(before.end, offset(first) - gap) << "position " << position;
    }
    ASSERT_TRUE(!cursors || first == count || start.cursor == offset(first)) << "position " << position;
    const std::int64_t known = Segments::is_fixed_length ? 0 : tile_segments;
    std::int64_t max_seen = offsets.back() + 1;  // items
    for (std::int64_t s = first; s < std::min<std::int64_t>(first + known, count); ++s) {
      const segmented::segment_span& span = tile[s - first];
      ASSERT_TRUE(offset(s) < max_seen || span.begin == span.end)
          << "position " << position << ": segment " << s << " has been looked at for nothing";
      if (max_seen <= offsets.back()) continue;
      if (offset(s + 1) - offset(s) > max_items) {
        ASSERT_TRUE(span.begin == offset(s) && span.end - span.begin > max_items && span.end <= offset(s + 1))
            << "position " << position << ", segment " << s;
        if (!cursors || max_items < look_items) break;
        max_seen = std::min(offset(s + 1), offset(s) + max_items + 1) + look_items;
        continue;
      }
      ASSERT_TRUE(span.begin == offset(s) && span.end == offset(s + 1)) << "position " << position << ", segment " << s;
    }
  }
}

TEST(segments, start_at_every_position) {
  wf_test::random_source source(3);
  for (int round = 0; round < 6; ++round) {
    if (!wf_test::in_sample(round)) continue;
    std::vector<std::int64_t> offsets{0};
    std::vector<int> ids;
    for (int s = 0; s < 90; ++s) {
      const std::int64_t length = round == 0 ? 0 : source.below(round) != 0 ? 0 : source.below(40);
      offsets.push_back(offsets.back() + length);
      ids.insert(ids.end(), static_cast<std::size_t>(length), s);
    }
    const device_array<std::int64_t> on_device(offsets);
    const device_array<int> ids_on_device(ids);
    const segmented::load_balance_partition partition{{}, 100, 1 + round, 3};
    expect_starts(segmented::listed_segments<segmented::offset_spans<const std::int64_t*>>{{on_device.data(), 90}},
                  partition, offsets, false);
    expect_starts(segmented::owned_segments<const int*>{ids_on_device.data(), offsets.back(), 90}, partition, offsets,
                  true);
  }
}

TEST(segments, of_fixed_lengths_start_at_every_position) {
  std::int64_t number = 0;
  for (const std::int64_t length : {0, 1, 2, 5, 31, 300})
    for (const std::int64_t pitch : {length, length + 1, length + 40})
      for (const int segment_cost : {1, 8}) {
        if (!wf_test::in_sample(number++)) continue;
        std::vector<std::int64_t> offsets;
        for (std::int64_t s = 0; s <= 140; ++s) offsets.push_back(s * pitch);
        expect_starts(segmented::fixed_length_segments{{length, 140}, pitch}, {{}, 100, segment_cost, 3}, offsets,
                      false, 1000, pitch - length);
      }
}

// Owners are read no further than a step can want: up to a segment that is too long for it, wherever that one is.
TEST(segments, of_owners_are_known_up_to_a_long_one) {
  wf_test::random_source source(4);
  std::int64_t number = 0;
  const auto check = [&](int segments, int max_items, int round) {
    if (!wf_test::in_sample(number++)) return;
    std::vector<std::int64_t> offsets{0};
    std::vector<int> ids;
    for (int s = 0; s < segments; ++s) {
      std::int64_t length = s == 7 + 13 * round ? 1500 : source.below(1 + round * max_items / 4);
      if (round == 3 && s % 4 == 0) length = max_items - 20 + source.below(60);  // too long, or nearly so
      offsets.push_back(offsets.back() + length);
      ids.insert(ids.end(), static_cast<std::size_t>(length), s);
    }
    const device_array<int> on_device(ids);
    expect_starts(segmented::owned_segments<const int*>{on_device.data(), offsets.back(), segments}, {{}, 100, 8, 3},
                  offsets, true, max_items);
    const device_array<std::int64_t> wide(std::vector<std::int64_t>(ids.begin(), ids.end()));
    expect_starts(segmented::owned_segments<const std::int64_t*>{wide.data(), offsets.back(), segments},
                  {{}, 100, 8, 3}, offsets, true, max_items);
  };
  for (const int round : {0, 1, 3}) check(60, 64, round);
  for (const int round : {1, 3}) check(24, 300, round);
}

// They are read no further than a step can have items, either, and what is not known is said. Owners may begin
// anywhere.
TEST(segments, of_owners_are_known_until_a_step_has_enough) {
  constexpr int together = 300;
  wf_test::random_source source(5);
  const auto check = [&]<class Id>(Id, int most, std::int64_t offset) {
    std::vector<std::int64_t> offsets{0};
    std::vector<Id> ids(static_cast<std::size_t>(offset), Id{});
    for (int s = 0; s < 127; ++s) {
      offsets.push_back(offsets.back() + source.below(most + 1));
      ids.resize(static_cast<std::size_t>(offset + offsets.back()), static_cast<Id>(s));
    }
    const device_array<Id> on_device(ids);
    const std::int64_t items = offsets.back(), count = std::ssize(offsets) - 1;
    const segmented::owned_segments<const Id*> segments{on_device.data() + offset, items, count};
    const auto all = starts_of(segments, {{}, 100, 8, 3}, items, 1000, together);
    for (const auto& [start, before, tile, all_known] : all) {
      const std::int64_t cursor = offsets[static_cast<std::size_t>(start.segment)];
      ASSERT_TRUE(start.segment == count || all_known || items - cursor > together)
          << "segment " << start.segment << " and on";
      for (std::int64_t s = start.segment; s < count; ++s) {
        const std::int64_t begin = offsets[static_cast<std::size_t>(s)], end = offsets[static_cast<std::size_t>(s) + 1];
        const auto& found = tile[s - start.segment];
        if (all_known || end - cursor <= together) {
          ASSERT_TRUE(found.begin == begin && found.end == end)
              << "segment " << s << " of those from " << start.segment << " on";
        } else {
          ASSERT_LE(found.end - cursor, together + look_items) << "segment " << s << " has been looked at for nothing";
          ASSERT_TRUE(found.end <= end && found.end - cursor > together) << "segment " << s;
        }
      }
    }
  };
  int turn = 0;
  std::int64_t number = 0;
  for (const int most : {1, 3, 9, 30}) {
    for (const std::int64_t offset : {0, 1, 2, 3}) {  // two types a turn: each has two of the lengths at each offset
      const bool is_first_pair = turn++ % 2 == 0;
      if (!wf_test::in_sample(number++)) continue;
      if (is_first_pair) check(std::int8_t{}, most, offset), check(int{}, most, offset);
      else check(std::uint16_t{}, most, offset), check(std::int64_t{}, most, offset);
    }
    ++turn;
  }
}

/// Warp b is told where segment b begins.
template <class Segments>
__global__ void following_kernel(Segments segments, const std::int64_t* begins, int few,
                                 segmented::segment_span* found) {
  const auto items = segments.next_span(blockIdx.x, static_cast<typename Segments::index>(begins[blockIdx.x]), few);
  if (threadIdx.x == 0) found[blockIdx.x] = {items.begin, items.end};
}

TEST(segments, follow_one_another) {
  constexpr int few = 512;
  std::vector<std::int64_t> offsets{0};
  std::vector<int> ids;
  for (const int length : {600, 0, 1, 511, 512, 513, 1023, 1024, 1025, 3, 40'000, 0, 2, 32'768, 33'800, 5, 700}) {
    ids.insert(ids.end(), static_cast<std::size_t>(length), static_cast<int>(offsets.size()) - 1);
    offsets.push_back(offsets.back() + length);
  }
  const std::int64_t count = std::ssize(offsets) - 1;
  const device_array<std::int64_t> on_device(offsets);
  const device_array<int> ids_on_device(ids);
  const device_array<segmented::segment_span> found(
      std::vector<segmented::segment_span>(static_cast<std::size_t>(count)));
  const auto expect = [&](const auto& segments) {
    wf_test::launch_and_wait(&following_kernel<std::remove_cvref_t<decltype(segments)>>, static_cast<int>(count), 32, 0,
                             segments, on_device.data(), few, found.data());
    const auto all = found.to_host();
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const std::int64_t length = offsets[s + 1] - offsets[s];
      ASSERT_EQ(all[s].begin, offsets[s]) << "segment " << s;
      ASSERT_TRUE(length > few ? all[s].end == offsets[s + 1] : all[s].end - all[s].begin <= few) << "segment " << s;
    }
  };
  expect(segmented::listed_segments<segmented::offset_spans<const std::int64_t*>>{{on_device.data(), count}});
  expect(segmented::owned_segments<const int*>{ids_on_device.data(), offsets.back(), count});
}

// ---- units ----------------------------------------------------------------------------------------------------------

/// One segment of `units` units of 2^log_unit items, the last maybe shorter, from item `first_item` on. Warp w has
/// stored what begins in its range, and joins.
__global__ void join_kernel(segmented::unit_values<hash> values, segmented::load_balance_partition partition,
                            std::int64_t segment, std::int64_t first_item, std::int64_t units, hash* result,
                            int* stores) {
  const std::int64_t warp = std::int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  const segmented::segment_span range = partition.positions_of(warp);
  const std::int64_t first = partition.position(segment, first_item);
  const std::int64_t begin = partition.units_before(first, range.begin),
                     end = wf::least_of(partition.units_before(first, range.end), units);
  if (begin >= end) return;
  for (std::int64_t unit = begin + threadIdx.x % 32; unit < end; unit += 32)
    values.value(partition, first, unit) = hash::of(unit);
  segmented::join_units(values, partition, first, begin, end, units, wf_test::hash_pair{}, [&](const hash& joined) {
    if (threadIdx.x % 32 == 0) {
      *result = joined;
      atomicAdd(stores, 1);
    }
  });
}

/// `range` in positions; the segment is number `segment`.
void check_units(std::int64_t units, std::int64_t range, int log_unit, std::int64_t first_item, std::int64_t segment) {
  const segmented::load_balance_partition partition{{}, range, 2, log_unit};
  const std::int64_t positions = first_item + partition.segment_cost * segment + (units << log_unit);
  const int block_warps = 4, blocks = static_cast<int>((positions - 1) / (range * block_warps) + 1);
  const std::int64_t places = (positions >> log_unit) + 2;
  const device_array<hash> first_units(places), other_units(places), result(1);
  const device_array<unsigned> counters(std::vector<unsigned>(static_cast<std::size_t>(blocks) * block_warps * 3, 0));
  const auto items = wf_test::hash_items<hash>(units);
  const hash expected = wf::canonical_tree::replay(items.data(), units, wf_test::hash_pair{});
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {  // the second time with the counters of the first
    const wf_test::schedule_seed scheduled(seed);
    const device_array<int> stores(std::vector<int>{0});
    wf_test::launch_and_wait(&join_kernel, blocks, block_warps * 32, 0,
                             segmented::unit_values<hash>{first_units.data(), other_units.data(), counters.data()},
                             partition, segment, first_item, units, result.data(), stores.data());
    ASSERT_EQ(stores.value(), 1) << units << " units, partition of " << range;
    ASSERT_EQ(result.value(), expected) << units << " units, partition of " << range;
    for (const unsigned counter : counters.to_host())
      ASSERT_EQ(counter, 0u) << units << " units, partition of " << range;
  }
}

TEST(join_units, of_one_group) {
  for (const std::int64_t units : {2, 3, 31, 32, 33, 255, 256})
    for (const std::int64_t range : {1, 3, 8, 21, 50}) check_units(units, range, 1, 5, 3);
}

TEST(join_units, of_many_groups) {
  for (const std::int64_t units : {257, 511, 512, 513, 1000, 5000})
    for (const std::int64_t range : {7, 16, 31}) check_units(units, range, 2, 13, 2);
}

// More bundles than one round of a warp joins, more than two rounds, and rounds that are not whole.
TEST(join_units, of_more_groups_than_a_group_has_units) {
  check_units(256 * 256, 64, 3, 0, 0);
  check_units(256 * 257 + 77, 64, 3, 1, 1);
}

/// fold_values over any number of values, by one warp.
__global__ void values_kernel(const hash* values, int count, hash* results) {
  results[threadIdx.x] = warpfold::warp::fold_values<hash>(
      count, [&](int i) { return values[i]; }, wf_test::hash_pair{});
}

TEST(fold_values, is_the_canonical_tree_in_every_lane) {
  const auto items = wf_test::hash_items<hash>(3000);
  const device_array<hash> on_device(items), results(32);
  for (const int count : {1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1000, 3000}) {
    wf_test::launch_and_wait(&values_kernel, 1, 32, 0, on_device.data(), count, results.data());
    const hash expected = wf::canonical_tree::replay(items.data(), count, wf_test::hash_pair{});
    for (const hash& result : results.to_host()) ASSERT_EQ(result, expected) << count << " values";
  }
}

}  // namespace
