// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compositions.cuh"

namespace bench {

/// TB2: 256 threads, D = 512; as many consumers.
std::vector<strategy_entry> tree_strategies(strategy_operator op) {
  using algorithm = wf::block::tree<256>;
  return all_compositions("tree", op,
                          strategy_parts<algorithm, wf::grid::producer_consumer<8, 8>, algorithm,
                                         wf::grid::bulk_producer_consumer<1, 8, 6>, algorithm>{});
}

}  // namespace bench
