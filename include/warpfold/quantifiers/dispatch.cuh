// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of any_of, all_of and none_of.
#pragma once
#include <cstdint>
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/quantifiers/kernel.cuh>

namespace warpfold::quantifiers {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Blocks for `items` > 0 items: as many as are resident, but none without a batch for each warp. A positive
/// `max_blocks` bounds them.
inline int plan_blocks(std::int64_t items, std::int64_t items_per_batch, int resident_blocks, int max_blocks) {
  const std::int64_t most = max_blocks > 0 ? least_of(max_blocks, resident_blocks) : resident_blocks;
  return static_cast<int>(least_of(most, host_side::divide_up(items, items_per_batch * block_warps)));
}

/// *out = if_found if one of `leaves` is `wanted`, else !if_found.
template <class Leaves, class Out>
void enqueue(const char* function, const Leaves& leaves, bool wanted, bool if_found, Out out,
             const call_options& options) {
  using initial = grid::initial_value<bool>;
  constexpr auto* kernel = &any_kernel<Leaves, Out>;
  const host_side::call_frame frame(function, options, {0, 0});  // the flag lies beside the ticket
  const std::int64_t items = leaves.source.items;
  if (items == 0) return frame.write(out, initial{initial::kind::value, !if_found, nullptr});
  const int blocks =
      plan_blocks(items, batch_items<Leaves>, frame.resident_blocks<kernel>(block_threads, 0), frame.max_blocks());
  frame.launch(kernel, {blocks, block_threads}, true, [&](const host_side::call_scratch& scratch) {
    return kernel_arguments<Leaves, Out>{leaves, wanted, if_found, out, scratch.ticket(), scratch.ticket() + 16};
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::quantifiers
