// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

#include <cuda/std/functional>

#include "prefixes.cuh"
#include "register.hpp"

namespace bench {

namespace {
/// CUB accumulates in what the operator returns: in float, as Warpfold does.
struct add_floats {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};
}  // namespace

void register_narrow_scans() {
  scan_sweep<std::int8_t, warpfold::plus, cuda::std::plus<>>("int8", "plus").at_equal_bytes();
  scan_sweep<__half, warpfold::plus, add_floats>("half", "plus").at_equal_bytes();
}

}  // namespace bench
