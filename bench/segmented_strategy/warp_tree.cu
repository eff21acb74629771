// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compositions.cuh"

namespace bench {

/// Segmented TB4-warp: 256 threads, D = 1024; as many consumers.
std::vector<owned_entry> segmented_warp_tree_strategies(strategy_operator op) {
  return all_owned_compositions<wf::block::segmented::warp_tree<256>, 8>("warp_tree", op);
}

}  // namespace bench
