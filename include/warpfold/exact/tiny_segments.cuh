// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of many segments of few items each: a lane takes four neighbours, and a warp sums the tile of all of them
// by prefixes. So the steps of a tile are full, and more segments share what a tile costs beside its items.
#pragma once
#include <warpfold/exact/tile_prefixes.cuh>
#include <warpfold/exact/write_sums.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Segments of a lane, and of a tile; and the most items of one.
inline constexpr int tiny_segments = 4, tiny_tile_segments = tiny_segments * warp_lanes, max_tiny_tile_items = 1 << 13;

/// Neighbouring segments of a tile. All lanes of the warp call the constructor.
struct tiny_tile {
  tile_extent extent;
  int bounds[tiny_segments + 1];  ///< of the lane's segments, counted from the begin of the extent
  bool is_one = true;             ///< whether nothing lies between the segments, and they have not too many items

  /// Those from `first` on, which all exist.
  template <class Arguments>
  __device__ tiny_tile(const Arguments& arguments, std::int64_t first) : extent(segment_span{}) {
    const auto span_of = [&](int k) {
      const std::int64_t own = first + tiny_segments * arch::lane_id() + k;
      const auto items = arguments.segments.span(own);
      segment::require_within("segmented_reduce", own, items, arguments.leaves.source.items);
      return segment_span{items.begin, items.end};
    };
    segment_span items = span_of(0);
    extent.begin = warp::shuffle(items.begin, 0);
    const auto from_begin = [&](std::int64_t item) {
      return static_cast<int>(least_of(item - extent.begin, std::int64_t{max_tiny_tile_items + 1}));
    };
    bounds[0] = from_begin(items.begin);
    WARPFOLD_UNROLL
    for (int k = 0; k < tiny_segments; ++k) {
      if (k > 0) {
        const std::int64_t end = items.end;
        items = span_of(k);
        is_one = is_one && items.begin == end;
      }
      bounds[k + 1] = from_begin(items.end);
    }
    const int before = warp::shuffle_up(bounds[tiny_segments], 1);
    const int all = warp::shuffle(bounds[tiny_segments], warp_lanes - 1);
    extent.end = extent.begin + all;
    is_one = is_one && (arch::lane_id() == 0 || bounds[0] == before) && 0 < all && all <= max_tiny_tile_items &&
             arguments.leaves.source.is_inside(extent.begin, extent.end);
    is_one = __all_sync(full_warp, is_one);
  }
};

/// Sums the segments from `next` on by whole tiles, as long as each is_one, lies before position `end`, and fits a
/// level. Returns the next segment. All lanes of the warp call it.
template <class Arguments, class V = typename Arguments::V>
__device__ std::int64_t sum_tiny_segments(const Arguments& arguments, std::int64_t end, std::int64_t next,
                                          tile_place<V>& tiles, prefix_storage& own) {
  if (tiles.to_skip > 0) return next;
  const empty_result none(arguments);
  WARPFOLD_NO_UNROLL
  for (; next + tiny_tile_segments <= arguments.segments.count; next += tiny_tile_segments) {
    const tiny_tile tile(arguments, next);
    if (!tile.is_one || arguments.partition.position(next + tiny_tile_segments, tile.extent.end) > end) break;
    tiles.take_sample(arguments.leaves,
                      {tile.extent.begin + tile.bounds[0], tile.extent.begin + tile.bounds[tiny_segments]});
    std::uint64_t prefix[tiny_segments + 1] = {};  // up to the bounds
    bool is_summed = false;
    WARPFOLD_NO_UNROLL
    for (int trial = 0; trial < 3 && !is_summed; ++trial)
      is_summed = scan_tile(arguments.leaves, tile.extent, tiles.level, own, [&](int step, int begin) {
        WARPFOLD_UNROLL
        for (int k = 0; k <= tiny_segments; ++k)
          if (const int last = begin + tile.bounds[k] - 1 - step; own.has_item(last))
            prefix[k] = own.through_item(last);
      });
    if (!is_summed) break;
    WARPFOLD_UNROLL
    for (int k = 0; k < tiny_segments; ++k) {
      const std::int64_t segment = next + tiny_segments * arch::lane_id() + k, first = tile.extent.begin;
      if (tile.bounds[k] == tile.bounds[k + 1]) none.write(segment);
      else
        write_sum_of(arguments, segment,
                     sum_of_digits(arguments.leaves, first + tile.bounds[k], first + tile.bounds[k + 1],
                                   prefix[k + 1] - prefix[k]),
                     tiles.level);
    }
  }
  return next;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
