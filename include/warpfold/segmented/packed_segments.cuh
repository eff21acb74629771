// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds tiles of tiny segments and of mixed lengths in place. Tiny segments are read item by item, of narrow items by
// half chunks. The others are packed: they wait until 32 lanes are full of their chunks, so a few longer segments cost
// no more than their items. If folds are long (code_size.cuh), no segment but an empty one is tiny.
#pragma once
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/pending_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

/// The leaves of packed segments if their edges are joined late: a lane holds few full nodes, and no accumulators.
template <class Leaves, class Full = thread::full_node<wide_leaves<Leaves>>>
using late_leaves = typename in_chunks<Leaves, wide_chunk_items(thread::held_bytes<typename Leaves::source_type, Full>,
                                                                sizeof(Full), wide_items<Leaves>)>::type;

/// The chunks of packed segments, and a warp's storage for their right edges, if these are joined late.
template <class Leaves> struct edges_at_once {
  static constexpr int chunk_items = wide_items<Leaves>;
  struct storage {};
};
template <class Leaves> struct edges_joined_late {
  static constexpr int chunk_items = late_leaves<Leaves>::chunk_items;
  using storage = edge_nodes<late_leaves<Leaves>, log2_of(warp_lanes)>;
};
/// Which of them, if shared memory holds `Bytes` bytes beside the storage.
template <class Leaves, std::size_t Bytes> consteval auto choose_edges() {
  if constexpr (may_join_edges_late<wide_leaves<Leaves>>) {
    constexpr int warps = policy_of<Leaves>.block_threads / warp_lanes;
    constexpr std::size_t own =
        sizeof(typename edges_joined_late<Leaves>::storage) + sizeof(long_segment_nodes<Leaves>);
    if constexpr (warps * (own + Bytes) <= max_packing_bytes) return std::type_identity<edges_joined_late<Leaves>>{};
    else return std::type_identity<edges_at_once<Leaves>>{};
  } else return std::type_identity<edges_at_once<Leaves>>{};
}
template <class Leaves, std::size_t Bytes> using edges_beside = typename decltype(choose_edges<Leaves, Bytes>())::type;

/// Folds pending segments in chunks of `Items` items (pending_segments.cuh), and writes their results. Numbers are
/// counted from `first_segment`.
template <int Items, class Arguments, class Storage>
__device__ int fold_and_write(const Arguments& arguments, std::int64_t first_segment, Storage& own, int from,
                              int pending, bool all) {
  using A = typename Arguments::leaves_type::accumulator;
  using index = typename decltype(Arguments::segments)::index;
  return fold_pending(arguments.leaves.template from<Items>(0), own.pending, own.nodes, from, pending, all,
                      arguments.op, [&](int number, index begin, int count, const A& value) {
                        arguments.write(arguments.out, first_segment + number, begin, count, value);
                      });
}
/// The same, not inlined: one copy of long folds is enough for the instruction cache, and has registers of its own.
template <int Items, class Arguments, class Storage>
WARPFOLD_NO_INLINE __device__ int fold_and_write_apart(const Arguments& arguments, std::int64_t first_segment,
                                                       Storage& own, int from, int pending, bool all) {
  __syncwarp();
  return fold_and_write<Items>(arguments, first_segment, own, from, pending, all);
}

