// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels for items that lie together within outputs, as in the rows of a matrix: the lanes of a warp take
// neighbouring chunks of an output's items. Also for reduced axes that do not lie together, an item a lane.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/warp/batch_rows.hpp>
#include <warpfold/warp/batched_reduce.cuh>
#include <warpfold/warp/counter.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves>
inline constexpr row_policy row_policy_of = row_policy_for(sizeof(typename Leaves::chunk), Leaves::chunk_items,
                                                           sizeof(typename Leaves::accumulator));

/// How the items of an output are read in chunks, one after another.
template <class Leaves> struct item_chunks {
  using chunk = typename Leaves::chunk;
  static constexpr int chunk_items = Leaves::chunk_items;

  const Leaves& leaves;
  const index_map& reduced;
  std::int64_t origin;  ///< place of the first item
  bool is_aligned;      ///< whether chunks are vectors
  bool is_inside;       ///< whether misaligned chunks can be read by vectors

  /// If `is_aligned` is false and chunks have several items, the items are adjacent.
  __device__ item_chunks(const Leaves& leaves, const index_map& reduced, std::int64_t origin, std::int64_t first,
                         std::int64_t end, bool is_aligned)
      : leaves(leaves),
        reduced(reduced),
        origin(origin),
        is_aligned(is_aligned),
        is_inside(!is_aligned && leaves.is_inside(origin + first, origin + end)) {}

  /// The chunk at item `item`, of which `count` > 0 items exist.
  __device__ void load(chunk& to, std::int64_t item, int count) const {
    const std::int64_t at = origin + reduced.in(item);
    if (is_aligned && (chunk_items == 1 || count >= chunk_items)) leaves.load(to, at);
    else leaves.load(to, at, count, is_inside);
  }
};

/// The root over the items [first, end) of an output, first < end. All lanes of a warp call it; valid in every lane.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_along(const item_chunks<Leaves>& items, std::int64_t first, std::int64_t end, Op op) {
  constexpr int rows = row_policy_of<Leaves>.batch_rows, chunk_items = Leaves::chunk_items,
                row_items = warp_lanes * chunk_items, batch_items = rows * row_items;
  warp::counter<A> nodes;
  unsigned batches = 0;
  WARPFOLD_NO_UNROLL
  for (std::int64_t from = first; from < end; from += batch_items, ++batches) {
    const std::int64_t own = from + arch::lane_id() * chunk_items;
    const int left = static_cast<int>(least_of(end - from, batch_items)),
              own_left = left - arch::lane_id() * chunk_items;
    typename Leaves::chunk chunks[rows] = {};
    A values[rows] = {}, node;
    if (left == batch_items) {
      WARPFOLD_UNROLL
      for (int r = 0; r < rows; ++r) items.load(chunks[r], own + r * row_items, chunk_items);
      WARPFOLD_UNROLL
      for (int r = 0; r < rows; ++r)
        values[r] = fold_chunk<true>(items.leaves, chunks[r], own + r * row_items, chunk_items, op);
      node = warp::fold_rows(values, op);
    } else {
      WARPFOLD_UNROLL
      for (int r = 0; r < rows; ++r)
        if (r * row_items < own_left) items.load(chunks[r], own + r * row_items, own_left - r * row_items);
      WARPFOLD_UNROLL
      for (int r = 0; r < rows; ++r)
        values[r] = fold_chunk<false>(items.leaves, chunks[r], own + r * row_items, own_left - r * row_items, op);
      node = warp::fold_rows(values, op, (left + chunk_items - 1) / chunk_items);
    }
    if (end - first <= batch_items) return node;
    nodes.push(batches, node, op);
  }
  return nodes.total(batches, op);
}

template <class Leaves> struct row_storage {
  using A = typename Leaves::accumulator;
  thread::array<A, row_policy_of<Leaves>.block_threads / warp_lanes> warps;  ///< the value of each warp
  join_storage<A, row_policy_of<Leaves>.block_threads, 1> join;
};

