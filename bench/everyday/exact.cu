// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/exact_plus.cuh>

#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_exact_sums() { add_everyday<float>("exact", warpfold::exact_plus{}); }

}  // namespace bench
