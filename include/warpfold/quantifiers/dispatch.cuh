// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of any_of, all_of and none_of: grid, scratch, one launch.
#pragma once
#include <algorithm>
#include <cstdint>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/scratch_for.cuh>
#include <warpfold/quantifiers/kernel.cuh>

namespace warpfold::quantifiers {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Blocks for `items` > 0 items: as many as are resident, but none without a batch for each warp. A positive
/// `max_blocks` bounds them.
inline int plan_blocks(std::int64_t items, std::int64_t items_per_batch, int resident_blocks, int max_blocks) {
  const std::int64_t most = max_blocks > 0 ? std::min(max_blocks, resident_blocks) : resident_blocks;
  return static_cast<int>(std::min(most, host::divide_up(items, items_per_batch * block_warps)));
}

/// *out = if_found if one of `leaves` is `wanted`, else !if_found.
template <class Leaves, class Out, class Options>
void enqueue(const char* function, const Leaves& leaves, bool wanted, bool if_found, Out out, const Options& options) {
  constexpr host::scratch_need need{0, 0};  // the flag lies beside the ticket
  const int device = host::current_device();
  host::check_options(function, options, need);
  if (leaves.source.items == 0) {
    using initial = grid::initial_value<bool>;
    return launch(&grid::write_kernel<bool, Out>, host::launch_config(1, 1, 0, options.stream), out,
                  initial{initial::kind::value, !if_found, nullptr});
  }
  constexpr auto* kernel = &any_kernel<Leaves, Out>;
  const int resident =
      host::limits_of(device).multiprocessors * host::blocks_per_multiprocessor<kernel>(device, block_threads, 0);
  const host::call_scratch scratch = host::scratch_for(device, options, need);
  unsigned* const words = scratch.ticket();
  const int blocks = plan_blocks(leaves.source.items, batch_items<Leaves>, resident, options.max_blocks);
  launch(kernel, host::launch_config(blocks, block_threads, 0, options.stream),
         kernel_arguments<Leaves, Out>{leaves, wanted, if_found, out, words, words + 16});
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::quantifiers
