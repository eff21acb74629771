// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compositions.cuh"

namespace bench {

/// TB4-warp: 256 threads, D = 1024; as many consumers.
std::vector<strategy_entry> warp_tree_strategies(strategy_operator op) {
  using algorithm = wf::block::warp_tree<256>;
  return all_compositions("warp_tree", op,
                          strategy_parts<algorithm, wf::grid::producer_consumer<8, 8>, algorithm,
                                         wf::grid::bulk_producer_consumer<1, 8, 6>, algorithm>{});
}

}  // namespace bench