/// Each warp folds a node of an output's items; neighbouring warps have neighbouring outputs, or adjacent nodes.
template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(row_policy_of<Leaves>.block_threads, row_policy_of<Leaves>.blocks_per_multiprocessor)
row_kernel(const __grid_constant__ axis_arguments<Leaves, Op, Out> arguments, bool is_aligned) {
  using A = typename Leaves::accumulator;
  constexpr int block_threads = row_policy_of<Leaves>.block_threads, warps = block_threads / warp_lanes;
  auto& shared = arch::dynamic_shared<row_storage<Leaves>>();
  const schedule& plan = arguments.plan;
  const int warp = arch::uniform_warp(), group = warp >> plan.log_lanes, groups = warps >> plan.log_lanes;
  const std::int64_t share = std::int64_t{1} << plan.log_rows, split_items = groups * share;
  for (std::int64_t work = blockIdx.x; work < plan.work_items(); work += gridDim.x) {
    const std::int64_t split = plan.split_of(work), tile = work - split * plan.tiles, base = tile << plan.log_lanes;
    const std::int64_t output = base + (warp & ((1 << plan.log_lanes) - 1)), split_first = split * split_items;
    const std::int64_t first = split_first + group * share, end = least_of(first + share, arguments.items);
    A value{};
    if (output < arguments.vectors && first < end)
      value = fold_along(item_chunks<Leaves>(arguments.leaves, arguments.reduced, arguments.kept.place_of(output).in,
                                             first, end, is_aligned),
                         first, end, arguments.op);
    const A(&own_value)[1] = {value};
    if (plan.splits == 1 && groups == 1) {
      if (arch::lane_id() == 0 && output < arguments.vectors) arguments.template write<1>(output, own_value);
      continue;
    }
    __syncthreads();  // until thread t has read what warp t left before
    if (arch::lane_id() == 0) shared.warps[warp] = value;
    __syncthreads();
    const tile_thread own(plan.log_lanes);
    const int filled = static_cast<int>((least_of(split_items, arguments.items - split_first) - 1) / share + 1);
    A values[1] = {arch::flat_thread() < warps ? shared.warps[arch::flat_thread()] : A{}};
    join_row_groups<block_threads, 1>(shared.join, own, base + own.lane < arguments.vectors, filled, arguments.op,
                                      values);
    finish_tile<block_threads, 1>(arguments, shared.join, own, tile, split, base + own.lane, values);
  }
}

/// Outputs of at most 32 chunks: 2^log_lanes neighbouring lanes take the chunks of one, and a warp several outputs at a
/// time, whose loads are all issued before the first fold.
template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(row_policy_of<Leaves>.block_threads, row_policy_of<Leaves>.blocks_per_multiprocessor)
short_row_kernel(const __grid_constant__ axis_arguments<Leaves, Op, Out> arguments, bool is_aligned) {
  using A = typename Leaves::accumulator;
  constexpr int block_threads = row_policy_of<Leaves>.block_threads, warps = block_threads / warp_lanes,
                rounds = row_policy_of<Leaves>.short_rounds, chunk_items = Leaves::chunk_items;
  const schedule& plan = arguments.plan;
  const int lanes = 1 << plan.log_lanes, index = arch::lane_id() & (lanes - 1), outputs = warp_lanes >> plan.log_lanes;
  const int items = static_cast<int>(arguments.items), first = index * chunk_items;
  for (std::int64_t work = blockIdx.x; work < plan.work_items(); work += gridDim.x) {
    const std::int64_t own =
        (work * warps + arch::flat_warp()) * rounds * outputs + (arch::lane_id() >> plan.log_lanes);
    typename Leaves::chunk chunks[rounds] = {};
    A values[rounds] = {};
    WARPFOLD_UNROLL
    for (int r = 0; r < rounds; ++r)
      if (own + r * outputs < arguments.vectors && first < items)
        item_chunks<Leaves>(arguments.leaves, arguments.reduced, arguments.kept.place_of(own + r * outputs).in, 0,
                            items, is_aligned)
            .load(chunks[r], first, items - first);
    WARPFOLD_UNROLL
    for (int r = 0; r < rounds; ++r)
      if (own + r * outputs < arguments.vectors)
        values[r] = fold_chunk<false>(arguments.leaves, chunks[r], first, items - first, arguments.op);
    for (int distance = 1; distance < lanes; distance *= 2) {
      WARPFOLD_UNROLL
      for (int r = 0; r < rounds; ++r) {
        const A other = warp::shuffle_down(values[r], distance);
        if (index % (2 * distance) == 0 && first + distance * chunk_items < items &&
            own + r * outputs < arguments.vectors)
          values[r] = arguments.op(values[r], other);
      }
    }
    WARPFOLD_UNROLL
    for (int r = 0; r < rounds; ++r) {
      const A(&result)[1] = {values[r]};
      if (index == 0 && own + r * outputs < arguments.vectors) arguments.template write<1>(own + r * outputs, result);
    }
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
