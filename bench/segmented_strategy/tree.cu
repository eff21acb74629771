// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compositions.cuh"

namespace bench {

/// Segmented TB2: 256 threads, D = 512; as many consumers.
std::vector<owned_entry> segmented_tree_strategies(strategy_operator op) {
  return all_owned_compositions<wf::block::segmented::tree<256>, 8>("tree", op);
}

}  // namespace bench
