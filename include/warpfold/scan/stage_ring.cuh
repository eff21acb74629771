// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared memory of the staged scan: a ring of stages, each of which holds one tile at a time.
//
// Protocol: what happens to a stage, and the barrier that each step arrives at. Waiters acquire what arrivals release.
//
//   filled    The producer has written the tile's number and its items at the ends of whole vectors; the bulk copies of
//             all others have arrived. After the last tile, the number is `tiles`, and nothing follows.
//   folded    Each folding warp has written the nodes of its share of the tile's warps.
//   joined    The nodes before the tile have been written. The tile's own node, and those of the groups that it
//             completes, have been published.
//   emptied   Each scanning warp has read its items and all nodes, and the leaving warp the tile's number. The producer
//             waits for it before it fills the stage again.
#pragma once
#include <warpfold/arch/bulk_copy.cuh>
#include <warpfold/grid/drawn_work.cuh>
#include <warpfold/scan/arguments.cuh>
#include <warpfold/thread/shared_source.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves, class Shape> struct stage_ring {
  using A = typename Leaves::accumulator;
  using item = typename Leaves::source_type::item;
  static constexpr staged_shape shape = Shape::value;
  static constexpr int rows = shape.rows, warps = shape.warps, stages = shape.stages;
  static constexpr int chunk_items = Leaves::chunk_items, warp_items = rows * warp_lanes * chunk_items,
                       tile_items = warps * warp_items, tile_bytes = tile_items * int{sizeof(item)};

  struct alignas(16) vector {
    std::uint32_t words[4];
  };
  struct stage {
    thread::array<vector, tile_bytes / 16 + 1> items;  ///< from the 16-byte boundary before the first one on
    thread::array<A, warps> nodes;                     ///< of the tile's warps
    /// Entry b: the node of bit b of the tile's number, if the bit is set.
    thread::array<A, grid::ring_levels * grid::log_window> before;
    int tile;
    arch::mbarrier filled, folded, joined, emptied;
  };
  stage all[stages];

  /// The items of one of the tile's warps, in rows. What does not exist is unknown.
  __device__ static void load(const Leaves& leaves, const stage& from, int warp,
                              typename Leaves::chunk (&chunks)[rows]) {
    const thread::shared_source<item, chunk_items> items{from.items.bytes, leaves.source.misaligned_bytes()};
    const int own = warp * warp_items + arch::lane_id() * chunk_items;
    WARPFOLD_UNROLL
    for (int row = 0; row < rows; ++row) items.load(chunks[row], own + row * warp_lanes * chunk_items);
  }
  /// One thread calls it; a barrier of the block follows.
  __device__ void begin() {
    for (stage& each : all) {
      each.filled.init(2);  // for bulk copies, and for what is copied by words
      each.folded.init(static_cast<unsigned>(shape.folders));
      each.joined.init(3);  // looker, publisher, publisher of groups
      each.emptied.init(static_cast<unsigned>(warps + 1));
    }
    arch::fence_mbarrier_init();
  }
};

/// All lanes of the warp wait for a phase.
__device__ inline void wait_for(arch::mbarrier& barrier, unsigned parity) {
  barrier.wait_parity(parity);
  __syncwarp();
}
/// The warp arrives, once all its lanes have come here.
__device__ inline void arrive_at(arch::mbarrier& barrier) {
  __syncwarp();
  if (arch::lane_id() == 0) barrier.arrive();
}

/// Copies a word to shared memory.
__device__ inline void copy_word(unsigned char* to, const unsigned char* from) {
  std::uint32_t word;
  arch::read_once::load<4>(from, &word);
  arch::store_shared<4>(to, &word);
}

/// Brings up to `most` items from item `first` on, at their distance from a boundary of vectors. Whole vectors come by
/// bulk copies; items that share a vector with others are copied word by word, so nothing else is read.
template <class Stage, class Source>
__device__ void fill_stage(Stage& stage, const Source& source, std::int64_t first, int most) {
  constexpr int item_bytes = sizeof(typename Source::item), piece_bytes = 16 * 1024;
  const auto* const items = reinterpret_cast<const unsigned char*>(source.data + first);
  const int before = static_cast<int>(reinterpret_cast<std::uintptr_t>(items) & 15), lane = arch::lane_id();
  const int end = before + static_cast<int>(least_of(source.items - first, std::int64_t{most})) * item_bytes;
  const int whole_begin = (before + 15) & ~15, whole_end = greatest_of(end & ~15, whole_begin);
  const auto* const from = items - before;
  if (lane == 0) {
    stage.filled.arrive_expect_tx(static_cast<unsigned>(whole_end - whole_begin));
    for (int at = whole_begin; at < whole_end; at += piece_bytes)
      arch::bulk_copy_to_shared(stage.items.bytes + at, from + at,
                                static_cast<unsigned>(least_of(whole_end - at, piece_bytes)), stage.filled);
  }
  const bool is_in_first = lane < 4;  // vector; four other lanes copy the words of the last one
  const int word = (is_in_first ? 0 : whole_end) + (lane & 3) * 4;
  if (lane < 8 && word >= before && word < (is_in_first ? least_of(whole_begin, end) : end))
    copy_word(stage.items.bytes + word, from + word);
  // A later bulk copy into the same place must come after these words. (Today there is none: only the last tile is
  // short.)
  arch::fence_proxy_async();
  arrive_at(stage.filled);
}

/// Fills stages with the block's tiles, as it draws them, and then with the number `tiles`. One warp calls it.
template <class Ring, class Source, class Nodes>
__device__ void fill_stages(Ring& ring, const Source& source, const Nodes& nodes) {
  unsigned parity = 1;  // of the phase before the first: nobody waits for it
  for (int place = 0;;) {
    auto& stage = ring.all[place];
    wait_for(stage.emptied, parity);
    if (arch::lane_id() == 0)
      stage.tile = static_cast<int>(grid::draw_item(&nodes.control->next_tile, nodes.tiles, true));
    __syncwarp();
    const int tile = stage.tile;
    if (tile >= nodes.tiles) {
      if (arch::lane_id() == 0) stage.filled.arrive();
      return arrive_at(stage.filled);
    }
    fill_stage(stage, source, std::int64_t{tile} * Ring::tile_items, Ring::tile_items);
    if (++place == Ring::stages) place = 0, parity ^= 1;
  }
}

/// Calls take(stage, parity) for each filled stage, in turn, until there are no more tiles. One warp calls it.
template <class Ring, class Take> __device__ void each_tile(Ring& ring, int tiles, Take take) {
  unsigned parity = 0;
  for (int place = 0;;) {
    auto& stage = ring.all[place];
    wait_for(stage.filled, parity);
    if (stage.tile >= tiles) return;
    take(stage, parity);
    if (++place == Ring::stages) place = 0, parity ^= 1;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
