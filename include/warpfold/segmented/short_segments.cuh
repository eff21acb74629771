// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segments of a warp's range that fit 32 chunks, in steps. Where none of a step's segments is longer than a chunk, lanes fold
// their own; how that is done with tiny ones, and what with those of mixed lengths, is `Steps`: waiting_steps or staged_steps.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

/// Where a warp stands in its range.
struct segment_place {
  std::int64_t segment;  ///< the next one
  std::int64_t cursor;   ///< the item at which it begins, where that is known
  int pending;           ///< segments that wait
};

/// Where none are short.
template <class Arguments> struct no_short_segments {
  struct storage {};
  template <class... Any> __device__ explicit no_short_segments(const Any&...) {}
  __device__ void fold(segment_place&) const {}
  __device__ void finish(int) const {}
};

/// Folds the segments of one warp's range, by that warp, all of whose lanes call.
template <class Arguments, template <class> class Packing> class short_segments {
 public:
  using leaves_type = decltype(Arguments::leaves);
  using segments_type = decltype(Arguments::segments);
  using A = typename leaves_type::accumulator;
  using tile_index = typename segments_type::tile_index;
  using packing_type = Packing<Arguments>;
  static constexpr int tiny = policy_of<leaves_type>.tiny_items;
  static constexpr int half = half_chunk_items<leaves_type>, narrow = leaves_type::chunk_items,
                       wide = wide_items<leaves_type>;
  static constexpr int segments_per_lane = tile_segments_per_lane, tile_segments = segments_per_lane * warp_lanes;
  static constexpr int max_items = warp_lanes * wide;  // of a segment that is not long
  using tile_type = segment_tile<segments_per_lane, tile_index>;

  /// Shared memory of the warp.
  struct storage {
    typename packing_type::storage packing;
    typename segments_type::scratch scratch;
  };

  /// `range`: positions; `first_segment`: the first that begins there.
  __device__ short_segments(const Arguments& arguments, const segment_span& range, std::int64_t first_segment,
                            storage& own)
      : arguments(arguments), range(range), scratch(own.scratch), packing(arguments, first_segment, own.packing) {}

  /// From `at` on, until the range ends or a segment is longer than 32 chunks.
  __device__ void fold(segment_place& at) {
    while (true) {
      tile_type tile;
      bool whole = read_tile(at, tile) && is_whole(tile, at.segment);
      int longest = tile.longest();
      while (whole && longest <= tiny && packing_type::holds(tile)) {
        const std::int64_t first = at.segment;
        at.segment += tile_segments;
        if constexpr (segments_type::needs_cursor) at.cursor = tile.base + tile.end_of(tile_segments - 1);
        tile_type next;
        bool all_known = false;
        packing.fold_tiny(tile, first, [&] { all_known = read_tile(at, next); });
        __syncwarp();
        tile = next;
        whole = all_known && is_whole(tile, at.segment);
        longest = tile.longest();
      }
      const bool fits = packing_type::limits_items ? tiny < longest && longest <= wide : longest <= max_items;
      const auto [taken, goes_on] = whole && fits ? tile_part{tile_segments, true} : take(tile, at.segment);
      if (taken == 0) return;
      const std::int64_t first = at.segment;
      at.segment += taken;
      if constexpr (segments_type::needs_cursor) at.cursor = tile.base + tile.end_of(taken - 1);
      if (taken < tile_segments) {
        tile.keep(taken);
        longest = tile.longest();
      }
      at.pending = fold_tile(tile, first, taken, longest, at.pending);
      __syncwarp();  // else the compiler takes the warp for divided from here on, and guards every exchange: spills
      if (!goes_on) return;
    }
  }

  /// Those that still wait.
  __device__ void finish(int pending) { packing.finish(pending); }

 private:
  /// Returns whether all of the step's segments are known.
  __device__ bool read_tile(const segment_place& at, tile_type& tile) const {
    const tile_limits limits{arguments.partition.item_at(at.segment, range.end), max_items, packing_type::max_items};
    tile.base = arguments.segments.tile_base(at.segment, at.cursor);
    return arguments.segments.read_tile(at.segment, at.cursor, limits, tile.begin, tile.end, scratch);
  }

  /// Whether all of the step's segments exist and begin in the range, and have items known by 32 bits from the first one on.
  __device__ bool is_whole(const tile_type& tile, std::int64_t first) const {
    constexpr int k = segments_per_lane - 1;
    constexpr std::int64_t most = 0x7FFFFFFF;
    std::int64_t end =
        arguments.partition.item_at(first, range.end) - tile.base;  // where the first one would be out of range
    // Where that is past 32 bits, a step that is whole may be taken for one that is not, which take() makes good.
    if (sizeof(tile_index) <= 4) end = least_of(greatest_of(end, std::int64_t{0}), most);
    bool whole =
        tile.begin[k] < static_cast<tile_index>(end) - arguments.partition.segment_cost * (k * warp_lanes + arch::lane_id());
    if constexpr (sizeof(tile_index) > 4) whole = is_near(tile, tile.begin[k]) && whole;
    return first + tile_segments <= arguments.segments.count && __all_sync(full_warp, whole);
  }
  __device__ static bool is_near(const tile_type& tile, tile_index item) {
    return item - warp::shuffle(tile.begin[0], 0) < tile_index{1} << 30;
  }

  /// What is folded of a step.
  struct tile_part {
    int segments;
    bool goes_on;  ///< the next segment is of the range, and not long
  };

  /// Up to a long segment, the range's end, or as many items as a step can have.
  __device__ tile_part take(const tile_type& tile, std::int64_t first) const {
    constexpr std::int64_t far = std::int64_t{1} << 30;
    const int lane = arch::lane_id();
    const tile_index first_item = tile.first_item();
    // Where the first one would be out of range, and a lane's, from the first one's begin on. (Where that is cut, a step may end early.)
    const std::int64_t left = arguments.partition.item_at(first, range.end) - tile.base - first_item;
    const int end = static_cast<int>(least_of(greatest_of(left, std::int64_t{0}), far)),
              own_end = end - arguments.partition.segment_cost * lane;
    const int existing = static_cast<int>(least_of(arguments.segments.count - first, std::int64_t{tile_segments}));
    int taken = 0;
    unsigned wanted = 0;  // packets whose segment of the lane is of the range, and not long
    bool all = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < segments_per_lane; ++k) {
      bool takes = tile.begin[k] - first_item < own_end - arguments.partition.segment_cost * (k * warp_lanes);
      takes = takes && tile.end[k] - tile.begin[k] <= max_items && k * warp_lanes + lane < existing;
      if (takes) wanted |= 1u << k;
      if constexpr (packing_type::limits_items) takes = takes && tile.end[k] - first_item <= packing_type::max_items;
      const unsigned left_out = ~__ballot_sync(full_warp, takes);
      if (all) taken += __clz(static_cast<int>(__brev(left_out)));  // the lanes before the first one left out
      all = all && left_out == 0;
    }
    if (!packing_type::limits_items || all) return {taken, all};
    return {taken, (__shfl_sync(full_warp, wanted, taken % warp_lanes) >> taken / warp_lanes & 1) != 0};
  }

  /// Folds the first `taken` > 0 segments of a step, of which one has `longest` items, or lets them wait. Returns how many wait then.
  __device__ int fold_tile(const tile_type& tile, std::int64_t first, int taken, int longest, int pending) {
    require_within(tile, taken);
    if constexpr (half > 0) {
      if (tiny < longest && longest <= half) {
        fold_chunks<half, segments_per_lane>(tile, first, taken);
        return pending;
      }
    }
    if (!packing_type::limits_items && longest <= tiny) packing.fold_tiny(tile, first, [] {});
    else if (tiny < longest && longest <= narrow) fold_chunks<narrow, 2>(tile, first, taken);
    else if (tiny < longest && longest <= wide) fold_chunks<wide, 1>(tile, first, taken);
    else return packing.fold(tile, first, taken, longest, pending);
    return pending;
  }

  __device__ void require_within(const tile_type& tile, int taken) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < segments_per_lane; ++k) {
      const segment_span items{tile.base + tile.begin[k], tile.base + tile.end[k]};
      arch::require(k * warp_lanes + arch::lane_id() >= taken || items.within(arguments.leaves.source.items),
                    segments_out_of_order);
    }
  }

  /// All of the segments, which have a chunk of `Items` at most, those of `AtOnce` packets at a time.
  template <int Items, int RowsAtOnce>
  __device__ void fold_chunks(tile_type tile, std::int64_t first_segment, int taken) const {
    const tile_index first_item = tile.first_item();
    const auto leaves = arguments.leaves.template from<Items>(tile.base + first_item);
    const bool inside = arguments.leaves.source.is_inside(tile.base + first_item, tile.base + tile.end_of(taken - 1));
    auto out = arguments.out + first_segment + arch::lane_id();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < segments_per_lane; k += RowsAtOnce) {
      int first[RowsAtOnce], count[RowsAtOnce];
      WARPFOLD_UNROLL
      for (int i = 0; i < RowsAtOnce; ++i)
        first[i] = static_cast<int>(tile.begin[i] - first_item), count[i] = tile.count(i);
      A results[RowsAtOnce];
      fold_single_chunks(leaves, first, count, inside, arguments.op, results);
      write_tile(arguments, results, count, out);
      tile.template drop_first<RowsAtOnce>();
      out += RowsAtOnce * warp_lanes;
    }
  }

  const Arguments& arguments;
  const segment_span range;
  typename segments_type::scratch& scratch;
  packing_type packing;
};

}  // namespace warpfold::segmented
