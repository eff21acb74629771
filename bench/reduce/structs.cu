// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "register.hpp"
#include "sweeps.cuh"

namespace bench {

void register_struct_reductions() {
  using cub_components = cub_functor<add_components, true>;
  register_at_equal_bytes(sweep<vector3, add_components, cub_components>("vector3", "add_components"));
  register_at_equal_bytes(sweep<complex128, add_components, cub_components>("complex128", "add_components"));
  register_at_equal_bytes(sweep<affine, compose, no_peer>("affine", "compose"));
  register_at_equal_bytes(sweep<matrix2, multiply, no_peer>("matrix2", "multiply"));
}

}  // namespace bench
