// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <warpfold/operators.hpp>

#include "register.hpp"
#include "sweeps.cuh"

namespace bench {

void register_integer_reductions() {
  register_at_equal_bytes(sweep<std::int8_t, warpfold::plus, cub_sum>("int8", "plus"));
  register_at_equal_bytes(sweep<std::int8_t, warpfold::minimum, cub_minimum>("int8", "minimum"));
  using cub_largest = cub_functor<largest_magnitude, false>;
  register_at_equal_bytes(sweep<std::int8_t, largest_magnitude, cub_largest>("int8", "largest_magnitude"));
  register_at_equal_bytes(sweep<std::int32_t, warpfold::plus, cub_sum>("int32", "plus"));
  register_at_equal_bytes(sweep<std::int32_t, warpfold::minimum, cub_minimum>("int32", "minimum"));
}

}  // namespace bench
