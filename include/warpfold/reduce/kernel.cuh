// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of the default reduction: a sequence to one value by the canonical tree, in one launch.
#pragma once
#include <warpfold/arch/cluster.cuh>
#include <warpfold/arch/earlier_kernels.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/grid/reduction_arguments.cuh>
#include <warpfold/reduce/batches.cuh>
#include <warpfold/reduce/fold_units.cuh>
#include <warpfold/reduce/part.cuh>
#include <warpfold/reduce/policy.hpp>
#include <warpfold/reduce/unit_schedule.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/fold_values.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

struct tile_schedule : unit_schedule {
  int rows;        ///< of a tile's batches: a power of two up to the policy's
  int last_warps;  ///< warps that have items in the last tile: counted by the host, which saves small grids the time

  /// Warps that have items in tile `tile` of a grid with one tile per block. Blocks that only fill up a cluster have a
  /// tile past the last.
  __device__ int warps_of(int tile, int block_warps) const {
    return tile < units - 1 ? block_warps : tile < units ? last_warps : 0;
  }
  __device__ static constexpr std::int64_t tile_of_first_item() { return 0; }  ///< of the leaves
  __device__ static constexpr int first_piece() { return 0; }                  ///< which is a unit's result
};
/// The same of a part, whose units are numbered as part_cuts says. Each tile is whole.
struct part_schedule : tile_schedule {
  part_cuts cuts;

  static constexpr bool is_even = false;
  __device__ std::int64_t tile_of_first_item() const { return cuts.tiles_begin >> cuts.tile_level; }
  __device__ int first_piece() const { return cuts.tiles; }
  __device__ std::int64_t first_tile(int unit) const { return cuts.unit_piece(unit).first >> cuts.tile_level; }
  __device__ int tiles_less_one(int unit) const {
    return static_cast<int>(cuts.unit_piece(unit).items >> cuts.tile_level) - 1;
  }
};
template <class Out> struct schedule_for { using type = tile_schedule; };
template <class A, class Op> struct schedule_for<part_output<A, Op>> { using type = part_schedule; };
template <class Out> using schedule_of = typename schedule_for<Out>::type;
template <class Leaves, class Op, class Out>
using reduce_arguments = grid::reduction_arguments<Leaves, Op, Out, schedule_of<Out>>;

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
  thread::array<A, warps> warp;                      ///< one value per warp
  thread::array<A, arch::max_cluster_blocks> block;  ///< block 0's: the results of the cluster's blocks
};

template <class Leaves, int MaxRows> struct part_tile_storage : tile_kernel_storage<Leaves, MaxRows> {
  static_assert(part_tile_storage::warps >= (max_wave_blocks + chunk_units - 1) / chunk_units);
  list_plan plan;
  bool is_last;
};
template <class Leaves, int MaxRows, class Out>
using tile_storage_of =
    std::conditional_t<is_part<Out>, part_tile_storage<Leaves, MaxRows>, tile_kernel_storage<Leaves, MaxRows>>;

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

/// The share of tile_kernel in a part: blocks past the last tile fold edges, and the last block writes the list.
template <int MaxRows, class Arguments, class Storage>
__device__ void fold_part_tile(const Arguments& arguments, Storage& shared) {
  const auto& [leaves, op, out, init, schedule, pieces, ticket] = arguments;
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x),
            free_blocks = blocks - schedule.units;  // none if max_blocks allows no more than the tiles need
  if (block < schedule.units) {
    const auto own = fold_tile<MaxRows>(leaves, schedule, block, op, shared);
    if (arch::flat_thread() == 0) pieces[schedule.first_piece() + block] = own;
  }
  // Blocks with a tile have no edge, if there are others.
  const int edge_block = free_blocks == 0 ? block : block - schedule.units;
  fold_edges<MaxRows>(leaves, schedule.cuts, shared.plan.cuts, pieces, schedule.rows, op,
                      edge_block >= 0 ? edge_block : schedule.cuts.edges(), free_blocks == 0 ? blocks : free_blocks);
  prepare_steps_behind(out);
  prepare_list(shared.plan);
  if (grid::block_arrives_last(ticket, shared.is_last)) write_list(out, shared.plan, pieces, shared.warp.data(), op);
}

