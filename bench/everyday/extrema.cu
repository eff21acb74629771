// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/arg_operators.hpp>
#include <warpfold/vector_operators.hpp>

#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_extrema() {
  add_everyday<warpfold::extrema<float>>("minmax", warpfold::minimum_maximum{});
  add_everyday<warpfold::indexed_value<float>>("argmax", warpfold::arg_maximum{});
}

}  // namespace bench
