// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_sums_by_key() {
  const auto add = [](int bits, const std::vector<distribution>& list) {
    for (const distribution& lengths : without_empty(list))
      add_runs<float, warpfold::plus, cuda::std::plus<>>("float/plus", std::int64_t{1} << bits, lengths);
  };
  for (const int bits : {20, 22, 24, 26, 28}) add(bits, all_distributions());
  for (const int bits : {22, 24, 26}) add(bits, irregular_distributions());
}

}  // namespace bench
