// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compositions.cuh"

namespace bench {

/// A warp folds 4 KiB at a time: a data-block has 64 KiB, that of one consumer warp 4 KiB, in stages 32 KiB.
std::vector<strategy_entry> shuffle_strategies(strategy_operator op) {
  return all_compositions(
      "shuffle", op,
      strategy_parts<wf::block::shuffle<512>, wf::grid::producer_consumer<8, 1>, wf::block::shuffle<32>,
                     wf::grid::bulk_producer_consumer<1, 8, 3>, wf::block::shuffle<256>>{});
}

}  // namespace bench
