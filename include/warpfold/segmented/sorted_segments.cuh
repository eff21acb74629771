// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs the segments of operators with long joins (code_size.cuh). Short segments, of less than a chunk, wait apart from
// longer ones: 32 of them need no exchange and few joins, and beside a longer one, most lanes would wait for it. Folds
// are not inlined: one copy of each is enough for the instruction cache, and has registers of its own.
#pragma once
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/pending_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

/// Segments whose edges are joined where their chunks are folded. Short ones have at most half a chunk.
template <class Leaves> struct edges_at_once {
  static constexpr int chunk_items = wide_items<Leaves>, short_items = chunk_items / 2,
                       short_chunk_items = greatest_of(short_items, 1);
  struct storage {};
};
/// Segments whose edges are joined late: a lane holds few full nodes, and no accumulators.
template <class Leaves> struct edges_joined_late {
  using full = thread::full_node<wide_leaves<Leaves>>;
  static constexpr int chunk_items = wide_chunk_items(thread::held_bytes<typename Leaves::source_type, full>,
                                                      sizeof(full), wide_items<Leaves>),
                       short_items = chunk_items - 1, short_chunk_items = chunk_items;
  using storage = edge_nodes<typename in_chunks<Leaves, chunk_items>::type, log2_of(warp_lanes)>;
};
/// Which of them, if shared memory holds `Bytes` bytes of a warp beside the storage.
template <class Leaves, std::size_t Bytes> consteval auto choose_edges() {
  if constexpr (may_join_edges_late<wide_leaves<Leaves>>) {
    constexpr int warps = policy_of<Leaves>.block_threads / warp_lanes;
    constexpr std::size_t own =
        sizeof(typename edges_joined_late<Leaves>::storage) + sizeof(long_segment_nodes<Leaves>);
    if constexpr (warps * (own + Bytes) <= max_packing_bytes) return std::type_identity<edges_joined_late<Leaves>>{};
    else return std::type_identity<edges_at_once<Leaves>>{};
  } else return std::type_identity<edges_at_once<Leaves>>{};
}

/// The pending segments of one warp, in chunks of `Items` items. Folds and writes some, as fold_pending does. Their
/// numbers are counted from `first_segment`.
template <int Items, class Arguments, class Queue, class Edges>
WARPFOLD_NO_INLINE __device__ int fold_and_write(const Arguments& arguments, std::int64_t first_segment, Queue& queue,
                                                 Edges& edges, int from, int pending, bool all) {
  using A = typename Arguments::leaves_type::accumulator;
  using index = typename decltype(Arguments::segments)::index;
  const auto leaves = arguments.leaves.template from<Items>(0);
  const auto write = [&](int number, index begin, int count, const A& value) {
    arguments.write(arguments.out, first_segment + number, begin, count, value);
  };
  if constexpr (std::is_empty_v<Edges>) return fold_pending(leaves, queue, from, pending, all, arguments.op, write);
  else return fold_pending_late(leaves, queue, edges, from, pending, arguments.op, write);
}

/// The packing of one warp; all lanes call each member.
template <class Arguments> class sorted_segments {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using index = typename decltype(Arguments::segments)::index;
  using A = typename leaves_type::accumulator;
  static constexpr bool packs_all = true, limits_items = false;
  static constexpr int tiny = 0, max_items = 0x7FFFFFFF;
  /// After each row of a tile, less than 32 segments of each kind wait.
  using queue = pending_segments<index, 2 * warp_lanes>;
  using edges =
      typename decltype(choose_edges<leaves_type, 2 * sizeof(queue) +
                                                      sizeof(typename decltype(Arguments::segments)::scratch)>())::type;
  static constexpr int chunk_items = edges::chunk_items;
  struct storage {
    thread::array<queue, 2> pending;  ///< short ones, and longer ones
    typename edges::storage nodes;
  };

  /// The numbers of pending segments are counted from `first_segment`.
  __device__ sorted_segments(const Arguments& arguments, std::int64_t first_segment, storage& own)
      : arguments_(arguments), first_segment_(first_segment), own_(own) {}

  /// Folds the kept segments of the tile that begins with segment `first`, or appends them to the pending ones. The
  /// longest has `longest` items. Returns the new numbers of pending segments, in one.
  template <class Tile> __device__ int fold(Tile tile, std::int64_t first, int, int longest, int pending) const {
    if (tile.any_up_to(0)) fold_tiny(tile, first, [] {});
    if (longest <= 0) return pending;
    int number = static_cast<int>(first - first_segment_) + arch::lane_id();
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Tile::segments_per_lane; ++k, number += warp_lanes) {
      const pending_segment<index> own{static_cast<index>(tile.base + tile.begin[0]), tile.count(0), number};
      WARPFOLD_NO_UNROLL
      for (int kind = 0; kind < 2; ++kind) pending = add_row(own, kind, pending);
      tile.template drop_first<1>();
    }
    return pending;
  }
  /// Writes the results of a tile's empty segments. Calls meanwhile().
  template <class Tile, class Meanwhile>
  __device__ void fold_tiny(const Tile& tile, std::int64_t first, Meanwhile meanwhile) const {
    meanwhile();
    A result{};
    if constexpr (!thread::joins_initial_value<std::remove_cvref_t<decltype(Arguments::out)>>)
      result = arguments_.empty.alone();
    const auto out = arguments_.out + first + arch::lane_id();
    WARPFOLD_UNROLL
    for (int k = 0; k < Tile::segments_per_lane; ++k)
      if (tile.count(k) == 0) thread::put(place_of(out, k * warp_lanes, tile.base + tile.begin[k], 0), result);
  }
  template <class Tile> __device__ static constexpr bool holds(const Tile&) { return true; }
  /// Folds the segments that are still pending.
  __device__ void finish(int pending) const {
    WARPFOLD_NO_UNROLL
    for (int kind = 0; kind < 2; ++kind)
      for (int from = 0; from < count_of(pending, kind);) from += fold_some(kind, from, count_of(pending, kind), true);
  }

 private:
  static constexpr int count_bits = 8;
  __device__ static int count_of(int pending, int kind) {
    return pending >> kind * count_bits & ((1 << count_bits) - 1);
  }

  /// Adds those of a row that are of this kind.
  __device__ int add_row(const pending_segment<index>& own, int kind, int pending) const {
    auto& queue = own_.pending[kind];
    const bool is_of_kind = own.count > 0 && (own.count > edges::short_items) == (kind == 1);
    const int before = count_of(pending, kind),
              all = append_pending(queue, before, is_of_kind, own.first, own.count, own.number);
    __syncwarp();
    int from = 0;
    while (all - from >= warp_lanes) from += fold_some(kind, from, all, false);
    return pending + ((keep_pending(queue, from, all) - before) << kind * count_bits);
  }
  __device__ int fold_some(int kind, int from, int pending, bool all) const {
    auto& queue = own_.pending[kind];
    if (edges::short_chunk_items < chunk_items && kind == 0)
      return fold_and_write<edges::short_chunk_items>(arguments_, first_segment_, queue, own_.nodes, from, pending,
                                                      all);
    return fold_and_write<chunk_items>(arguments_, first_segment_, queue, own_.nodes, from, pending, all);
  }

  const Arguments& arguments_;
  const std::int64_t first_segment_;
  storage& own_;
};

}  // namespace warpfold::segmented
