// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of a scan of few tiles, a block for each.
//
// In a cluster, warps give their nodes to the later blocks through distributed shared memory; a barrier of the cluster
// is all that they wait for. Else tiles publish their nodes in a list, and each reads those of all earlier tiles at
// once (grid/node_list.cuh). Nodes and association are those of kernel.cuh.
#pragma once
#include <warpfold/arch/cluster.cuh>
#include <warpfold/arch/earlier_kernels.cuh>
#include <warpfold/grid/node_list.cuh>
#include <warpfold/scan/kernel.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Shared memory of the kernel.
template <class Leaves, class Op, class Out, class Shape> struct quick_storage : tile_storage<Leaves, Op, Out, Shape> {
  using A = typename Leaves::accumulator;
  static constexpr int most_tiles = grid::most_listed_tiles<A>(Shape::value.warps), windows = most_tiles / warp_lanes;
  static constexpr bool may_cluster = sizeof(A) <= 256;  ///< wider nodes do not fit shared memory
  static constexpr int cluster_warps = may_cluster ? arch::max_cluster_blocks * Shape::value.warps : 1;

  /// Entry b: the node of bit b of the tile's rank in its window of 32 tiles, if the bit is set.
  thread::array<A, grid::log_window> before;
  union {
    thread::array<A, windows> window;         ///< the nodes of the windows before the tile's own
    thread::array<A, cluster_warps> cluster;  ///< the nodes of the cluster's warps up to the block's own
  };
};

/// Gives the warp's node to the blocks of the cluster from its own on. `number` is that of the warp in the cluster.
template <class A, class Storage>
__device__ void give_to_cluster(Storage& shared, const A& node, int number, int tiles) {
  const int block = arch::lane_id();
  arch::cluster_wait();  // all blocks run
  if (block >= number / Storage::warps && block < tiles)
    *arch::map_shared_rank(&shared.cluster[number], static_cast<unsigned>(block)) = node;
  arch::cluster_arrive();
}

/// Pushes the nodes of the cluster's warps before warp `number`, of which the first `existing` have all their items.
template <class Storage, class Before, class Items>
__device__ void push_cluster(Storage& shared, int number, int existing, Before& before, Items& items) {
  static_assert(Storage::cluster_warps <= 2 * warp_lanes);
  const int rank = number & (warp_lanes - 1), first = number - rank, lane = arch::lane_id();
  arch::cluster_wait();
  warp::nodes_before(shared.cluster[first + (lane < rank ? lane : 0)], rank, least_of(rank, existing - first), items.op,
                     [&](int, const auto& node) { before.push(node, items); });
  if (first == 0) return;
  before.push(warp::nodes_before(shared.cluster[lane], 0, least_of(int{warp_lanes}, existing), items.op,
                                 [](int, const auto&) {}),
              items);
}

/// Finds the nodes before the tile: of its own window, one for each digit, and of each window before it.
template <class A, class Storage, class Op>
__device__ void look_back_in_list(const grid::node_list<A>& list, Storage& shared, int tile, Op op) {
  constexpr int warps = Storage::warps, windows = (Storage::windows + warps - 1) / warps;
  const int own_window = tile / warp_lanes, rank = tile & (warp_lanes - 1), warp = arch::flat_warp();
  thread::array<A, windows> nodes{};
  list.receive(tile, warp, warps, nodes);
  WARPFOLD_UNROLL
  for (int i = 0; i < windows; ++i) {
    const int window = warp + i * warps;
    if (window > own_window) break;
    const bool is_own = window == own_window;
    const A node = warp::nodes_before(nodes[i], is_own ? rank : 0, is_own ? rank : int{warp_lanes}, op,
                                      [&](int bit, const A& each) {
                                        if (arch::lane_id() == 0) shared.before[bit] = each;
                                      });
    if (arch::lane_id() == 0 && !is_own) shared.window[window] = node;
  }
}

/// Pushes the nodes before the tile, once all warps have looked back. All threads of the block call it. Returns in the
/// publisher's lane 0 what list.finish takes.
template <class A, class Storage, class Before, class Items>
__device__ unsigned push_list(const grid::node_list<A>& list, Storage& shared, int tile, Before& before, Items& items) {
  const int windows = tile / warp_lanes, lane = arch::lane_id();
  unsigned departed_before = 0;
  __syncthreads();
  if (arch::flat_warp() == Storage::publisher) departed_before = list.leave();
  for (unsigned digits = static_cast<unsigned>(tile) & (warp_lanes - 1); digits != 0; digits &= digits - 1)
    before.push(shared.before[__ffs(static_cast<int>(digits)) - 1], items);
  if (windows > 0)
    warp::nodes_before<Storage::windows>(shared.window[lane < windows ? lane : 0], windows, windows, items.op,
                                         [&](int, const A& node) { before.push(node, items); });
  return departed_before;
}

