// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins what the threads of a block, and the blocks that share outputs, have folded. The block that completes a group
// of splits joins the group; the block that completes the groups joins these. No block waits.
#pragma once
#include <warpfold/axes/arguments.cuh>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/node_counter.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The shared memory of a block whose threads hold `Vector` accumulators each.
template <class A, int BlockThreads, int Vector> struct join_storage {
  thread::array<A, BlockThreads * Vector> values;
  bool is_last;
};

/// Where a thread of a tile stands: lane `lane` of row group `group`. Lanes of all groups have the same outputs; groups
/// have adjacent nodes of their items.
struct tile_thread {
  int log_lanes, lane, group;

  __device__ explicit tile_thread(int log_lanes)
      : log_lanes(log_lanes),
        lane(arch::flat_thread() & ((1 << log_lanes) - 1)),
        group(arch::flat_thread() >> log_lanes) {}
};

/// Joins the values of the first `groups` row groups level by level, in shared memory. Cost: a barrier a level.
template <int Vector, class A, class Op, class Storage>
__device__ void join_in_shared(Storage& shared, const tile_thread& own, bool exists, int groups, Op op,
                               A (&values)[Vector]) {
  A* const place = shared.values.data() + arch::flat_thread() * Vector;
  const auto publish = [&] {
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) place[v] = values[v];
  };
  __syncthreads();
  if (exists && own.group < groups) publish();
  for (int distance = 1; distance < groups; distance *= 2) {
    __syncthreads();
    if (!exists || own.group % (2 * distance) != 0 || own.group + distance >= groups) continue;
    const A* const other = place + (distance << own.log_lanes) * Vector;
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) values[v] = op(values[v], other[v]);
    publish();
  }
}

/// The same of single values: first within warps, by shuffles, then the warps. Cost: two barriers, if there are several
/// warps to join. (Of vectors, it would need more registers than a column kernel has.)
template <int BlockThreads, class A, class Op, class Storage>
__device__ A join_by_shuffles(Storage& shared, const tile_thread& own, bool exists, int groups, Op op, A value) {
  WARPFOLD_NO_UNROLL
  for (int distance = 1; distance < groups && distance << own.log_lanes < warp_lanes; distance *= 2) {
    const A other = warp::shuffle_down(value, distance << own.log_lanes);
    if (exists && own.group % (2 * distance) == 0 && own.group + distance < groups) value = op(value, other);
  }
  const int log_joined =
                greatest_of(log2_of(warp_lanes) - own.log_lanes, 0),  // groups of a warp, which are one part now
      parts = (groups + (1 << log_joined) - 1) >> log_joined;
  if (parts <= 1) return value;
  const auto place = [&](int part) { return shared.values.data() + (part << own.log_lanes) + own.lane; };
  __syncthreads();
  if (exists && own.group < groups && own.group % (1 << log_joined) == 0) *place(own.group >> log_joined) = value;
  __syncthreads();
  if (!exists || own.group > 0) return value;
  constexpr int most_parts = BlockThreads / warp_lanes;
  A column[most_parts] = {};
  WARPFOLD_UNROLL
  for (int p = 0; p < most_parts; ++p)
    if (p < parts) column[p] = *place(p);
  return thread::fold(column, op, parts);
}

/// Joins the values of the first `groups` row groups; the result is valid in group 0. All threads of the block call it;
/// those without outputs have `exists` false. `shared` may be in use before.
template <int BlockThreads, int Vector, class A, class Op, class Storage>
__device__ void join_row_groups(Storage& shared, const tile_thread& own, bool exists, int groups, Op op,
                                A (&values)[Vector]) {
  if (groups <= 1) return;
  if constexpr (Vector == 1) values[0] = join_by_shuffles<BlockThreads>(shared, own, exists, groups, op, values[0]);
  else join_in_shared<Vector>(shared, own, exists, groups, op, values);
}

/// The node over `count` <= splits_per_group partial results, shared among the row groups of the block. partial(i) is
/// the address of partial result i of the thread's outputs.
template <int BlockThreads, int Vector, class A, class Op, class Storage, class Partial>
__device__ void join_partials(Storage& shared, const tile_thread& own, bool exists, int count, Partial partial, Op op,
                              A (&values)[Vector]) {
  constexpr int most_lanes_share = splits_per_group * warp_lanes / BlockThreads;  // of 32 lanes a tile at most
  constexpr int batch = most_lanes_share < 1 ? 1 : most_lanes_share < 8 ? most_lanes_share : 8;
  const int row_groups = BlockThreads >> own.log_lanes;
  int share = 1;
  while (share * row_groups < count) share *= 2;
  const int first = own.group * share, end = least_of(first + share, count);
  if (exists && first < end) {
    static_assert(splits_per_group <= 16 * batch);
    thread::node_counter<Vector, A, 5> nodes;
    unsigned batches = 0;
    WARPFOLD_NO_UNROLL
    for (int i = first; i < end; i += batch, ++batches) {
      A held[batch][Vector] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < batch; ++k)
        if (i + k < end) WARPFOLD_UNROLL
      for (int v = 0; v < Vector; ++v) held[k][v] = partial(i + k)[v];
      WARPFOLD_UNROLL
      for (int v = 0; v < Vector; ++v) {
        A column[batch];
        WARPFOLD_UNROLL
        for (int k = 0; k < batch; ++k) column[k] = held[k][v];
        values[v] = thread::fold(column, op, end - i);
      }
      nodes.push(batches, values, op);
    }
    nodes.total(batches, values, op);
  }
  join_row_groups<BlockThreads, Vector>(shared, own, exists, (count + share - 1) / share, op, values);
}

/// Takes the node of split `split` of tile `tile`, valid in group 0, and writes the tile's outputs once all splits have
/// been taken. All threads of the block call it.
template <int BlockThreads, int Vector, class Arguments, class Storage, class A = typename Arguments::A>
__device__ void finish_tile(const Arguments& arguments, Storage& shared, const tile_thread& own, std::int64_t tile,
                            std::int64_t split, std::int64_t vector, A (&values)[Vector]) {
  const schedule& plan = arguments.plan;
  const bool exists = vector < arguments.vectors, leads = exists && own.group == 0;
  const int groups = static_cast<int>(plan.counters_per_tile()) - 1;
  if (plan.splits > 1) {
    const auto partial = [&](std::int64_t s) {
      return arguments.partials + (((tile * plan.splits + s) << plan.log_lanes) + own.lane) * Vector;
    };
    const auto store = [&](std::int64_t s) {
      if (leads) WARPFOLD_UNROLL
      for (int v = 0; v < Vector; ++v) partial(s)[v] = values[v];
      __syncthreads();
    };
    unsigned* const counters = arguments.counters + tile * plan.counters_per_tile();
    const std::int64_t group = split / splits_per_group, first = group * splits_per_group;
    const int in_group = static_cast<int>(least_of(plan.splits - first, splits_per_group));
    store(split);
    if (!grid::block_completes(counters + group, static_cast<unsigned>(in_group), shared.is_last)) return;
    join_partials<BlockThreads, Vector>(
        shared, own, exists, in_group, [&](int i) { return partial(first + i); }, arguments.op, values);
    if (groups > 1) {
      store(first);
      if (!grid::block_completes(counters + groups, static_cast<unsigned>(groups), shared.is_last)) return;
      join_partials<BlockThreads, Vector>(
          shared, own, exists, groups, [&](int i) { return partial(std::int64_t{i} * splits_per_group); }, arguments.op,
          values);
    }
  }
  if (leads) arguments.template write<Vector>(vector, values);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
