// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs segments of fewer than 64 chunks where joins take long: their chunks are folded side by side
// (fold_side_by_side.cuh), and the edges of 32 segments are joined at once (edge_joins.cuh). An operator with full
// nodes must tell a short join for right edges (operator_traits.hpp: join_fewer). Beside packed_segments:
// - A lane holds few nodes and no accumulators, so chunks are longer, and a warp exchanges nodes less often.
// - One join in a loop serves all levels of an edge, so the code fits the instruction cache.
// - At most 31 segments wait for others: the queue leaves shared memory to the nodes.
// Short segments are slower so: almost all of their items lie at edges. Where there are many, lanes fold them alone
// (few_items.cuh). (On an H200, moments of lengths of mean 4 take 299 us instead of 609 so.)
#pragma once
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/few_items.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/pending_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>
#include <warpfold/warp/prefetch.cuh>

namespace warpfold::segmented {

/// From this mean length on, all segments but empty ones are packed late. (By full nodes: on an H100, moments of
/// segments of 32 items take a tenth less so than by packed_segments, of 300 less than half. As plain terms: on an
/// H200, logsumexp of 2^26 floats in segments of 12 takes 164 us packed, 176 late; of 24, 161 and 127; of log-normal
/// lengths of mean 60, 174 and 159. By own joins, these took 7 % longer late, segments of 129 a quarter less. By quick
/// joins: means of segments of 200 take 82 us packed, 85 late; of 300 101 and 86, of 500 78 and 86, of 600 120 and 88;
/// of geometric lengths of mean 100 93 and 95, of mean 300 116 and 97.)
template <class Leaves>
inline constexpr int min_late_length =
    may_join_full_nodes<wide_leaves<Leaves>> || detail::may_join_terms<late_leaves<Leaves>> ? 16
    : has_long_joins<Leaves>                                                                ? 96
                                                                                            : 224;

namespace detail {

/// Whether right edges are worth joining late: by full nodes, if the operator tells a short join for them; by its own
/// joins, if folds take longer than those of sums.
template <class Leaves> WARPFOLD_JIT consteval bool gains_by_late_edges() {
  if constexpr (may_join_full_nodes<wide_leaves<Leaves>>)
    return requires(const typename thread::detail::full_form<wide_leaves<Leaves>>::type& op,
                    const thread::full_node<wide_leaves<Leaves>>& left, const typename Leaves::accumulator& right) {
      op.join_fewer(left, 1, right);
    };
  else return may_join_own_nodes<wide_leaves<Leaves>> && folds_slowly<Leaves>;
}

/// Folds up to 32 of the `pending` segments, whose numbers are counted from `first_segment`, and returns how many. Not
/// inlined: one copy is enough for the instruction cache, and has registers of its own.
template <bool Prefetches, class Arguments, class Storage>
WARPFOLD_NO_INLINE __device__ int fold_late(const Arguments& arguments, std::int64_t first_segment, Storage& own,
                                            int pending) {
  using index = typename decltype(Arguments::segments)::index;
  using leaves_type = late_leaves<typename Arguments::leaves_type>;
  const leaves_type leaves = arguments.leaves.template from<leaves_type::chunk_items>(0);
  const int lane = arch::lane_id(), taken = least_of(pending, warp_lanes);
  const auto one = pending_segment<index>::load(own.pending[least_of(lane, taken - 1)]);
  const int count = lane < taken ? one.count : 0;
  const auto begin = warp::shuffle(one.first, 0), end = static_cast<index>(warp::shuffle(one.first + count, taken - 1));
  const bool inside = leaves.source.is_inside(begin, end);
  if constexpr (Prefetches)
    warp::prefetch_items<max_prefetched_pending>(
        leaves.source, begin, static_cast<int>(least_of(end - begin, index{max_prefetched_pending})));
  fold_lanes(leaves, one.first, count, inside, arguments.op, own.edges, [&](const typename Arguments::A& result) {
    arguments.write(arguments.out, first_segment + one.number, one.first, count, result);
  });
  return taken;
}

}  // namespace detail

/// The packing of one warp; all lanes call each member. `TakesFew`: lanes fold short segments alone (few_items.cuh).
template <class Arguments, bool TakesFew = false> class late_packed_segments {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using index = typename decltype(Arguments::segments)::index;
  using by_lanes = lane_folds<Arguments, 0, TakesFew>;
  static constexpr int chunk_items = late_leaves<leaves_type>::chunk_items, tiny = by_lanes::most,
                       max_segment_items = (chunk_items << detail::log_side_by_side) - 1;
  static constexpr bool prefetches_tiles = TakesFew;
  static constexpr bool packs_all = true, limits_items = false;  ///< a tile may have any number of items
  static constexpr int max_items = 0x7FFFFFFF;
  /// Long pieces wait in the room of edges until the edges of short segments need it, but not in that of lists, which
  /// each tile needs. (On an H200, moments of 2^26 floats in segments of geometric lengths of mean 1500, by offsets,
  /// take 138 us if none waits, and 103 so.)
  static constexpr bool lets_long_pieces_wait = !TakesFew;
  static constexpr int max_pending = 2 * warp_lanes;
  struct storage {
    pending_segments<index, max_pending> pending;
    union {
      edge_storage<late_leaves<leaves_type>, detail::log_side_by_side> edges;
      typename by_lanes::storage few;
      typename long_pieces<Arguments>::storage of_long;
    };
  };

  /// The numbers of pending segments are counted from `first_segment`.
  __device__ late_packed_segments(const Arguments& arguments, std::int64_t first_segment, storage& own,
                                  long_pieces<Arguments>& long_ones)
      : arguments_(arguments), first_segment_(first_segment), own_(own), long_ones_(long_ones) {}

  /// Folds the kept segments of the tile that begins with segment `first`, or appends them to the pending ones. The
  /// longest has `longest` items. Returns the new number of pending segments.
  template <class Tile> __device__ int fold(Tile tile, std::int64_t first, int taken, int longest, int pending) const {
    const int most = by_lanes::most_of(tile, taken);
    if constexpr (TakesFew) {
      // Here nothing of the tile is kept across calls, which would be in local memory.
      if (const int longer = longest <= most ? 0 : tile.count_above(most); pending + longer <= max_pending) {
        if (longer > 0) pending = append_at_once(tile, most, first, pending);
        if (tile.any_up_to(most)) by_lanes::fold(arguments_, tile, first, taken, most, own_.few, [] {});
        while (pending >= warp_lanes) pending = keep_pending(own_.pending, fold_pending_ones(pending), pending);
        return pending;
      }
    }
    if (tile.any_up_to(most)) by_lanes::fold(arguments_, tile, first, taken, most, own_.few, [] {});
    if (longest <= most) return pending;
    int number = static_cast<int>(first - first_segment_) + arch::lane_id();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Tile::segments_per_lane; ++k, number += warp_lanes) {
      pending = append_pending(own_.pending, pending, tile.count(0) > most,
                               static_cast<index>(tile.base + tile.begin[0]), tile.count(0), number);
      __syncwarp();
      const int folded = pending >= warp_lanes ? fold_pending_ones(pending) : 0;
      pending = keep_pending(own_.pending, folded, pending);
      tile.template drop_first<1>();
    }
    return pending;
  }
  /// Folds a whole tile of segments of up to `tiny` items, if holds(tile). Calls meanwhile() on the way.
  template <class Tile, class Meanwhile>
  __device__ void fold_tiny(const Tile& tile, std::int64_t first, int, Meanwhile meanwhile) const {
    by_lanes::fold(arguments_, tile, first, Tile::segments_per_lane * warp_lanes, tiny, own_.few, meanwhile);
  }
  template <class Tile> __device__ static bool holds(const Tile& tile) {
    return by_lanes::most_of(tile, Tile::segments_per_lane * warp_lanes) == tiny;
  }
  /// Folds the segments that are still pending.
  __device__ void finish(int pending) const {
    if (pending > 0) fold_pending_ones(pending);
  }

