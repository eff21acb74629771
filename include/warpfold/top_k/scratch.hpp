// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much scratch a call of top_k_items needs: room for keys and a word for each block that shares a segment, and two
// words for each segment that is shared.
#pragma once
#include <cstddef>
#include <warpfold/host/device.cuh>
#include <warpfold/host/scratch.hpp>
#include <warpfold/top_k/policy.hpp>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Blocks that may share segments on `device`, with lists of k > 0 keys of `key_bytes` bytes.
inline int most_shared_blocks(int device, int k, std::size_t key_bytes) {
  const std::size_t resident =
      static_cast<std::size_t>(host_side::limits_of(device).multiprocessors) * most_blocks_per_multiprocessor;
  const std::size_t list_bytes = static_cast<std::size_t>(spared_keys(k)) * key_bytes;
  return static_cast<int>(least_of(least_of(resident, most_list_bytes / list_bytes), std::size_t{most_parts}));
}
/// The need of a call of k >= 0, whatever its plan.
inline host_side::scratch_need scratch(int device, int k, std::size_t key_bytes) {
  if (k == 0) return {};
  const auto blocks = static_cast<std::size_t>(most_shared_blocks(device, k, key_bytes));
  return {3 * blocks * sizeof(unsigned), blocks * static_cast<std::size_t>(spared_keys(k)) * key_bytes};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
