// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <warpfold/operators.hpp>

#include "register.hpp"
#include "sweeps.cuh"

namespace bench {

void register_half_reductions() {
  using cub_float_sum = cub_functor<add_floats, true>;
  register_at_equal_bytes(sweep<__half, warpfold::plus, cub_float_sum>("half", "plus"));
  register_at_equal_bytes(sweep<__nv_bfloat16, warpfold::plus, cub_float_sum>("bfloat16", "plus"));
}

}  // namespace bench
