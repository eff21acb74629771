// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/std/functional>

#include "../reduce/items.cuh"
#include "prefixes.cuh"
#include "register.hpp"

namespace bench {

void register_wide_scans() {
  scan_sweep<std::int32_t, warpfold::plus, cuda::std::plus<>>("int32", "plus").at_equal_bytes();
  scan_sweep<double, warpfold::plus, cuda::std::plus<>>("double", "plus").at_equal_bytes();
  scan_sweep<affine, compose, compose>("affine", "compose").at_equal_bytes();
  scan_sweep<complex128, add_components, add_components>("complex128", "add_components").at_equal_bytes();
  scan_sweep<matrix2, multiply, multiply>("matrix2", "multiply").at_equal_bytes();
}

}  // namespace bench
