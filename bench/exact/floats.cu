// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_sums.cuh"
#include "register.hpp"

namespace bench {

void register_exact_float_sums() {
  register_exact_sums<float>("float");
  for (const int length : {100, 1000}) register_exact_segments<float>("float", length);
}

}  // namespace bench