/// How the blocks of a small grid join their tiles.
enum class gather { cluster, last_block };

/// The most rows of a batch.
template <gather Gather, class Leaves>
inline constexpr int tile_rows = Gather == gather::cluster ? policy_of<Leaves>.quick_rows : policy_of<Leaves>.max_rows;

/// One tile per block. The grid is one block, one cluster, whose block 0 gathers through distributed shared memory, or
/// one wave of blocks, of which the last to arrive gathers.
template <gather Gather, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.block_threads, policy_of<Leaves>.blocks_per_multiprocessor)
tile_kernel(const __grid_constant__ reduce_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  constexpr int max_rows = tile_rows<Gather, Leaves>;
  auto& shared = arch::dynamic_shared<tile_storage_of<Leaves, max_rows, Out>>();
  arch::wait_for_earlier_kernels();
  if constexpr (is_part<Out>) {
    fold_part_tile<max_rows>(arguments, shared);
  } else {
    const int thread = arch::flat_thread(), block = static_cast<int>(blockIdx.x), tiles = arguments.schedule.units;
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
}

/// Shared memory of share_kernel.
template <class Leaves> struct share_kernel_storage {
  static constexpr kernel_policy policy = policy_of<Leaves>;
  static constexpr int warps = policy.share_threads / warp_lanes;
  using A = typename Leaves::accumulator;
  static constexpr int round_level = round_level_for(sizeof(A), warps);
  static_assert(max_units(sizeof(A), warps) / chunk_units <= warps << round_level, "write_list needs a value for each");
  using batches = reduction::batches<Leaves, policy.share_rows>;
  using walk = tile_walk<round_level>;
  typename batches::storage batch[warps];
  thread::array<A, warps << round_level> values[2];  ///< one value per warp and tile, of two rounds in turn
  thread::array<A, warp_lanes> rounds;               ///< finished nodes of the unit's rounds, by level
  typename walk::storage drawn;
  bool is_last;
};
template <class Leaves> struct part_share_storage : share_kernel_storage<Leaves> { list_plan plan; };
template <class Leaves, class Out>
using share_storage_of = std::conditional_t<is_part<Out>, part_share_storage<Leaves>, share_kernel_storage<Leaves>>;

/// The node over the first `count` of a round's values. All lanes of the warp call it; valid in lane 0.
template <class A, int Values, class Op> __device__ A fold_round(const thread::array<A, Values>& of, int count, Op op) {
  constexpr int lane_values = (Values + warp_lanes - 1) / warp_lanes;  // consecutive ones
  const int first = arch::lane_id() * lane_values, lanes = (count + lane_values - 1) / lane_values;
  A values[lane_values];
  WARPFOLD_UNROLL
  for (int i = 0; i < lane_values; ++i) values[i] = of[first + i < count ? first + i : 0];
  const A own = thread::fold(values, op, count - first);
  return arch::lane_id() < lanes ? warp::reduce(own, op, lanes) : own;
}

/// Adds round `number` of a unit, counted from 0, to the nodes that wait for their right siblings. Stores the unit's
/// node if it is the last one. One thread calls it.
template <class A, class Op, class Store>
__device__ void join_rounds(thread::array<A, warp_lanes>& waiting, int number, bool is_last, A node, Op op,
                            Store store) {
  int level = 0;
  for (; number >> level & 1; ++level) node = op(waiting[level], node);
  if (!is_last) {
    waiting[level] = node;
    return;
  }
  for (int rest = number >> level; rest != 0; rest >>= 1, ++level)
    if (rest & 1) node = op(waiting[level], node);
  store(node);
}

/// Whether the kernel reads how many items there are, from the output (counted_output.cuh).
template <class Out> inline constexpr bool is_counted = false;
/// The arguments as the host planned them, for as many items as there are.
template <class Arguments> __device__ const Arguments& with_counted_items(const Arguments& planned) { return planned; }

/// The last block to arrive joins the units, or writes the list of a part.
template <int Warps, class Leaves, class Op, class Out, class Storage>
__device__ void join_units(const reduce_arguments<Leaves, Op, Out>& arguments, Storage& shared, int warp,
                           bool is_first_thread) {
  const auto& [leaves, op, out, init, schedule, partials, ticket] = arguments;
  if constexpr (is_part<Out>) {
    prepare_list(shared.plan);
    if (grid::block_arrives_last(ticket, shared.is_last))
      write_list(out, shared.plan, partials, shared.values[0].data(), op);
  } else {
    // If units are few, one warp joins them without a barrier.
    const bool is_last = schedule.units <= units_of_one_warp ? warp == 0 && grid::warp_arrives_last(ticket)
                                                             : grid::block_arrives_last(ticket, shared.is_last);
    if (!is_last) return;
    const auto result = fold_units<Warps>(shared.values[0].data(), partials, schedule.units, op);
    if (is_first_thread) arguments.write(result);
  }
}

/// Persistent blocks. Each warp folds one batch of each tile. After each round the block's warps meet, and warp 0 joins
/// the round's values. The last block to arrive joins the units.
template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.share_threads, policy_of<Leaves>.share_blocks_per_multiprocessor)
share_kernel(const __grid_constant__ reduce_arguments<Leaves, Op, Out> planned) {
  using A = typename Leaves::accumulator;
  using storage = share_storage_of<Leaves, Out>;
  constexpr int warps = storage::warps, batch_items = policy_of<Leaves>.share_rows * warp_lanes * Leaves::chunk_items;
  auto& shared = arch::dynamic_shared<storage>();
  arch::wait_for_earlier_kernels();
  const auto& arguments = with_counted_items(planned);
  if constexpr (is_counted<Out>)
    if (arguments.leaves.source.items == 0) return arguments.out.write_nothing();
  const auto& [leaves, op, out, init, schedule, partials, ticket] = arguments;
  const int warp = arch::flat_warp(), lane = arch::lane_id();
  const bool is_first_thread = arch::flat_thread() == 0;

  typename storage::batches batches(shared.batch[warp]);
  using walk_of = tile_walk<storage::round_level, schedule_of<Out>>;
  walk_of walk(schedule, ticket + 1, is_first_thread, shared.drawn);
  const auto first_of = [&](std::int64_t tile) {
    return ((tile - schedule.tile_of_first_item()) * warps + warp) * batch_items;
  };
  if constexpr (is_part<Out>)
    fold_edges<policy_of<Leaves>.share_rows>(leaves, schedule.cuts, shared.plan.cuts, partials,
                                             policy_of<Leaves>.share_rows, op, static_cast<int>(blockIdx.x),
                                             static_cast<int>(gridDim.x));
  batches.start(leaves, first_of(walk.tile()));
  if constexpr (is_part<Out>) prepare_steps_behind(out);
  while (walk.exists()) {
    walk.draw();
    __syncwarp();  // lanes that took different ways must load together
    const std::int64_t first = first_of(walk.tile());
    if (first < leaves.source.items) {
      const A value = batches.fold(
          leaves, first, [&] { return first_of(walk.next_tile()); }, op);
      if (lane == 0) shared.values[walk.turn()][walk.place_in_round() * warps + warp] = value;
    }
    if (!walk.ends_round()) {
      walk.advance();
      continue;
    }
    walk.show();
    __syncthreads();
    if (warp == 0) {
      const std::int64_t remaining = leaves.source.items - first_of(walk.round()),
                         most = std::int64_t{walk.round_tiles()} * warps;
      const int count = static_cast<int>(least_of((remaining + batch_items - 1) / batch_items, most));
      const A node = fold_round(shared.values[walk.turn()], count, op);
      if (lane == 0)
        join_rounds(shared.rounds, walk.round_in_unit(), walk.ends_unit(), node, op,
                    [&](const A& unit) { partials[schedule.first_piece() + walk.unit()] = unit; });
    }
    walk.advance_round();
  }
  join_units<warps>(arguments, shared, warp, is_first_thread);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
