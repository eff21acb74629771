// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of a tile of segments that lie together, as differences of prefixes: integers of 64 bits that count the
// last digits of a level may overflow on the way. Lanes read the tile from its first item to its last one, whatever the
// lengths.
#pragma once
#include <warpfold/exact/tile_level.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::exact {

/// The prefixes of a step of one warp, in shared memory.
struct prefix_storage {
  static constexpr int lane_items = 8, step_items = lane_items * warp_lanes;

  std::uint64_t before[warp_lanes];  ///< before a lane's first item, less the level's start
  std::uint64_t through[lane_items]
                       [warp_lanes];  ///< from a lane's first item through each of its items, plus the start

  __device__ static bool has_item(int item) { return static_cast<unsigned>(item) < step_items; }
  /// The prefix through item number `item` of the step.
  __device__ std::uint64_t through_item(int item) const {
    return before[item / lane_items] + through[item % lane_items][item / lane_items];
  }
  /// Stores the prefixes of a step: each lane has `values`, and the items of earlier steps have the sum `all`. Returns
  /// the sum with this step. All lanes of the warp call it.
  __device__ std::uint64_t store(const float (&values)[lane_items], std::uint64_t all, double start, seen_items& seen) {
    const int lane = arch::lane_id();
    double running = start;
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k) {
      add_at_level(values[k], running, seen);
      through[k][lane] = bits_as<std::uint64_t>(running);
    }
    const std::uint64_t total = bits_as<std::uint64_t>(running) - bits_as<std::uint64_t>(start),
                        scanned = warp::inclusive_scan(total, plus{});
    before[lane] = all + scanned - total - bits_as<std::uint64_t>(start);
    return all + warp::shuffle(scanned, warp_lanes - 1);
  }
};

/// Whether lanes have whole chunks of a step.
template <class Leaves>
inline constexpr bool takes_prefixes = (Leaves::chunk_items > 1) && (Leaves::chunk_items <= prefix_storage::lane_items);

/// Where the items of a tile's segments lie. All lanes of the warp call the constructor.
struct tile_extent {
  std::int64_t begin = 0, end = 0;

  __device__ explicit tile_extent(const segment_span& items) {
    const unsigned members = __ballot_sync(full_warp, items.begin < items.end);
    if (members == 0) return;
    begin = warp::shuffle(items.begin, __ffs(static_cast<int>(members)) - 1);
    end = warp::shuffle(items.end, 31 - __clz(static_cast<int>(members)));
  }
};

/// Calls find(step, begin) for each step of the tile that `extent` tells, less than 2^20 items, when `own` has its
/// prefixes: `step` is its first item, and `begin` that of the extent. Returns as sum_tile_at_level does.
template <class Leaves, class Find, class V = typename Leaves::accumulator>
__device__ bool scan_tile(const Leaves& leaves, const tile_extent& extent, tile_level<V>& level, prefix_storage& own,
                          Find find) {
  constexpr int lane_items = prefix_storage::lane_items, step_items = prefix_storage::step_items,
                chunk_items = Leaves::chunk_items, rows = lane_items / chunk_items;
  const int lane = arch::lane_id();
  const std::int64_t first = chunk_begin(leaves.source, extent.begin);  // of step 0; items below count from there
  const int begin = static_cast<int>(extent.begin - first), end = static_cast<int>(extent.end - first);
  const double start = level.start();
  const float limit = level.limit();
  seen_items seen;
  std::uint64_t all = 0;
  typename Leaves::chunk next[rows];
  const auto load = [&](int step) {
    WARPFOLD_UNROLL
    for (int row = 0; row < rows; ++row) {
      const int own_first = step + lane * lane_items + row * chunk_items;
      if (own_first < end) leaves.source.load(next[row], first + own_first);
    }
  };
  load(0);
  WARPFOLD_NO_UNROLL
  for (int step = 0; step < end; step += step_items) {
    typename Leaves::chunk chunks[rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < rows; ++row) chunks[row] = next[row];
    load(step + step_items);
    float values[lane_items];
    const auto leaf = [&](int k) {
      return warpfold::detail::convert<float>(leaves.leaf(chunks[k / chunk_items], k % chunk_items));
    };
    if (step >= begin && step + step_items <= end) {
      WARPFOLD_UNROLL
      for (int k = 0; k < lane_items; ++k) values[k] = leaf(k);
    } else {
      const int own_first = step + lane * lane_items;
      WARPFOLD_UNROLL
      for (int k = 0; k < lane_items; ++k) values[k] = own_first + k >= begin && own_first + k < end ? leaf(k) : -0.0f;
    }
    all = own.store(values, all, start, seen);
    __syncwarp();
    find(step, begin);
    const bool fits = all_at_level(seen, limit);
    __syncwarp();
    if (!fits) return level.move_to(seen), false;
  }
  return true;
}

/// The sum of the items [begin, end), whose digits these are. Digits of zero may be those of -0.
template <class Leaves>
__device__ level_sum sum_of_digits(const Leaves& leaves, std::int64_t begin, std::int64_t end, std::uint64_t digits) {
  bool has_other = digits != 0;
  for (std::int64_t i = begin; i < end && !has_other; ++i)
    has_other =
        bits_as<std::uint32_t>(warpfold::detail::convert<float>(leaves.leaf_of(leaves.source.at(i)))) != 0x80000000u;
  return {static_cast<std::int64_t>(digits), has_other ? unsigned{has_other_than_minus_zero} : 0u};
}

/// As sum_tile_at_level, for segments that fill `extent` without gaps. The sum is the lane's.
template <class Leaves, class V = typename Leaves::accumulator>
__device__ bool sum_tile_by_prefixes(const Leaves& leaves, const segment_span& items, const tile_extent& extent,
                                     tile_level<V>& level, level_sum& sum, prefix_storage& own) {
  const bool exists = items.begin < items.end;
  const std::int64_t first = chunk_begin(leaves.source, extent.begin);
  const int last_before = exists ? static_cast<int>(items.begin - first) - 1 : -1,
            last = exists ? static_cast<int>(items.end - first) - 1 : -1;
  std::uint64_t before = 0, through = 0;
  const bool fits = scan_tile(leaves, extent, level, own, [&](int step, int) {
    if (own.has_item(last_before - step)) before = own.through_item(last_before - step);
    if (own.has_item(last - step)) through = own.through_item(last - step);
  });
  if (fits) sum = sum_of_digits(leaves, items.begin, items.end, through - before);
  return fits;
}

}  // namespace warpfold::exact
