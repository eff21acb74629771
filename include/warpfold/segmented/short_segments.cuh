// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the segments of a warp's range that a packing takes, tile by tile. If no segment of a tile is longer than a
// chunk, each lane folds its own. Tiles of tiny segments and of mixed lengths are given to `Packing`: packed_segments,
// late_packed_segments or smem_packed_segments.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

/// Where a warp stands in its range.
struct segment_place {
  std::int64_t segment;  ///< the next one
  std::int64_t cursor;   ///< the item at which it begins, if needs_cursor
  int pending;           ///< segments in the queue
};

/// For segments of one length: short ones have a kernel of their own.
template <class Arguments> struct no_short_segments {
  static constexpr int max_items = warp_lanes * wide_items<typename Arguments::leaves_type>;
  static constexpr bool lets_long_pieces_wait = false;
  struct storage {
    typename long_pieces<Arguments>::storage of_long;
  };
  __device__ static auto& of_long(storage& own) { return own.of_long; }
  template <class... Any> __device__ explicit no_short_segments(const Any&...) {}
  __device__ void fold(segment_place&) const {}
  __device__ void finish(int) const {}
};

/// The short segments of one warp; all lanes call each member.
template <class Arguments, template <class> class Packing> class short_segments {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using segments_type = decltype(Arguments::segments);
  using A = typename leaves_type::accumulator;
  using tile_index = typename segments_type::tile_index;
  using packing_type = Packing<Arguments>;
  static constexpr int tiny = packing_type::tiny;  // smaller ones are folded item by item
  static constexpr int half = half_chunk_items<leaves_type>, narrow = leaves_type::chunk_items,
                       wide = wide_items<leaves_type>;
  static constexpr int segments_per_lane = tile_segments_per_lane, tile_segments = segments_per_lane * warp_lanes;
  static constexpr int max_items = packing_type::max_segment_items;  // of a short segment
  /// Whether long pieces may wait while short segments are folded.
  static constexpr bool lets_long_pieces_wait = packing_type::lets_long_pieces_wait;
  using tile_type = segment_tile<segments_per_lane, tile_index>;

  /// Shared memory of the warp.
  struct storage {
    typename packing_type::storage packing;
    typename segments_type::scratch scratch;
  };
  /// The room of long pieces.
  __device__ static auto& of_long(storage& own) { return own.packing.of_long; }

  /// `first_segment` is the first one that begins in `positions`, the warp's positions. `long_ones` are the warp's long
  /// pieces.
  __device__ short_segments(const Arguments& of, const segment_span& positions, std::int64_t first_segment,
                            storage& own, long_pieces<Arguments>& long_ones)
      : arguments(of), range(positions), scratch(own.scratch), packing(of, first_segment, own.packing, long_ones) {}

  /// Folds segments from `at` on, until the range ends or a segment is longer than that.
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
        packing.fold_tiny(tile, first, longest, [&] { all_known = read_tile(at, next); });
        __syncwarp();
        tile = next;
        whole = all_known && is_whole(tile, at.segment);
        longest = tile.longest();
      }
      const auto [taken, goes_on] =
          whole && longest <= max_items ? tile_part{most_at_once(tile, longest), true} : take(tile, at.segment);
      if (taken == 0) return;
      const std::int64_t first = at.segment;
      at.segment += taken;
      if constexpr (segments_type::needs_cursor) at.cursor = tile.base + tile.end_of(taken - 1);
      if (taken < tile_segments) {
        tile.keep(taken);
        longest = tile.longest();
      }
      at.pending = fold_tile(tile, first, taken, longest, at.pending);
      __syncwarp();  // else the compiler assumes a divergent warp, guards every exchange, and spills
      if (!goes_on) return;
    }
  }

  /// Folds the segments that are still pending.
  __device__ void finish(int pending) { packing.finish(pending); }

 private:
  /// Reads and checks the tile at `at`. Returns whether all of its spans are known. Folds of few items take long enough
  /// that the next tile's spans arrive meanwhile.
  __device__ bool read_tile(const segment_place& at, tile_type& tile) const {
    const tile_limits limits{arguments.partition.item_at(at.segment, range.end), max_items, packing_type::max_items};
    tile.base = arguments.segments.tile_base(at.segment, at.cursor);
    require_tile_in_order(at.segment);
    if constexpr (packing_type::prefetches_tiles && requires { arguments.segments.prefetch_tile(at.segment); })
      arguments.segments.prefetch_tile(at.segment + tile_segments);
    return arguments.segments.read_tile(at.segment, at.cursor, limits, tile.begin, tile.end, scratch);
  }
  /// In builds with WARPFOLD_CHECKS, stops the kernel unless the tile's spans are in order, and begin where the segment
  /// before them has ended. The spans that owners give are in order by construction.
  __device__ void require_tile_in_order([[maybe_unused]] std::int64_t first) const {
#if WARPFOLD_CHECKS
    if constexpr (!segments_type::needs_cursor)
      for (std::int64_t s = first - 1 + arch::lane_id(); s < first + tile_segments; s += warp_lanes)
        if (0 <= s && s < arguments.segments.count)
          arguments.segments.require_in_order("segmented_reduce", s, arguments.leaves.source.items);
#endif
  }

  /// Whether all of the tile's segments exist, begin in the range, and begin within 2^30 items from the first one.
  __device__ bool is_whole(const tile_type& tile, std::int64_t first) const {
    constexpr int k = segments_per_lane - 1;
    constexpr std::int64_t most = 0x7FFFFFFF;
    std::int64_t end =
        arguments.partition.item_at(first, range.end) - tile.base;  // the first one is in the range if it begins before
    // If that exceeds 32 bits, a whole tile may be judged not whole. take() corrects it.
    if (sizeof(tile_index) <= 4) end = least_of(greatest_of(end, std::int64_t{0}), most);
    bool whole = tile.begin[k] <
                 static_cast<tile_index>(end) - arguments.partition.segment_cost * (k * warp_lanes + arch::lane_id());
    if constexpr (sizeof(tile_index) > 4) whole = is_near(tile, tile.begin[k]) && whole;
    return first + tile_segments <= arguments.segments.count && __all_sync(full_warp, whole);
  }
  __device__ static bool is_near(const tile_type& tile, tile_index item) {
    return item - warp::shuffle(tile.begin[0], 0) < tile_index{1} << 30;
  }

  /// The first segments of a tile, which are folded together.
  struct tile_part {
    int segments;
    bool goes_on;  ///< whether the next segment begins in the range and is short
  };

  /// The segments before a long one, before the range's end, and before a tile's limit of items.
  __device__ tile_part take(const tile_type& tile, std::int64_t first) const {
    constexpr std::int64_t far = std::int64_t{1} << 30;
    const int lane = arch::lane_id();
    const tile_index first_item = tile.first_item();
    // A segment is in the range if it begins before this item, counted from the first one's begin. (Clamped to 2^30
    // items; a tile may therefore end early.)
    const std::int64_t in_range = arguments.partition.item_at(first, range.end) - tile.base - first_item;
    const int end = static_cast<int>(least_of(greatest_of(in_range, std::int64_t{0}), far)),
              own_end = end - arguments.partition.segment_cost * lane;
    const int existing = static_cast<int>(least_of(arguments.segments.count - first, std::int64_t{tile_segments}));
    int taken = 0;
    unsigned wanted = 0;  // bit k: segment k of the lane begins in the range and is short
    bool all = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < segments_per_lane; ++k) {
      bool takes = tile.begin[k] - first_item < own_end - arguments.partition.segment_cost * (k * warp_lanes);
      takes = takes && tile.end[k] - tile.begin[k] <= max_items && k * warp_lanes + lane < existing;
      if (takes) wanted |= 1u << k;
      if constexpr (packing_type::limits_items) takes = takes && tile.end[k] - first_item <= packing_type::max_items;
      const unsigned excluded = ~__ballot_sync(full_warp, takes);
      if (all) taken += __clz(static_cast<int>(__brev(excluded)));  // lanes before the first excluded one
      all = all && excluded == 0;
    }
    if (!packing_type::limits_items || all) return {taken, all};
    return {taken, (__shfl_sync(full_warp, wanted, taken % warp_lanes) >> taken / warp_lanes & 1) != 0};
  }

  /// How many of a whole tile's segments, the longest of which has `longest` items, are folded together.
  __device__ static int most_at_once(const tile_type& tile, int longest) {
    if (!packing_type::limits_items || goes_in_chunks(longest)) return tile_segments;
    return tile.count_within(packing_type::max_items);
  }
  /// Whether segments of a tile, whose longest has `longest` items, are folded a chunk each, in place.
  __device__ static bool goes_in_chunks(int longest) {
    return !packing_type::packs_all && tiny < longest && longest <= wide;
  }

  /// Folds the first `taken` > 0 segments of a tile, whose longest has `longest` items, or makes them pending. Returns
  /// the new number of pending segments.
  __device__ int fold_tile(const tile_type& tile, std::int64_t first, int taken, int longest, int pending) {
    if constexpr (packing_type::packs_all) return packing.fold(tile, first, taken, longest, pending);
    bool packs = !goes_in_chunks(longest);
    // In place, few longer segments wait; half a chunk is then enough for all others.
    if constexpr (half > 0 && !packing_type::limits_items)
      packs = packs || longest <= half || tile.count_above(half) <= max_waiting_of_tile;
    if (packs) return packing.fold(tile, first, taken, longest, pending);
    if (longest <= narrow) fold_chunks<narrow, 2>(tile, first, taken);
    else fold_chunks<wide, 1>(tile, first, taken);
    return pending;
  }

  /// Folds segments of at most one chunk of `Items` items: 32 * RowsAtOnce at a time.
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
      write_tile(arguments, results, count, tile.base + first_item, first, out);
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
