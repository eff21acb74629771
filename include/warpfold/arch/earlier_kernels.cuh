// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that begins while the one before it in its stream ends (programmatic dependent launch, sm_90).
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// Returns once the earlier kernels of the stream have ended, and all that they wrote can be seen. A kernel that is
/// launched to begin early (host_side::launch_shape) calls it in each thread before anything that touches memory; in
/// other launches it costs nothing.
__device__ inline void wait_for_earlier_kernels() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace warpfold::arch
