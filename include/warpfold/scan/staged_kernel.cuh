// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of a scan of many contiguous items, for GPUs with bulk copies (sm_90). Blocks stay, one for each
// multiprocessor; each draws tile after tile, and copies tiles ahead into a ring of stages in shared memory.
//
//   for each tile that the block draws, in order; each warp has one role, and goes from stage to stage on its own:
//     the producer draws the tile and starts the copies of its items
//     the folders fold the items of each scanner to its node
//     the publisher publishes the tile's node; the publisher of groups those of the groups that the tile completes
//     the looker looks back: it finds the nodes before the tile
//     each scanner scans its items, joins them to the nodes on their left, and writes them
//     the leaver counts the tile as done with the ring of nodes
//
// The items are read twice from shared memory. So a tile's node is published as soon as its items have come, while the
// scanners may still be busy with the tiles before, and no thread holds items while it waits for other blocks.
// Nodes and association are those of kernel.cuh. The protocol of stages: stage_ring.cuh.
//
// A block takes its tiles in rising order, and only blocks that run have drawn any. So the earliest tile that is not
// done never waits for another one.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/scan/kernel.cuh>
#include <warpfold/scan/row_items.cuh>
#include <warpfold/scan/seen_nodes.cuh>
#include <warpfold/scan/stage_ring.cuh>
#include <warpfold/warp/fold_batch.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether the items of `Leaves` can be scanned in stages: items of 4 or 8 bytes behind a pointer, which are the
/// accumulators, and results as wide behind another one. (Others could be, but have not been measured.)
template <class Leaves, class Out> WARPFOLD_JIT consteval bool find_can_stage() {
  using A = typename Leaves::accumulator;
  if constexpr (requires {
                  Leaves::source.data;
                  typename Leaves::transform_type;
                } &&
                warp::writes_vectors<Out>) {
    using item = typename Leaves::source_type::item;
    return std::is_same_v<typename Leaves::transform_type, thread::no_transform> && std::is_same_v<item, A> &&
           std::is_trivially_copyable_v<item> && (sizeof(A) == 4 || sizeof(A) == 8) && alignof(A) >= 4 &&
           sizeof(typename Leaves::chunk) == 16 && sizeof(std::remove_pointer_t<Out>) == sizeof(A);
  } else return false;
}
template <class Leaves, class Out> inline constexpr bool can_stage = find_can_stage<Leaves, Out>();

