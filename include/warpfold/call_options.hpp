// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of calls that have no initial value.
#pragma once
#include <warpfold/options.hpp>

namespace warpfold {

/// Options of segmented_argmin, argmin_by_key, any_of and their kin. Their order is part of the interface.
struct call_options {
  stream_argument stream = {};   ///< in whose order the call runs
  workspace_ref workspace = {};  ///< scratch; without it Warpfold uses one of its own for this stream
  int max_blocks = 0;            ///< bounds the grid, 0 for none: leaves multiprocessors to others
};

}  // namespace warpfold
