// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of call_frame as functions, for axes/dispatch.cuh until it has a frame.
#pragma once
#include <warpfold/host/call_frame.cuh>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Options> void check_options(const char* function, const Options& options, const scratch_need& need) {
  (void)call_frame(function, options, need);
}
template <class Options>
[[nodiscard]] call_scratch scratch_for(int, const Options& options, const scratch_need& need, bool uses_scratch) {
  return borrow_if(uses_scratch, "", options, need);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