 private:
  /// Appends the tile's segments of more than `most` items to the pending ones, where there is room. Returns the new
  /// number of pending segments.
  template <class Tile>
  __device__ int append_at_once(const Tile& tile, int most, std::int64_t first, int pending) const {
    const int number = static_cast<int>(first - first_segment_) + arch::lane_id();
    WARPFOLD_UNROLL
    for (int k = 0; k < Tile::segments_per_lane; ++k)
      pending = append_pending(own_.pending, pending, tile.count(k) > most,
                               static_cast<index>(tile.base + tile.begin[k]), tile.count(k), number + k * warp_lanes);
    __syncwarp();
    return pending;
  }
  __device__ int fold_pending_ones(int pending) const {
    if constexpr (lets_long_pieces_wait) long_ones_.finish();
    constexpr bool prefetches = !TakesFew && may_join_full_nodes<wide_leaves<leaves_type>>;
    return detail::fold_late<prefetches>(arguments_, first_segment_, own_, pending);
  }

  const Arguments& arguments_;
  const std::int64_t first_segment_;
  storage& own_;
  long_pieces<Arguments>& long_ones_;
};

template <class Arguments> using late_packed_and_few_segments = late_packed_segments<Arguments, true>;

/// Whether the operator and shared memory allow it.
template <class Arguments> WARPFOLD_JIT consteval bool find_may_pack_late() {
  using leaves = typename Arguments::leaves_type;
  if constexpr (!decltype(Arguments::segments)::is_fixed_length && detail::gains_by_late_edges<leaves>()) {
    constexpr int warps = policy_of<leaves>.block_threads / warp_lanes;
    constexpr std::size_t bytes = sizeof(typename late_packed_segments<Arguments>::storage) +
                                  sizeof(typename decltype(Arguments::segments)::scratch);
    return warps * bytes <= max_packing_bytes;
  } else return false;
}
template <class Arguments> inline constexpr bool may_pack_late = find_may_pack_late<Arguments>();

}  // namespace warpfold::segmented
