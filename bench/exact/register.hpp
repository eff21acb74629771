// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

// One source file each, so that they compile side by side.
void register_exact_float_sums();
void register_exact_double_sums();

}  // namespace bench