/// The work of a block's warps, by role.
template <scan_kind Kind, class Shape, class Leaves, class Op, class Out> struct staged_scan {
  using A = typename Leaves::accumulator;
  using ring = stage_ring<Leaves, Shape>;
  using stage = typename ring::stage;
  using chunk = typename Leaves::chunk;
  static constexpr int rows = ring::rows, warps = ring::warps, folders = ring::shape.folders, looker = warps + folders,
                       publisher = looker + 1, group_publisher = looker + 2, leaver = looker + 3, producer = looker + 4;
  static_assert((producer + 1) * warp_lanes == ring::shape.threads());

  const scan_arguments<Leaves, Op, Out>& arguments;
  ring& stages;

  /// All warps of the block call it.
  __device__ void run() const {
    const auto& nodes = arguments.nodes;
    const int warp = arch::flat_warp();
    if (warp == producer) return fill_stages(stages, arguments.leaves.source, nodes);
    if (warp < warps) return each([&](stage& at, unsigned parity) { scan(at, parity); });
    if (warp < looker) return each([&](stage& at, unsigned) { fold(at, warp - warps); });
    if (warp == looker) return look_back();
    if (warp == leaver) return each([&](stage& at, unsigned parity) { leave(at, parity); });
    each([&](stage& at, unsigned parity) {
      nodes.enter(at.tile);
      if (warp == publisher) publish(at, parity);
      else if (completes_group(nodes, 0, at.tile)) publish_groups(at, parity);
      arrive_at(at.joined);
    });
  }

 private:
  template <class Take> __device__ void each(Take take) const { each_tile(stages, arguments.nodes.tiles, take); }
  __device__ std::int64_t first_item(const stage& at) const { return std::int64_t{at.tile} * ring::tile_items; }
  /// How many items the tile has.
  __device__ int count_items(const stage& at) const {
    return static_cast<int>(least_of(arguments.leaves.source.items - first_item(at), std::int64_t{ring::tile_items}));
  }

  /// Folds every `folders`th warp's items to a node, if they all exist.
  __device__ void fold(stage& at, int first_warp) const {
    const int count = count_items(at);
    WARPFOLD_NO_UNROLL
    for (int warp = first_warp; warp < warps && (warp + 1) * ring::warp_items <= count; warp += folders) {
      chunk chunks[rows];
      ring::load(arguments.leaves, at, warp, chunks);
      const A node = warp::fold_chunk_rows(arguments.leaves, chunks, arguments.op);
      if (arch::lane_id() == 0) at.nodes[warp] = node;
    }
    arrive_at(at.folded);
  }
  __device__ void publish(stage& at, unsigned parity) const {
    const int tile = at.tile;
    wait_for(at.folded, parity);
    if (tile + 1 == arguments.nodes.tiles) return;  // nobody needs it
    const A node = warp::reduce<warps>(at.nodes[arch::lane_id() & (warps - 1)], arguments.op);
    if (arch::lane_id() == 0) arguments.nodes.publish(0, tile, node);
  }
  /// Publishes the nodes of the groups that the tile completes.
  __device__ void publish_groups(stage& at, unsigned parity) const {
    const auto& nodes = arguments.nodes;
    const int tile = at.tile;
    wait_for(at.folded, parity);  // earlier, the tile's own node is not there
    for (int level = 0; completes_group(nodes, level, tile); ++level) {
      const int group = tile >> (grid::log_window * (level + 1));
      const A node = nodes.receive(nodes.window_place(level, group) + arch::lane_id(), warp_lanes);
      const A all = warp::reduce<warp_lanes>(node, arguments.op);
      if (arch::lane_id() == 0) nodes.publish(level + 1, group, all);
    }
  }
  __device__ void look_back() const {
    seen_nodes<A> seen;
    each([&](stage& at, unsigned parity) {
      arguments.nodes.enter(at.tile);
      wait_for(at.folded, parity);  // earlier, other tiles are not there, either
      seen.look_back(arguments.nodes, at.tile, at.before, arguments.op);
      arrive_at(at.joined);
    });
  }
  /// Counts the tile at the ring of nodes, which need not wait for the items.
  __device__ void leave(stage& at, unsigned parity) const {
    const int tile = at.tile;
    wait_for(at.joined, parity);
    arrive_at(at.emptied);
    const unsigned departed_before = arguments.nodes.leave(tile, true);
    arguments.nodes.finish(tile, departed_before);
  }

  __device__ void scan(stage& at, unsigned parity) const {
    const int count = count_items(at);
    if (all_are_full<Leaves, Op> || count == ring::tile_items) scan_items<true>(at, parity, count);
    else if constexpr (!all_are_full<Leaves, Op>) scan_items<false>(at, parity, count);
  }
  /// Scans the items of the calling warp, of the `in_tile` of the tile. `Whole`: all exist, or operations on missing
  /// ones do no harm.
  template <bool Whole> __device__ void scan_items(stage& at, unsigned parity, int in_tile) const {
    const int warp = arch::flat_warp(), before_warp = warp * ring::warp_items;
    const std::int64_t first = first_item(at) + before_warp;
    const int count = least_of(greatest_of(in_tile - before_warp, 0), int{ring::warp_items});
    row_items<Whole, rows, Leaves, Op> items{{arguments.op}};
    {
      chunk chunks[rows];
      ring::load(arguments.leaves, at, warp, chunks);
      items.set(arguments.leaves, chunks, count);
    }
    items.scan();
    wait_for(at.joined, parity);
    warp::left_nodes<Kind == scan_kind::exclusive, A> before;
    warp::nodes_before<warps>(at.nodes[arch::lane_id() & (warps - 1)], warp, Whole ? warps : in_tile / ring::warp_items,
                              arguments.op, [&](int, const A& node) { before.push(node, items); });
    for (unsigned digits = static_cast<unsigned>(at.tile); digits != 0; digits &= digits - 1)
      before.push(at.before[__ffs(static_cast<int>(digits)) - 1], items);
    arrive_at(at.emptied);
    warp::stored_chunk_t<Out, A, Leaves::chunk_items> results[rows] = {};
    items.results(arguments, before, results);
    warp::store_rows<Leaves::chunk_items>(results, arguments.out, first, count);
  }
};

/// A block for each multiprocessor, or fewer.
template <scan_kind Kind, class Shape, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Shape::value.threads(), 1)
staged_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> arguments) {
  auto& stages = arch::dynamic_shared<stage_ring<Leaves, Shape>>();
  if (arch::flat_thread() == 0) stages.begin();
  __syncthreads();
  arch::wait_for_earlier_kernels();
  staged_scan<Kind, Shape, Leaves, Op, Out>{arguments, stages}.run();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
