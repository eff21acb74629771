// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds tiles of tiny segments and of mixed lengths in place. Tiny segments are read item by item, of narrow items by
// half chunks. The others are packed: they wait until 32 lanes are full of their chunks, so a few longer segments cost
// no more than their items. If folds are long (code_size.cuh), no segment but an empty one is tiny.
#pragma once
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/few_items.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/pending_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

struct no_edges {};
/// A warp's storage for right edges beside `Bytes` bytes, if they are joined late and shared memory holds it.
template <class Leaves, std::size_t Bytes> consteval auto choose_edges() {
  if constexpr (joins_edges_late<Leaves>) {
    using nodes = edge_storage<Leaves, log2_of(warp_lanes)>;
    constexpr int warps = policy_of<Leaves>.block_threads / warp_lanes;
    if constexpr (warps * (sizeof(nodes) + Bytes) <= max_packing_bytes) return std::type_identity<nodes>{};
    else return std::type_identity<no_edges>{};
  } else return std::type_identity<no_edges>{};
}
template <class Leaves, std::size_t Bytes> using edges_beside = typename decltype(choose_edges<Leaves, Bytes>())::type;

/// The packing of one warp; all lanes call each member. `TakesFew`: lanes fold tiny segments alone (few_items.cuh).
template <class Arguments, bool TakesFew = false> class packed_segments {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using index = typename decltype(Arguments::segments)::index;
  using A = typename leaves_type::accumulator;
  static constexpr bool prefetches_tiles = TakesFew;
  static constexpr bool packs_all = packs_all_lengths<leaves_type>;
  using by_lanes = lane_folds<Arguments, packs_all ? 0 : policy_of<leaves_type>.tiny_items, TakesFew>;
  static constexpr int tiny = by_lanes::most, half = packs_all ? 0 : half_chunk_items<leaves_type>;
  static constexpr int chunk_items = wide_items<leaves_type>, max_segment_items = warp_lanes * chunk_items;
  static constexpr bool limits_items = false;  ///< a tile may have any number of items
  static constexpr bool lets_long_pieces_wait = false;
  static constexpr int max_items = 0x7FFFFFFF;
  using queue = pending_segments<index, warp_lanes*(tile_segments_per_lane + 1)>;
  using edges =
      edges_beside<wide_leaves<leaves_type>, sizeof(queue) + sizeof(typename long_pieces<Arguments>::storage) +
                                                 sizeof(typename decltype(Arguments::segments)::scratch)>;
  struct storage {
    queue pending;
    union {
      edges nodes;
      typename by_lanes::storage few;
      typename long_pieces<Arguments>::storage of_long;
    };
  };

  /// The numbers of pending segments are counted from `first_segment`.
  __device__ packed_segments(const Arguments& arguments, std::int64_t first_segment, storage& own,
                             const long_pieces<Arguments>&)
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
    const int most = by_chunks ? half : by_lanes::most_of(tile, taken);
    if (!by_chunks && tile.any_up_to(most)) by_lanes::fold(arguments_, tile, first, taken, most, own_.few, [] {});
    if (longest <= most) return pending;
    const int number = static_cast<int>(first - first_segment_) + arch::lane_id();
    WARPFOLD_UNROLL
    for (int k = 0; k < Tile::segments_per_lane; ++k)
      pending = append_pending(queue_, pending, tile.count(k) > most, static_cast<index>(tile.base + tile.begin[k]),
                               tile.count(k), number + k * warp_lanes);
    __syncwarp();
    int from = 0;
    while (pending - from >= warp_lanes) from += fold_rounds(from, pending, false);
    return keep_pending(queue_, from, pending);
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
    for (int from = 0; from < pending;) from += fold_rounds(from, pending, true);
  }

 private:
  __device__ int fold_rounds(int from, int pending, bool all) const {
    return fold_pending(arguments_.leaves.template from<chunk_items>(0), queue_, own_.nodes, from, pending, all,
                        arguments_.op, [&](int number, index begin, int count, const A& value) {
                          arguments_.write(arguments_.out, first_segment_ + number, begin, count, value);
                        });
  }

  const Arguments& arguments_;
  const std::int64_t first_segment_;
  storage& own_;
  queue& queue_;
};

template <class Arguments> using packed_and_few_segments = packed_segments<Arguments, true>;

}  // namespace warpfold::segmented
