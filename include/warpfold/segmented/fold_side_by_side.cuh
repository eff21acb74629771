// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds the chunks of up to 32 short segments together, one chunk per lane, to the nodes at the segments' right edges.
#pragma once
#include <warpfold/segmented/chunk_joins.cuh>
#include <warpfold/segmented/edge_nodes.cuh>
#include <warpfold/segmented/load_chunk.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::segmented {

namespace detail {

/// Segments have fewer than 2^log_side_by_side chunks.
inline constexpr int log_side_by_side = log2_of(warp_lanes) + 1;

/// The nodes at the edges of 32 segments of fewer than 64 chunks each, packed into rounds of 32 lanes, one chunk per
/// lane: first all nodes of 32 chunks, then all of 16, and so on. So each begins at a multiple of its size, no round
/// but the last one is partly empty, and no node crosses its end.
template <class Nodes> class packed_nodes {
 public:
  /// Where a chunk belongs: chunk `chunk` of segment `segment`, and chunk `part` of a node of 2^level chunks.
  struct place {
    int level, segment, chunk, part;
    bool exists;
  };

  /// The segment of lane l has `chunks` chunks.
  __device__ packed_nodes(int chunks, Nodes& nodes) : nodes_(nodes) {
    const int lane = arch::lane_id();
    int numbers = 0;
    WARPFOLD_UNROLL
    for (int level = levels - 1; level >= 0; --level) {
      const bool has_node = chunks >> level & 1;
      const unsigned owners = __ballot_sync(full_warp, has_node);
      begins_[level] = total_, numbers_[level] = numbers;
      if (has_node) nodes.owners[numbers + __popc(owners & ((1u << lane) - 1))] = static_cast<unsigned char>(lane);
      total_ += __popc(owners) << level, numbers += __popc(owners);
    }
    __syncwarp();
  }

  __device__ int total() const { return total_; }  ///< chunks
  /// What the calling lane has in the round from chunk `done` of all on, where its segment's owner has `chunks` chunks.
  __device__ place at(int done, int chunks) const {
    const int own = done + arch::lane_id();
    int level = levels - 1, begin = 0, number = 0;
    WARPFOLD_UNROLL
    for (int l = levels - 2; l >= 0; --l)
      if (own >= begins_[l]) level = l, begin = begins_[l], number = numbers_[l];
    const int within = own - begin, part = within & ((1 << level) - 1);
    const bool exists = own < total_;
    const int segment = exists ? nodes_.owners[number + (within >> level)] : 0;
    return {level, segment, (__shfl_sync(full_warp, chunks, segment) >> (level + 1) << (level + 1)) + part, part,
            exists};
  }

 private:
  static constexpr int levels = log_side_by_side;
  Nodes& nodes_;
  int begins_[levels], numbers_[levels];  // of the nodes of 2^level chunks: the first one's first chunk, and number
  int total_ = 0;
};

/// Folds a round of chunks, one per lane, to the nodes that they form. `own` is the place of the calling lane's chunk.
template <class Joins, class Chunk, class Nodes>
__device__ void fold_round(const Joins& joins, const Chunk& held, const typename packed_nodes<Nodes>::place& own,
                           Nodes& nodes) {
  auto value = joins.chunk(held, 0, own.exists);
  const int top = __shfl_sync(full_warp, own.level, 0);
  WARPFOLD_NO_UNROLL
  for (int level = 0;; ++level) {
    if (level == own.level && own.part == 0 && own.exists) nodes.at(level, own.segment) = joins.node(value);
    if (level == top) break;
    const auto right = warp::shuffle_down(value, 1 << level);
    // Another lane's join is no node, and is not kept.
    const bool is_node = level < own.level && own.exists && (own.part & ((2 << level) - 1)) == 0;
    if (Joins::joins_any || is_node) value = joins.join(value, right, 1 << level);
  }
}

/// Folds the chunks of 32 segments side by side to the nodes at their edges. Lane l has `chunks` chunks, fewer than 64,
/// of segment l, from item `first` on. Chunks are added as plain terms if they can be, else joined by `joins`
/// (chunk_joins.cuh), which says whether the next chunk is loaded meanwhile.
template <class Leaves, class Index, class Joins, class Nodes>
__device__ void fold_side_by_side(const Leaves& leaves, Index first, int chunks, chunk_access access, Joins joins,
                                  Nodes& nodes) {
  constexpr int chunk_items = Leaves::chunk_items;
  const packed_nodes packed(chunks, nodes);
  typename Leaves::chunk ahead = {};
  auto next = packed.at(0, chunks);
  const auto load = [&] {
    load_chunk(leaves, ahead, warp::shuffle(first, next.segment) + next.chunk * chunk_items,
               next.exists ? chunk_items : 0, access);
  };
  if (Joins::loads_ahead) load();
  WARPFOLD_NO_UNROLL
  for (int done = 0; done < packed.total(); done += warp_lanes) {
    if (!Joins::loads_ahead) next = packed.at(done, chunks), load();
    const auto own = next;
    const auto held = ahead;
    if (Joins::loads_ahead && done + warp_lanes < packed.total()) next = packed.at(done + warp_lanes, chunks), load();
    if constexpr (may_join_terms<Leaves>) {
      const typename Leaves::chunk rows[1] = {held};
      const term_joins<Leaves, 1> terms(rows, [&](int) { return own.exists; });
      if (__builtin_expect(terms.are_plain(), true)) {
        fold_round(terms, held, own, nodes);
        continue;
      }
    }
    fold_round(joins, held, own, nodes);
  }
}

}  // namespace detail

}  // namespace warpfold::segmented
