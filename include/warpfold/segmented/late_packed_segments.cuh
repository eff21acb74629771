// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs segments of up to 32 chunks where joins take long but the operator tells a short one for right edges
// (operator_traits.hpp: join_fewer): all their chunks are folded to full nodes side by side, and the edges of 32
// segments are joined at once (edge_joins.cuh). Beside packed_segments:
// - A lane holds few full nodes and no accumulators, so chunks are longer, and a warp exchanges nodes less often.
// - One join in a loop serves all levels of an edge, so the code fits the instruction cache.
// - At most 31 segments wait for others: the queue leaves shared memory to the nodes.
// Tiny segments are slower so: almost all of their items lie at edges.
#pragma once
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/pending_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>
#include <warpfold/thread/choose.cuh>

namespace warpfold::segmented {

/// From this mean length on, packing is late. On an H100, moments of segments of 4 items take an eighth longer so, of
/// 32 a tenth less, of 300 less than half.
inline constexpr int min_late_length = 16;

namespace detail {

template <class Leaves, int Items> using chunks_of_items = typename in_chunks<Leaves, Items>::type;
template <class Leaves> struct late_packing {
  using full = typename thread::detail::full_nodes_of<wide_leaves<Leaves>>::accumulator;
  static constexpr int chunk_items =
      wide_chunk_items(thread::held_bytes<typename Leaves::source_type, full>, sizeof(full), wide_items<Leaves>);
  using nodes = edge_nodes<chunks_of_items<Leaves, chunk_items>, log2_of(warp_lanes)>;
};
template <class Leaves> WARPFOLD_JIT consteval bool tells_join_fewer() {
  if constexpr (joins_edges_late<wide_leaves<Leaves>>)
    return requires(const Leaves& leaves, const typename late_packing<Leaves>::full& left,
                    const typename Leaves::accumulator& right) {
      leaves.transform.op.join_fewer(left, 1, right);
    };
  else return false;
}

/// The full nodes at the right edge of the last `count` items of a segment, which end before item `end`: less than a
/// chunk. Nodes of up to `part` items are picked from one fold; half a chunk, if it is more, is folded apart, since few
/// short segments have one.
template <class Leaves, class Index, class Full, int Levels>
__device__ void fold_tail(const Leaves& leaves, Index end, int count, bool inside, Full (&nodes)[Levels]) {
  constexpr int part = Leaves::chunk_items > 8 ? Leaves::chunk_items / 2 : Leaves::chunk_items;
  const auto parts = leaves.template from<part>(0);
  using chunk = typename std::remove_cv_t<decltype(parts)>::chunk;
  const int rest = count & (part - 1);
  chunk last = {}, before = {};
  load_chunk(parts, last, end - rest, rest, inside);
  const bool has_half = part < Leaves::chunk_items && (count & part) != 0;
  if (has_half) load_chunk(parts, before, end - count, part, inside);
  thread::detail::pick_full_nodes<0, part>(
      leaves.transform.op, [&](int k) { return full_item(parts, last, k, k < rest); }, rest, nodes);
  if constexpr (part < Leaves::chunk_items)
    if (has_half) nodes[log2_of(part)] = fold_full_chunk(parts, before, true);
}

/// As join_edge (edge_joins.cuh), but with one join for all levels, also those of the tail: the calling lane's segment
/// of `count` > 0 items from item `first` on, whose full nodes are in `nodes`.
template <class Leaves, class Index, class Nodes>
__device__ auto join_levels(const Leaves& leaves, Index first, int count, bool inside, const Nodes& nodes) ->
    typename Leaves::accumulator {
  using full = typename Nodes::full;
  constexpr int log_chunk = log2_of(Leaves::chunk_items);
  full of_tail[log_chunk] = {};
  fold_tail(leaves, static_cast<Index>(first + count), count & (Leaves::chunk_items - 1), inside, of_tail);
  typename Leaves::accumulator value{};
  bool found = false;
  WARPFOLD_NO_UNROLL
  for (int level = 0; count >> level != 0; ++level) {
    if (!(count >> level & 1)) continue;
    full node = of_tail[0];
    if (level >= log_chunk) node = nodes.at(level - log_chunk, arch::lane_id());
    else {
      WARPFOLD_UNROLL
      for (int l = 1; l < log_chunk; ++l) node = thread::choose(l == level, of_tail[l], node);
    }
    const std::int64_t items = std::int64_t{1} << level;
    value = found ? leaves.transform.op.join_fewer(node, items, value) : leaves.transform.op.of_full(node, items);
    found = true;
  }
  return value;
}

/// Folds up to 32 of the `pending` segments, whose numbers are counted from `first_segment`, and returns how many. Not
/// inlined: one copy is enough for the instruction cache, and has registers of its own.
template <class Arguments, class Storage>
WARPFOLD_NO_INLINE __device__ int fold_late(const Arguments& arguments, std::int64_t first_segment, Storage& own,
                                            int pending) {
  using index = typename decltype(Arguments::segments)::index;
  constexpr int chunk_items = late_packing<typename Arguments::leaves_type>::chunk_items;
  const auto leaves = arguments.leaves.template from<chunk_items>(0);
  const int lane = arch::lane_id(), taken = least_of(pending, warp_lanes);
  const auto one = pending_segment<index>::load(own.pending[least_of(lane, taken - 1)]);
  const int count = lane < taken ? one.count : 0;
  const bool inside = leaves.source.is_inside(warp::shuffle(one.first, 0), warp::shuffle(one.first + count, taken - 1));
  fold_side_by_side(leaves, one.first, count / chunk_items, inside, own.nodes);
  __syncwarp();
  if (count > 0)
    arguments.write(arguments.out, first_segment + one.number, one.first, count,
                    join_levels(leaves, one.first, count, inside, own.nodes));
  __syncwarp();
  return taken;
}

}  // namespace detail

/// The packing of one warp; all lanes call each member.
template <class Arguments> class late_packed_segments {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using index = typename decltype(Arguments::segments)::index;
  static constexpr int chunk_items = detail::late_packing<leaves_type>::chunk_items, tiny = 0;
  static constexpr bool packs_all = true, limits_items = false;  ///< a tile may have any number of items
  static constexpr int max_items = 0x7FFFFFFF;
  struct storage {
    pending_segments<index, warp_lanes * 2> pending;
    typename detail::late_packing<leaves_type>::nodes nodes;
  };

  /// The numbers of pending segments are counted from `first_segment`.
  __device__ late_packed_segments(const Arguments& arguments, std::int64_t first_segment, storage& own)
      : arguments_(arguments), first_segment_(first_segment), own_(own) {}

  /// Folds the kept segments of the tile that begins with segment `first`, or appends them to the pending ones. The
  /// longest has `longest` items. Returns the new number of pending segments.
  template <class Tile> __device__ int fold(Tile tile, std::int64_t first, int, int longest, int pending) const {
    if (tile.any_up_to(tiny)) fold_tiny(tile, first, [] {});
    if (longest <= tiny) return pending;
    int number = static_cast<int>(first - first_segment_) + arch::lane_id();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Tile::segments_per_lane; ++k, number += warp_lanes) {
      pending = append_pending(own_.pending, pending, tile.count(0) > tiny,
                               static_cast<index>(tile.base + tile.begin[0]), tile.count(0), number);
      __syncwarp();
      const int folded = pending >= warp_lanes ? fold_pending_ones(pending) : 0;
      pending = keep_pending(own_.pending, folded, pending);
      tile.template drop_first<1>();
    }
    return pending;
  }
  /// Writes the results of empty segments of a tile that has no others. Calls meanwhile() on the way.
  template <class Tile, class Meanwhile>
  __device__ void fold_tiny(const Tile& tile, std::int64_t first, Meanwhile meanwhile) const {
    fold_tiny_in_place<tiny>(arguments_, tile, first, meanwhile);
  }
  template <class Tile> __device__ static constexpr bool holds(const Tile&) { return true; }
  /// Folds the segments that are still pending.
  __device__ void finish(int pending) const {
    if (pending > 0) fold_pending_ones(pending);
  }

 private:
  __device__ int fold_pending_ones(int pending) const {
    return detail::fold_late(arguments_, first_segment_, own_, pending);
  }

  const Arguments& arguments_;
  const std::int64_t first_segment_;
  storage& own_;
};

/// Whether the operator and shared memory allow it.
template <class Arguments> WARPFOLD_JIT consteval bool find_may_pack_late() {
  using leaves = typename Arguments::leaves_type;
  if constexpr (!decltype(Arguments::segments)::is_fixed_length && detail::tells_join_fewer<leaves>()) {
    constexpr int warps = policy_of<leaves>.block_threads / warp_lanes;
    constexpr std::size_t bytes = sizeof(typename late_packed_segments<Arguments>::storage) +
                                  sizeof(typename decltype(Arguments::segments)::scratch) +
                                  sizeof(long_segment_nodes<leaves>);
    return warps * bytes <= max_packing_bytes;
  } else return false;
}
template <class Arguments> inline constexpr bool may_pack_late = find_may_pack_late<Arguments>();

}  // namespace warpfold::segmented
