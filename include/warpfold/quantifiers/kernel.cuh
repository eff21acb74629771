// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether any item has a property, with an early exit. Warps walk through the input side by side, and look at a common
// flag whenever they load. The first warp to find such an item raises the flag, and all stop at their next batch. With
// one kernel and one shape of blocks, policy and arguments are here, and the plan is in dispatch.cuh.
#pragma once
#include <warpfold/arch/published.cuh>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/thread/load_by_alignment.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::quantifiers {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int block_threads = 256, block_warps = block_threads / warp_lanes;
inline constexpr int blocks_per_multiprocessor = 4;  ///< asked of the register allocator
inline constexpr int rows = 4;                       ///< of 32 chunks that a warp has in flight

/// `Leaves` are the predicate's answers.
template <class Leaves, class Out> struct kernel_arguments {
  Leaves leaves;
  bool wanted;    ///< the answer that is looked for
  bool if_found;  ///< the result if an item has it; otherwise the result is the opposite
  Out out;
  unsigned* ticket;  ///< zero before and after the kernel, like `flag`
  unsigned* flag;
};

template <class Leaves>
inline constexpr std::int64_t batch_items = std::int64_t{rows} * warp_lanes* Leaves::chunk_items;

/// Whether one of the lane's items in the batch at item `first` has the answer `wanted`. Items out of range are not
/// asked.
template <class Leaves> __device__ bool finds_in_batch(const Leaves& leaves, std::int64_t first, bool wanted) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  const std::int64_t own = first + arch::lane_id() * chunk_items;
  typename Leaves::chunk chunks[rows] = {};
  thread::load_by_alignment(leaves.source, first, first + batch_items<Leaves>, [&](auto load) {
    WARPFOLD_UNROLL
    for (int row = 0; row < rows; ++row) load(chunks[row], own + row * row_items);
  });
  bool found = false;
  const auto ask = [&](auto exists) {
    WARPFOLD_UNROLL
    for (int row = 0; row < rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < chunk_items; ++k)
      if (exists(row * row_items + k)) found |= leaves.leaf(chunks[row], k) == wanted;
  };
  const std::int64_t remaining = leaves.source.items - own;
  if (first + batch_items<Leaves> <= leaves.source.items) ask([](int) { return true; });
  else ask([=](int item) { return item < remaining; });
  return found;
}

template <class Leaves, class Out> __global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
any_kernel(const __grid_constant__ kernel_arguments<Leaves, Out> arguments) {
  const auto& [leaves, wanted, if_found, out, ticket, flag] = arguments;
  const std::int64_t step = std::int64_t{gridDim.x} * block_warps * batch_items<Leaves>;
  std::int64_t first = (std::int64_t{blockIdx.x} * block_warps + arch::uniform_warp()) * batch_items<Leaves>;
  for (; first < leaves.source.items; first += step) {
    const unsigned is_raised = arch::observe(flag);  // on its way together with the items
    const bool found = finds_in_batch(leaves, first, wanted);
    if (__any_sync(full_warp, found)) {
      if (arch::lane_id() == 0) arch::publish(flag, 1);
      break;
    }
    if (__any_sync(full_warp, is_raised != 0)) break;
  }
  __syncthreads();  // the flag of any warp is handed to the first
  if (arch::flat_warp() > 0 || !grid::warp_arrives_last(ticket) || arch::lane_id() > 0) return;
  *out = (arch::observe(flag) != 0) == if_found;
  arch::publish(flag, 0);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::quantifiers
