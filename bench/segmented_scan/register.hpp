// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

// One source file each, so that they compile side by side.
void register_segmented_float_scans();  // running sums of floats, by offsets, owners and fixed lengths
void register_segmented_scan_types();   // other types and operators, by offsets, at equal bytes

}  // namespace bench
