// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_sums_by_key() {
  for (const int bits : {20, 24, 26, 28})
    for (const distribution& lengths : distributions_of_runs())
      add_runs<float, warpfold::plus, cuda::std::plus<>>("float/plus", std::int64_t{1} << bits, lengths);
}

}  // namespace bench
