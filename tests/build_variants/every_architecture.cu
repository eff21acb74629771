// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/config.hpp>

namespace warpfold {
inline namespace WARPFOLD_HIDDEN_V1 {
__global__ void every_architecture(int* out) { *out = warp_lanes; }
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
