// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the default reduction: a sequence to one value by the canonical tree, in one launch.
#pragma once
#include <warpfold/arch/cluster.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/grid/reduction_arguments.cuh>
#include <warpfold/reduce/batches.cuh>
#include <warpfold/reduce/fold_nodes.cuh>
#include <warpfold/reduce/policy.hpp>
#include <warpfold/warp/counter.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/fold_values.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

struct tile_schedule : node_schedule {
  int rows;        ///< of a tile's batches: a power of two up to the policy's
  int last_warps;  ///< warps that have items in the last tile: the host counts, to save small grids the time

  /// Warps that have items in tile `tile`. The blocks that fill a cluster up have a tile past the last.
  __device__ int warps_of(int tile, int block_warps) const {
    return tile < blocks - 1 ? block_warps : tile < blocks ? last_warps : 0;
  }
};
template <class Leaves, class Op, class Out>
using reduce_arguments = grid::reduction_arguments<Leaves, Op, Out, tile_schedule>;

template <class Leaves>
inline constexpr kernel_policy policy_of = [] {
  using A = typename Leaves::accumulator;
  constexpr kernel_policy direct = kernel_policy_for(thread::loaded_bytes<typename Leaves::chunk>, sizeof(A),
                                                     warp::batch_held_bytes<Leaves>, thread::part_bytes<A>);
  return folds_by_runs<Leaves> ? with_runs(direct, sizeof(A)) : direct;
}();

/// Shared memory of tile_kernel.
template <class Leaves, int MaxRows> struct tile_kernel_storage {
  static constexpr int warps = policy_of<Leaves>.block_threads / warp_lanes;
  using A = typename Leaves::accumulator;
  single_batch<Leaves, MaxRows> batch[warps];
  thread::array<A, warps> warp;                      ///< a value a warp
  thread::array<A, arch::max_cluster_blocks> block;  ///< block 0's: the results of the cluster's blocks
};

/// The node over the items of tile `tile` that exist. Each warp folds a batch of schedule.rows rows, up to MaxRows;
/// several warps exchange their values through `shared`. Valid in thread 0 if the tile has items.
template <int MaxRows, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_tile(const Leaves& leaves, const tile_schedule& schedule, int tile, Op op,
                       tile_kernel_storage<Leaves, MaxRows>& shared) {
  constexpr int most_warps = policy_of<Leaves>.block_threads / warp_lanes;
  const int warp = arch::flat_warp(), block_warps = static_cast<int>(blockDim.x / warp_lanes);
  const int warps = schedule.warps_of(tile, block_warps);
  A value{};
  if (warp < warps) {
    const int batch = tile * block_warps + warp;
    const int first = batch * schedule.rows * warp_lanes * Leaves::chunk_items;  // a small grid: int suffices
    value = shared.batch[warp].fold(leaves, first, op, schedule.rows);
  }
  if (block_warps == 1) return value;
  const int lane = arch::lane_id();
  if (lane == 0) shared.warp[warp] = value;
  __syncthreads();
  if (warp > 0) return value;
  if (warps == most_warps) return warp::reduce<most_warps>(shared.warp[lane % most_warps], op);
  return lane < warps ? warp::reduce(shared.warp[lane], op, warps) : value;
}

/// How the blocks of a small grid join their tiles.
enum class gather { cluster, last_block };

/// The most rows of a batch.
template <gather Gather, class Leaves>
inline constexpr int tile_rows = Gather == gather::cluster ? policy_of<Leaves>.quick_rows : policy_of<Leaves>.max_rows;

/// One tile a block. The grid is one block, one cluster, whose block 0 gathers through distributed shared memory, or
/// one wave of blocks, of which the last to arrive gathers.
template <gather Gather, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.block_threads, policy_of<Leaves>.blocks_per_multiprocessor)
tile_kernel(const __grid_constant__ reduce_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  constexpr int max_rows = tile_rows<Gather, Leaves>;
  auto& shared = arch::dynamic_shared<tile_kernel_storage<Leaves, max_rows>>();
  const int thread = arch::flat_thread(), block = static_cast<int>(blockIdx.x), tiles = arguments.schedule.blocks;
  if (Gather == gather::cluster && tiles > 1) arch::cluster_arrive_relaxed();  // shows that this block runs
  const A own = fold_tile<max_rows>(arguments.leaves, arguments.schedule, block, arguments.op, shared);
  if (tiles == 1) {
    if (thread == 0) arguments.write(own);
  } else if constexpr (Gather == gather::cluster) {
    arch::cluster_wait();
    if (thread == 0 && block < tiles) *arch::map_shared_rank(&shared.block[block], 0) = own;
    arch::cluster_arrive();
    if (block != 0) return;
    arch::cluster_wait();
    if (thread >= tiles) return;
    const A result = warp::reduce(shared.block[thread], arguments.op, tiles);
    if (thread == 0) arguments.write(result);
  } else {
    if (thread >= warp_lanes) return;
    if (thread == 0) arguments.partials[block] = own;
    if (!grid::warp_arrives_last(arguments.ticket)) return;
    const A result = warp::fold_values<A>(
        tiles, [&](int i) { return arguments.partials[i]; }, arguments.op);
    if (thread == 0) arguments.write(result);
  }
}

