// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <iterator>

#include "compositions.cuh"

namespace bench {

/// Segmented Matrix, H = 32, W = 32 and 16, loaded by 256 threads; Diffwarps and Diffwarps16, P = 8 and C = 1.
std::vector<owned_entry> segmented_matrix_strategies(strategy_operator op) {
  auto list = all_owned_compositions<wf::block::segmented::matrix<32, 32, 256>, 1>("matrix", op);
  std::ranges::move(all_owned_compositions<wf::block::segmented::matrix<32, 16, 256>, 1>("matrix16", op),
                    std::back_inserter(list));
  return list;
}

}  // namespace bench
