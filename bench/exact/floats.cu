// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_sums.cuh"
#include "register.hpp"

namespace bench {

void register_exact_float_sums() {
  register_exact_sums<float>("float");
  for (const char* name : {"all_32", "all_100", "all_1000", "all_65536", "geometric_200", "log_normal", "one"})
    register_exact_segments<float>("float", spread::narrow, named_distribution(name));
  for (const spread s : {spread::octaves_60, spread::wide})
    register_exact_segments<float>("float", s, equal_lengths(1000));
}

}  // namespace bench