/// The packing of one warp; all lanes call each member.
template <class Arguments> class packed_segments {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using index = typename decltype(Arguments::segments)::index;
  using A = typename leaves_type::accumulator;
  static constexpr bool packs_all = packs_all_lengths<leaves_type>;
  static constexpr int tiny = packs_all ? 0 : policy_of<leaves_type>.tiny_items,
                       half = packs_all ? 0 : half_chunk_items<leaves_type>;
  static constexpr bool limits_items = false;  ///< a tile may have any number of items
  static constexpr int max_items = 0x7FFFFFFF;
  /// If folds are long, segments wait for 31 others at most: shared memory is left for the nodes at their edges.
  static constexpr bool appends_rows = has_long_joins<leaves_type>;
  using queue = pending_segments<index, warp_lanes*(appends_rows ? 2 : tile_segments_per_lane + 1)>;
  using edges = edges_beside<leaves_type, sizeof(queue) + sizeof(typename decltype(Arguments::segments)::scratch)>;
  static constexpr int chunk_items = edges::chunk_items;
  struct storage {
    queue pending;
    typename edges::storage nodes;
  };

  /// The numbers of pending segments are counted from `first_segment`.
  __device__ packed_segments(const Arguments& arguments, std::int64_t first_segment, storage& own)
      : arguments_(arguments), first_segment_(first_segment), own_(own), queue_(own.pending) {}

  /// Folds the `taken` kept segments of the tile that begins with segment `first`, or appends them to the pending ones.
  /// The longest has `longest` items. Returns the new number of pending segments. (A member that counts them would cost
  /// spills.)
  template <class Tile>
  __device__ int fold(const Tile& tile, std::int64_t first, int taken, int longest, int pending) const {
    bool by_chunks = false;  // if many segments that are not tiny fit half a chunk
    if constexpr (half > 0) {
      by_chunks = tile.count_above(tiny) - tile.count_above(half) > max_waiting_half_chunks;
      if (by_chunks) fold_chunks_in_place<half>(arguments_, tile, first, taken);
    }
    if (!by_chunks && tile.any_up_to(tiny)) fold_tiny_in_place<tiny>(arguments_, tile, first, [] {});
    const int most = by_chunks ? half : tiny;
    if (longest <= most) return pending;
    const int number = static_cast<int>(first - first_segment_) + arch::lane_id();
    if constexpr (appends_rows) return fold_row_by_row(tile, number, pending);
    else {
      WARPFOLD_UNROLL
      for (int k = 0; k < Tile::segments_per_lane; ++k)
        pending = append_pending(queue_, pending, tile.count(k) > most, static_cast<index>(tile.base + tile.begin[k]),
                                 tile.count(k), number + k * warp_lanes);
      return fold_full_rounds(pending);
    }
  }
  /// Folds a tile of tiny segments. Calls meanwhile() while the loads are in flight.
  template <class Tile, class Meanwhile>
  __device__ void fold_tiny(const Tile& tile, std::int64_t first, Meanwhile meanwhile) const {
    fold_tiny_in_place<tiny>(arguments_, tile, first, meanwhile);
  }
  template <class Tile> __device__ static constexpr bool holds(const Tile&) { return true; }
  /// Folds the segments that are still pending.
  __device__ void finish(int pending) const {
    for (int from = 0; from < pending;) from += fold_rounds(from, pending, true);
  }

 private:
  /// The same for a tile's segments that are not empty, 32 at a time. The calling lane's first has number `number`.
  template <class Tile> __device__ int fold_row_by_row(Tile tile, int number, int pending) const {
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Tile::segments_per_lane; ++k, number += warp_lanes) {
      pending = fold_full_rounds(append_pending(queue_, pending, tile.count(0) > 0,
                                                static_cast<index>(tile.base + tile.begin[0]), tile.count(0), number));
      tile.template drop_first<1>();
    }
    return pending;
  }
  /// Folds as many of the pending segments as fill a warp. Returns the number of others.
  __device__ int fold_full_rounds(int pending) const {
    __syncwarp();
    int from = 0;
    while (pending - from >= warp_lanes) from += fold_rounds(from, pending, false);
    return keep_pending(queue_, from, pending);
  }
  __device__ int fold_rounds(int from, int pending, bool all) const {
    if constexpr (has_long_joins<leaves_type>)
      return fold_and_write_apart<chunk_items>(arguments_, first_segment_, own_, from, pending, all);
    else return fold_and_write<chunk_items>(arguments_, first_segment_, own_, from, pending, all);
  }

  const Arguments& arguments_;
  const std::int64_t first_segment_;
  storage& own_;
  queue& queue_;
};

}  // namespace warpfold::segmented
