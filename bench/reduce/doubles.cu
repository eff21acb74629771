// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/operators.hpp>

#include "register.hpp"
#include "sweeps.cuh"

namespace bench {

void register_double_reductions() {
  register_at_equal_bytes(sweep<double, warpfold::plus, cub_sum>("double", "plus"));
  register_at_equal_bytes(sweep<double, warpfold::minimum, cub_minimum>("double", "minimum"));
}

}  // namespace bench
