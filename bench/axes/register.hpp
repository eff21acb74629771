// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

// One source file each, so that they compile side by side.
void register_float_axes();
void register_grid_of_axes();
void register_other_axes();

}  // namespace bench
