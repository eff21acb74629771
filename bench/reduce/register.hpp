// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

// One source file each, so that they compile side by side.
void register_float_reductions();
void register_double_reductions();
void register_integer_reductions();
void register_half_reductions();
void register_struct_reductions();

}  // namespace bench
