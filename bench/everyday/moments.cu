// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/statistics.hpp>

#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_moments() {
  add_everyday<warpfold::moments_of<2>>("moments", warpfold::moments<>{});
  add_everyday<warpfold::statistics_of<float>>("statistics", warpfold::statistics<>{});
}

}  // namespace bench
