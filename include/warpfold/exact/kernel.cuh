// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of exact sums over one array. Warps take batches in turn, and add them to their own superaccumulators in
// shared memory. Each block adds its warps' sums to one superaccumulator in global memory. The last block to arrive
// rounds. One launch.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/exact/arguments.cuh>
#include <warpfold/exact/batch_sum.cuh>
#include <warpfold/exact/leading_sum.cuh>
#include <warpfold/exact/policy.hpp>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/warp/load_rows.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves>
using batch_sum_of = warp_sum<typename Leaves::accumulator, batch_rows<Leaves>() * Leaves::chunk_items>;

template <class Leaves> struct sum_storage {
  typename batch_sum_of<Leaves>::storage warp[sum_policy<typename Leaves::accumulator>::max_block_warps];
  unsigned kinds;
  bool is_last;
};

/// Loads the lane's items of the batch at item `first`. Missing items are -0, which changes no sum.
template <int Rows, class Leaves, class F, int Items>
__device__ void load_items(const Leaves& leaves, std::int64_t first, F (&items)[Items]) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  typename Leaves::chunk rows[Rows];
  if (warp::load_rows(leaves.source, first, rows)) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      items[k] = warpfold::detail::convert<F>(leaves.leaf(rows[k / chunk_items], k % chunk_items));
    return;
  }
  const std::int64_t own_items = leaves.source.items - first - arch::lane_id() * chunk_items;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k)
    items[k] = k / chunk_items * row_items + k % chunk_items < own_items
                   ? warpfold::detail::convert<F>(leaves.leaf(rows[k / chunk_items], k % chunk_items))
                   : F(-0.0);
}

/// Adds every `step`-th batch of the input from batch `first` on. If it loads_ahead (policy.hpp), the next batch is on
/// its way while one is added. The warp calls it.
template <class Arguments, class Sum>
__device__ void add_batches(const Arguments& arguments, std::int64_t first, std::int64_t step, Sum& sum) {
  using leaves = decltype(Arguments::leaves);
  constexpr int rows = batch_rows<leaves>(), items = rows * leaves::chunk_items;
  constexpr bool loads_ahead = sum_policy<typename Arguments::V>::loads_ahead;
  typename Sum::number values[items], next[items];
  for (std::int64_t batch = first; loads_ahead || batch < arguments.batches; batch += step) {
    if (batch < arguments.batches) load_items<rows>(arguments.leaves, batch * (items * warp_lanes), next);
    if constexpr (loads_ahead) {
      if (batch != first) sum.add(values);
      if (batch >= arguments.batches) break;
    } else sum.add(next);
    WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k) values[k] = next[k];
  }
}

/// Rounds the sum of `shared`, unless the output takes accumulators, and writes it. A warp calls it. Not inlined: it
/// would take registers from the loop over the items. It takes values, and init only if there is one: a reference to a
/// kernel's argument is read as global memory.
template <class Out, class T, class Storage>
__device__ __attribute__((noinline)) void write_sum(Out out, const grid::initial_value<superaccumulator<T>>* init,
                                                    Storage& shared) {
  lazy_superaccumulator<T>& sum = shared.warp[0].sum;
  unsigned kinds = shared.kinds;
  if (init != nullptr) {
    const bool is_stored = init->what == grid::initial_value<superaccumulator<T>>::kind::pointer;
    const superaccumulator<T>& joined = is_stored ? *init->pointer : init->value;
    kinds |= joined.kinds;
    for (int i = arch::lane_id(); i < sum.words; i += warp_lanes) sum.word[i] += joined.word[i];
    __syncwarp();
  }
  if constexpr (requires(const leading_sum<T>& leading) { *out = leading; }) {
    leading_sum<T> leading;
    if (find_leading_sum(sum, kinds, leading)) *out = leading;
  } else if (arch::lane_id() == 0) *out = sum.carried(kinds);  // an output takes the accumulator itself
}

/// Adds the block's sum to the global one. True in the last block, which then has the sum of all blocks in
/// shared.warp[0] and shared.kinds, while the global one is zero again. All threads call it.
template <class Storage, class V>
__device__ bool is_last_to_add(Storage& shared, global_sum<V>& sum, unsigned* ticket) {
  const int thread = arch::flat_thread(), threads = static_cast<int>(blockDim.x);
  sum.add(shared.warp[0].sum, shared.kinds, thread, threads);
  __syncthreads();
  if (!grid::block_arrives_last(ticket, shared.is_last)) return false;
  sum.take(shared.warp[0].sum, shared.kinds, thread, threads);
  __syncthreads();
  return true;
}

template <class Leaves, class Out>
__global__ void __launch_bounds__(sum_policy<typename Leaves::accumulator>::max_block_warps* warp_lanes,
                                  sum_policy<typename Leaves::accumulator>::blocks_per_multiprocessor)
sum_kernel(const __grid_constant__ sum_arguments<Leaves, Out> arguments) {
  using V = typename Leaves::accumulator;
  constexpr int words = superaccumulator<V>::words;
  auto& shared = arch::dynamic_shared<sum_storage<Leaves>>();
  const int thread = arch::flat_thread(), warp = arch::flat_warp(), warps = static_cast<int>(blockDim.x / warp_lanes);
  if (thread == 0) shared.kinds = 0;
  __syncthreads();

  batch_sum_of<Leaves> sum(shared.warp[warp]);
  add_batches(arguments, std::int64_t{blockIdx.x} * warps + warp, std::int64_t{gridDim.x} * warps, sum);
  sum.finish();
  if (sum.kinds() != 0) atomicOr(&shared.kinds, sum.kinds());
  __syncthreads();
  for (int i = thread; i < words; i += static_cast<int>(blockDim.x))
    for (int other = 1; other < warps; ++other) shared.warp[0].sum.word[i] += shared.warp[other].sum.word[i];
  __syncthreads();
  if (gridDim.x > 1 && !is_last_to_add(shared, *arguments.sum, arguments.ticket)) return;
  if (warp != 0) return;
  write_sum(arguments.out, arguments.init.exists() ? &arguments.init : nullptr, shared);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
