// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

// One source file each, so that they compile side by side.
void register_segmented_sums();   // float sums from offsets, at all sizes and lengths, beside CUB
void register_segmented_forms();  // float sums from owners, bounds and fixed lengths
void register_segmented_types();  // other types and operators, at equal bytes

}  // namespace bench
