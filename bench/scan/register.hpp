// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

// One source file each, so that they compile side by side.
void register_float_scans();
void register_narrow_scans();
void register_wide_scans();
void register_scans_by_key();

}  // namespace bench
