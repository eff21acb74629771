// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a batch of which each lane holds consecutive chunks. Lanes fold their own chunks; then five exchanges join 32
// values, where rows of chunks (fold_batch.cuh) take twelve. That pays where accumulators are wide.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/fold_parts.cuh>
#include <warpfold/thread/full_nodes.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::warp {

namespace detail {

/// The node over chunks [First, First + Count), depth first, so that few nodes are held.
template <int First, int Count, class Leaves, class Chunk, int Chunks, class Op>
__device__ auto fold_run(const Leaves& leaves, const Chunk (&chunks)[Chunks], Op op) {
  if constexpr (Count == 1) return thread::fold_chunk(leaves, chunks[First], op);
  else {
    constexpr int half = Count / 2;
    const auto left = fold_run<First, half>(leaves, chunks, op);
    return static_cast<decltype(left)>(op(left, fold_run<First + half, half>(leaves, chunks, op)));
  }
}

/// The full node over all lanes' chunks. Valid in lane 0. (Other lanes join values that
/// are no nodes, and nobody reads them.)
template <class Leaves, class Chunk, int Chunks>
__device__ auto fold_full_runs(const Leaves& leaves, const Chunk (&chunks)[Chunks]) {
  constexpr int run_items = Chunks * Leaves::chunk_items;
  if constexpr (thread::has_empty_full_nodes<Leaves>) return leaves.transform.op.of_full({}, run_items * warp_lanes);
  else {
    auto value = thread::fold_full<0, run_items>(leaves, chunks);
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2)
      value = leaves.transform.op.join_full(value, shuffle_down(value, distance), run_items * distance);
    return leaves.transform.op.of_full(value, run_items * warp_lanes);
  }
}

/// The node over all lanes' chunks; load(k) loads the calling lane's chunk k. Valid in lane 0. The code has two joins,
/// in loops, because a join of wide accumulators is long.
template <int Chunks, class Leaves, class Op, class Load, class A = typename Leaves::accumulator>
__device__ A fold_runs_compactly(const Leaves& leaves, Op op, Load load) {
  A value{}, waiting[log2_of(Chunks) + 1];
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < Chunks; ++k) {
    value = thread::fold_chunk(leaves, load(k), op);
    int level = 0;
    WARPFOLD_NO_UNROLL
    for (; k >> level & 1; ++level) value = op(waiting[level], value);
    waiting[level] = value;
  }
  WARPFOLD_NO_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const A right = shuffle_down(value, distance);
    if (arch::lane_id() % (2 * distance) == 0) value = op(value, right);
  }
  return value;
}

}  // namespace detail

/// The node over all lanes' chunks: lane l holds chunks [l Chunks, (l + 1) Chunks), whose items all exist. Valid in
/// lane 0. All lanes call it. load(k) loads the calling lane's chunk k once more.
template <class Leaves, class Chunk, int Chunks, class Op, class Load, class A = typename Leaves::accumulator>
__device__ A fold_runs(const Leaves& leaves, const Chunk (&chunks)[Chunks], Op op, Load load) {
  static_assert(is_power_of_two(Chunks));
  if constexpr (thread::is_fused<Op>) {
    return thread::fold_parts<A>(
        op, leaves, [&](const auto& part, const auto& part_op) { return fold_runs(part, chunks, part_op, load); });
  } else if constexpr (thread::has_full_nodes<Leaves>) {
    if constexpr (thread::all_items_count<Leaves>) return detail::fold_full_runs(leaves, chunks);
    else if (__all_sync(full_warp, thread::items_count(leaves, chunks))) return detail::fold_full_runs(leaves, chunks);
    else return detail::fold_runs_compactly<Chunks>(leaves, op, load);
  } else {
    const A value = detail::fold_run<0, Chunks>(leaves, chunks, op);
    // Where operands need not be in order, an exchange by all lanes needs no guards.
    if constexpr (is_commutative<Op> && std::is_arithmetic_v<A>) return warp::all_reduce(value, op);
    else return warp::reduce(value, op);
  }
}

/// Shared memory of fold_batch_by_runs, for a warp.
template <class Leaves, int MaxRows> struct runs_storage {
  alignas(16) unsigned char room[warp_lanes * MaxRows * sizeof(typename Leaves::chunk)];
};

/// The node over the whole batch of `rows` rows, a power of two up to MaxRows, at item `first`. Valid in lane 0.
template <int MaxRows, class Index, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_whole_runs(const Leaves& leaves, Index first, int rows, Op op, unsigned char* room) {
  if constexpr (MaxRows > 1)
    if (rows < MaxRows) return fold_whole_runs<MaxRows / 2>(leaves, first, rows, op, room);
  using chunk = typename Leaves::chunk;
  constexpr int chunk_items = Leaves::chunk_items;
  const auto load = [&](chunk& to, int row, int lane) {
    leaves.source.load(to, first + (row * warp_lanes + lane) * chunk_items);
  };
  chunk chunks[MaxRows];
  WARPFOLD_UNROLL
  for (int row = 0; row < MaxRows; ++row) load(chunks[row], row, arch::lane_id());
  transpose<chunk, MaxRows>::to_runs(chunks, room);
  return fold_runs(leaves, chunks, op, [&](int k) {
    chunk again;
    load(again, 0, arch::lane_id() * MaxRows + k);
    return again;
  });
}

/// As fold_batch (fold_batch.cuh), but shared memory turns the rows into consecutive chunks per lane. Valid in lane 0.
template <int MaxRows, class Index, class Leaves, class Op>
__device__ auto fold_batch_by_runs(const Leaves& leaves, Index first, Op op, runs_storage<Leaves, MaxRows>& own,
                                   int rows = MaxRows) {
  if (is_whole(leaves, first, rows * warp_lanes * Leaves::chunk_items))
    return fold_whole_runs<MaxRows>(leaves, first, rows, op, own.room);
  return fold_cut_batch<MaxRows>(leaves, first, op, rows);
}

}  // namespace warpfold::warp
