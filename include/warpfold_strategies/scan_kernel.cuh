// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of scans by multi-pass over blocks: one scans each data-block, one joins the results of the data-blocks
// before. Source: Negrut ("more kernel calls in order"); Sengupta.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/load_data_block.cuh>

namespace warpfold::strategies {
enum class scan_kind { inclusive, exclusive };
}

namespace warpfold::grid {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The arguments of both kernels. `Out` is scan_values or scan_segments.
template <class Leaves, class Op, class Out> struct scan_arguments {
  using A = typename Leaves::accumulator;
  Leaves leaves;
  Op op;
  Out out;
  initial_value<A> init;                       ///< joins item 0 on its left
  initial_value<typename Out::value> nothing;  ///< the exclusive result where nothing lies to the left
  A* totals;                                   ///< of the data-blocks; null if there is one
};

/// CUDA-block b scans data-block b. Exclusive results of its first item are left to add_kernel, but for b = 0.
template <class Algorithm, strategies::scan_kind Kind, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Algorithm::block_threads)
scan_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  constexpr int lag = Kind == strategies::scan_kind::exclusive;
  auto& shared = arch::dynamic_shared<typename Algorithm::template storage<A>>();
  const block::whole_block<Algorithm::block_threads> group;
  const std::int64_t first = std::int64_t{blockIdx.x} * Algorithm::data_block_items;
  const int count = load_data_block(group, arguments.leaves, first, shared.data);
  if (first == 0 && arguments.init.exists()) {
    group.sync();
    if (group.rank() == 0) shared.data.set(0, arguments.init.join(shared.data.get(0), arguments.op));
  }
  group.sync();
  const auto& result = Algorithm::scan(group, shared, count, arguments.op);
  for (int item = group.rank(); item < count; item += group.threads) {
    const std::int64_t to = first + item;
    if constexpr (lag == 0) arguments.out.set(to, result.get(item));
    else if (item == 0) {
      if (first == 0) arguments.out.out[0] = arguments.nothing.alone();
    } else if (const A before = result.get(item - 1); arguments.out.continues(before, to))
      arguments.out.set(to, before);
    else arguments.out.out[to] = arguments.nothing.alone();
  }
  if (arguments.totals != nullptr && group.rank() == 0) arguments.totals[blockIdx.x] = result.get(count - 1);
}

/// CUDA-block b joins totals[b], which has been scanned, to the results of data-block b + 1, on their left.
template <class Algorithm, strategies::scan_kind Kind, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Algorithm::block_threads)
add_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> arguments) {
  using A = typename Leaves::accumulator;
  const std::int64_t first = (std::int64_t{blockIdx.x} + 1) * Algorithm::data_block_items;
  const std::int64_t left = arguments.leaves.source.items - first;
  const int count = left < Algorithm::data_block_items ? static_cast<int>(left) : Algorithm::data_block_items;
  const A before = arguments.totals[blockIdx.x];
  for (int item = arch::thread_rank(); item < count; item += Algorithm::block_threads) {
    const std::int64_t to = first + item;
    const bool continues = arguments.out.continues(before, to);
    if (Kind == strategies::scan_kind::exclusive && item == 0) {
      if (continues) arguments.out.set(to, before);
      else arguments.out.out[to] = arguments.nothing.alone();
    } else if (continues) arguments.out.set(to, static_cast<A>(arguments.op(before, arguments.out.get(to))));
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid
