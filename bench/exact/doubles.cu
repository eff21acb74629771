// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_sums.cuh"
#include "register.hpp"

namespace bench {

void register_exact_double_sums() {
  register_exact_sums<double>("double");
  register_exact_segments<double>("double", spread::narrow, equal_lengths(1000));
  register_exact_sum<__half>("half", std::int64_t{1} << 28, spread::narrow);
  register_exact_sum<__half>("half", std::int64_t{1} << 28, spread::wide);
  register_exact_sum<__nv_bfloat16>("bfloat16", std::int64_t{1} << 28, spread::narrow);
}

}  // namespace bench
