// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compositions.cuh"

namespace bench {

/// Matrix, H = W = 32, loaded by 256 threads; Diffwarps, P = 8 and C = 1: one warp has the 32 rows.
std::vector<strategy_entry> matrix_strategies(strategy_operator op) {
  using algorithm = wf::block::matrix<32, 32, 256>;
  return all_compositions("matrix", op,
                          strategy_parts<algorithm, wf::grid::producer_consumer<8, 1>, algorithm,
                                         wf::grid::bulk_producer_consumer<1, 1, 6>, algorithm>{});
}

}  // namespace bench
