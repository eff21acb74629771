// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

// One source file each, so that they compile side by side.
void register_sums_by_key();   // float sums, at all sizes and lengths of runs
void register_types_by_key();  // other types, operators and keys, as many items

}  // namespace bench