/// Scans one tile. `Whole`: all its items exist, or operations on missing ones do no harm.
template <bool Whole, scan_kind Kind, class Storage, class Leaves, class Op, class Out>
__device__ void scan_quick_tile(const scan_arguments<Leaves, Op, Out>& arguments, Storage& shared, int tile,
                                bool in_cluster) {
  using A = typename Leaves::accumulator;
  constexpr int warps = Storage::warps;
  const grid::node_list<A> list(arguments.nodes);
  const int warp = arch::flat_warp(), lane = arch::lane_id(), number = tile * warps + warp;

  items_of_warp<Whole, Storage::rows, Leaves, Op> items{{arguments.op}};
  const std::int64_t first = first_item<Storage>(tile);
  items.load(arguments.leaves, first, count_items<Storage>(arguments.leaves, first), shared.rooms[warp].bytes);
  const A own = items.scan_lanes(arguments.leaves);
  if (in_cluster) give_to_cluster(shared, own, number, list.tiles);
  else {
    if (lane == 0) shared.warp[warp] = own;
    __syncthreads();
    if (warp == Storage::publisher && tile + 1 < list.tiles) {  // so all items exist
      const A node = warp::reduce<warps>(shared.warp[lane & (warps - 1)], arguments.op);
      if (lane == 0) {
        list.publish(tile, node);
        arch::fence_before_arrival();
      }
    }
  }
  items.scan_across_lanes();

  warp::left_nodes<Kind == scan_kind::exclusive, A> before;
  const auto whole_warps = static_cast<int>(arguments.leaves.source.items / Storage::warp_items);
  unsigned departed_before = 0;
  if (in_cluster) push_cluster(shared, number, Whole ? number : whole_warps, before, items);
  else {
    warp::nodes_before<warps>(shared.warp[lane & (warps - 1)], warp, Whole ? warps : whole_warps - tile * warps,
                              arguments.op, [&](int, const A& each) { before.push(each, items); });
    if (list.tiles > 1) {
      look_back_in_list(list, shared, tile, arguments.op);
      departed_before = push_list(list, shared, tile, before, items);
    }
  }
  write_results<Kind, Storage>(arguments, items, before, shared.rooms[warp].bytes, first);
  if (!in_cluster && list.tiles > 1 && warp == Storage::publisher) list.finish(departed_before);
}

/// A block for each tile, up to most_tiles of them. In a cluster, blocks may be more than tiles.
template <scan_kind Kind, class Shape, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Shape::value.threads(), Shape::value.blocks_per_multiprocessor)
quick_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> arguments) {
  using storage = quick_storage<Leaves, Op, Out, Shape>;
  auto& shared = arch::dynamic_shared<storage>();
  const int tiles = arguments.nodes.tiles;
  const bool in_cluster = storage::may_cluster && tiles > 1 && arguments.nodes.control == nullptr;  // needs no scratch
  int tile = static_cast<int>(blockIdx.x);
  if (tile >= tiles) return;
  if (in_cluster) arch::cluster_arrive_relaxed();  // shows that this block runs
  arch::wait_for_earlier_kernels();
  if (!in_cluster && tiles > 1) {
    int drawn = 0;
    if (arch::flat_thread() == 0)
      drawn = static_cast<int>(grid::draw_item(&arguments.nodes.control->next_tile, tiles, false));
    // Meanwhile, the items of the block's own number come into the L2 cache: a block near this one will draw it.
    const std::int64_t first = first_item<storage>(tile);
    storage::items::prefetch(arguments.leaves, first, count_items<storage>(arguments.leaves, first));
    if (arch::flat_thread() == 0) shared.tile = drawn;
    __syncthreads();
    tile = shared.tile;
  }
  if (is_full_tile<storage>(arguments, tile)) scan_quick_tile<true, Kind>(arguments, shared, tile, in_cluster);
  else if constexpr (!all_are_full<Leaves, Op>) scan_quick_tile<false, Kind>(arguments, shared, tile, in_cluster);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
