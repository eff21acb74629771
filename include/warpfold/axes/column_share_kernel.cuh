// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels for items that lie together across outputs, where threads fold alone, since there is much to compute.
#pragma once
#include <warpfold/arch/opaque.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/column_share.cuh>
#include <warpfold/axes/counted_items.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/grid/drawn_work.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Of a multiprocessor, requested of the register allocator.
inline constexpr int column_share_blocks = 2;

/// Rows that are under way come behind it, at a line of shared memory: misaligned copies take a fifth longer.
template <class Leaves> struct alignas(128) column_share_storage {
  join_storage<typename Leaves::accumulator, column_share_threads<Leaves>, Leaves::chunk_items> join;
  grid::drawn_work::storage work;
};

/// Bytes of shared memory of a block of `threads` threads.
template <class Leaves> consteval std::size_t column_share_bytes(int threads) {
  return sizeof(column_share_storage<Leaves>) + rows_ahead_bytes<Leaves>(threads);
}

/// Joins `count` nodes of vectors, and leaves the roots of `item`. Threads join single outputs, so that more of them
/// do: `own` has a lane for each output of a tile.
template <class Arguments, class Storage, class Joiner>
__device__ void join_singly(const Arguments& arguments, const work_item& item, const tile_thread& own, Storage& shared,
                            Joiner& joiner, int count) {
  using A = typename Arguments::A;
  constexpr int vector = Arguments::leaves_type::chunk_items;
  const auto& plan = arguments.plan;
  const bool exists = own.lane < arguments.template outputs_of<vector>(item.tile);
  A root[1] = {};
  join_nodes<vector>(shared, own, plan.groups / vector, exists, count, arguments.op, root);
  if (!exists || own.group > 0) return;
  if (plan.splits > 1) joiner.put_one(item, own.lane, root[0]);
  else arguments.write_one(item.tile * plan.lanes + own.lane / vector, own.lane % vector, root[0]);
}

/// Each thread folds a share of an output's items alone: for operators that have much to compute, and for outputs of so
/// few items that one share has them all.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(column_share_threads<Leaves>, column_share_blocks)
column_share_kernel(const __grid_constant__ Arguments given) {
  using A = typename Leaves::accumulator;
  const auto& arguments = with_known_items(given);
  if (finish_without_items<Leaves::chunk_items>(arguments, given)) return;
  constexpr int vector = Leaves::chunk_items;
  auto& shared = arch::dynamic_shared<column_share_storage<Leaves>>();
  const auto& plan = arguments.plan;
  tile_thread own(plan.lanes);
  // Runs leave few registers: the compiler would divide again for each work item.
  if constexpr (folds_runs<Leaves>) own.lane = arch::opaque(own.lane), own.group = arch::opaque(own.group);
  [[maybe_unused]] const tile_thread single = vector == 1 ? own : tile_thread(plan.lanes * vector);
  const std::int64_t share = std::int64_t{1} << plan.log_rows;
  const bool is_clerk = arch::flat_thread() == 0, has_group = own.group < plan.groups;
  grid::drawn_work work(plan.work_items(), arguments.draw_counter(), plan.waits(), is_clerk, shared.work);
  split_joiner<vector, false, std::remove_cvref_t<decltype(arguments)>, decltype(shared.join)> joiner(
      arguments, shared.join, static_cast<int>(blockDim.x), is_clerk);
  column_share<Leaves, typename Arguments::operation, std::remove_cvref_t<decltype(arguments.reduced)>> own_share(
      arguments.leaves, arguments.reduced, arguments.op, reinterpret_cast<unsigned char*>(&shared + 1));
  const auto begin = [&](std::int64_t number) {
    if (number >= plan.work_items()) return;
    const work_item item = arguments.item_at(number);
    const std::int64_t column = item.tile * plan.lanes + own.lane, first = item.first + own.group * share;
    const bool exists = has_group && column < arguments.vectors;
    const unsigned peers = plan.copies_vectors ? __ballot_sync(full_warp, exists) & own.of_same_warp() : 0;
    own_share.begin(exists ? arguments.kept.place_of(column).in : 0, first,
                    exists ? least_of(first + share, item.end) : first, peers);
  };
  if constexpr (folds_runs<Leaves>) begin(work.item());
  while (work.exists()) {
    work.draw();
    const work_item item = arguments.item_at(work.item());
    const std::int64_t column = item.tile * plan.lanes + own.lane;
    const bool exists = has_group && column < arguments.vectors;
    A values[vector] = {};
    if constexpr (folds_runs<Leaves>) {
      if (own_share.exists()) own_share.fold(values);
      begin(work.next());
    } else {
      const std::int64_t first = item.first + own.group * share, end = least_of(first + share, item.end);
      if (exists && first < end)
        fold_down(arguments.leaves, arguments.reduced, arguments.kept.place_of(column).in, first, end, arguments.op,
                  values);
    }
    work.show();
    const int count = static_cast<int>((item.end - item.first - 1) >> plan.log_rows) + 1;
    if (count > 1) {
      if (exists && own.group < count) shared.join.put(arch::flat_thread(), values);
      __syncthreads();
      if constexpr (vector == 1) join_nodes<1>(shared.join, own, plan.groups, exists, count, arguments.op, values);
      else join_singly(arguments, item, single, shared.join, joiner, count);
    }
    if ((vector == 1 || count <= 1) && exists && own.group == 0) {
      if (plan.splits > 1) joiner.put(item, own, values);
      else arguments.template write<vector>(column, values);
    }
    __syncthreads();
    if (plan.splits > 1) joiner.arrive(item);
    work.advance();
  }
  if (plan.splits > 1) joiner.finish();
}

/// The rows that are under way, which begin at a line of shared memory.
struct alignas(128) share_room {
  unsigned char bytes[128];
};

/// Each thread folds whole outputs, so nothing is joined, and no thread waits for others.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(column_share_threads<Leaves>, column_share_blocks)
whole_column_kernel(const __grid_constant__ Arguments arguments) {
  constexpr int vector = Leaves::chunk_items;
  const auto& plan = arguments.plan;
  const auto column_of = [&](std::int64_t tile) { return tile * plan.lanes + arch::flat_thread(); };
  if constexpr (folds_runs<Leaves>) {
    column_share<Leaves, typename Arguments::operation, typename Arguments::map> share(
        arguments.leaves, arguments.reduced, arguments.op, arch::dynamic_shared<share_room>().bytes);
    const auto begin = [&](std::int64_t tile) {
      const bool exists = column_of(tile) < arguments.vectors;
      share.begin(exists ? arguments.kept.place_of(column_of(tile)).in : 0, 0, exists ? arguments.items : 0,
                  plan.copies_vectors ? __ballot_sync(full_warp, exists) : 0);
    };
    begin(blockIdx.x);
    for (std::int64_t tile = blockIdx.x; tile < plan.tiles; tile += gridDim.x) {
      typename Leaves::accumulator values[vector] = {};
      if (share.exists()) share.fold(values);
      if (tile + gridDim.x < plan.tiles) begin(tile + gridDim.x);
      if (column_of(tile) < arguments.vectors) arguments.template write<vector>(column_of(tile), values);
    }
  } else
    for (std::int64_t tile = blockIdx.x; tile < plan.tiles; tile += gridDim.x) {
      const std::int64_t column = column_of(tile);
      if (column >= arguments.vectors) return;
      typename Leaves::accumulator values[vector] = {};
      fold_down(arguments.leaves, arguments.reduced, arguments.kept.place_of(column).in, 0, arguments.items,
                arguments.op, values);
      arguments.template write<vector>(column, values);
    }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