/// Shared memory of share_kernel.
template <class Leaves> struct share_kernel_storage {
  static constexpr kernel_policy policy = policy_of<Leaves>;
  static constexpr int warps = policy.share_threads / warp_lanes;
  using A = typename Leaves::accumulator;
  using batches = reduction::batches<Leaves, policy.share_rows>;
  struct tile_group {
    typename batches::storage batch[warps];
    thread::array<A, warps> warp[tiles_per_sync];  ///< a value a warp of each tile
    thread::array<A, tiles_per_sync> tile;
  };
  union {
    tile_group group;
    fold_nodes_storage<A, policy.share_threads, policy.list_capacity, policy.staged_capacity> last;
  };
  bool is_last;
};

/// Joins the warps' values of the first `tiles` tiles of a group, one warp a tile. In the last tile, only
/// `warps_of_last` warps have a value. All threads call it; shared.tile is then valid for all.
template <int Warps, class Group, class Op>
__device__ void join_warps(Group& shared, int tiles, int warps_of_last, Op op) {
  const int warp = arch::flat_warp(), lane = arch::lane_id();
  __syncthreads();
  for (int tile = warp; tile < tiles; tile += Warps) {
    const int warps = tile == tiles - 1 ? warps_of_last : Warps;
    if (lane < warps) {
      const auto value = warp::reduce(shared.warp[tile][lane], op, warps);
      if (lane == 0) shared.tile[tile] = value;
    }
    __syncwarp();
  }
  __syncthreads();
}

/// Persistent blocks. Each block folds its tiles one after another, one batch a warp; its warps meet once a group of
/// tiles only. Warp 0 counts the tiles' values up, and its lanes end with the block's nodes. The last block to arrive
/// joins the nodes of all blocks.
template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.share_threads, policy_of<Leaves>.share_blocks_per_multiprocessor)
share_kernel(const __grid_constant__ reduce_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  using storage = share_kernel_storage<Leaves>;
  constexpr int warps = storage::warps;
  constexpr std::int64_t batch_items = std::int64_t{policy_of<Leaves>.share_rows} * warp_lanes * Leaves::chunk_items;
  auto& shared = arch::dynamic_shared<storage>();
  const auto& [leaves, op, out, init, schedule, partials, ticket] = arguments;
  const int warp = arch::flat_warp(), lane = arch::lane_id(), block = static_cast<int>(blockIdx.x);
  const int share = static_cast<int>(schedule.share), tiles = schedule.tiles_of(block);

  typename storage::batches batches(shared.group.batch[warp]);
  warp::counter<A> nodes;
  int grouped = 0;
  const auto first_of = [&](int i) { return (schedule.tile(block, i) * warps + warp) * batch_items; };
  batches.start(leaves, first_of(0));
  for (int i = 0; i < tiles; ++i) {
    __syncwarp();  // lanes that took different ways must load together
    const std::int64_t first = first_of(i), left = leaves.source.items - first;
    if (left > 0) {
      const auto next = [&] { return i + 1 < tiles ? first_of(i + 1) : leaves.source.items; };
      const A value = batches.fold(leaves, first, next, op);
      if (lane == 0) shared.group.warp[grouped][warp] = value;
    }
    if (++grouped < tiles_per_sync && i + 1 < tiles) continue;
    const std::int64_t batches_left = (left + warp * batch_items - 1) / batch_items + 1;  // of the last tile
    join_warps<warps>(shared.group, grouped, batches_left < warps ? static_cast<int>(batches_left) : warps, op);
    for (int t = 0; warp == 0 && t < grouped; ++t) {
      const int index = i + 1 - grouped + t;
      if (index < share) nodes.push(index, shared.group.tile[t], op);
      else if (lane == 0) partials[schedule.slot_of_single(block)] = shared.group.tile[t];
    }
    grouped = 0;
  }
  if (warp == 0 && (share >> lane & 1)) partials[schedule.slot_of_node(block, lane)] = nodes.waiting();
  // One warp reads narrow values all at once; wide ones would take it several trips to memory.
  if (sizeof(A) <= 16 && schedule.slots <= max_wave_blocks && schedule.is_level()) {
    if (warp != 0 || !grid::warp_arrives_last(ticket)) return;
    const A result = warp::fold_values<A>(
        static_cast<int>(schedule.slots), [&](int i) { return partials[i]; }, op);
    if (lane == 0) arguments.write(result);
  } else if (grid::block_arrives_last(ticket, shared.is_last)) {
    const A result = fold_nodes(shared.last, partials, schedule, op);
    if (arch::flat_thread() == 0) arguments.write(result);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
