// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "../common/groups.hpp"

namespace bench {

void register_means();
void register_extrema();
void register_moments();
void register_exact_sums();

inline void register_everyday() {
  register_means();
  register_extrema();
  register_moments();
  register_exact_sums();
}

}  // namespace bench
