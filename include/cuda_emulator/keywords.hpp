// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's keywords, where the toolkit's headers leave them undefined or unfit for a host compiler.
#pragma once

#include <cuda_runtime.h>

#include <cuda_emulator/static_shared.hpp>

#undef __launch_bounds__
#define __launch_bounds__(...)

#undef __maxnreg__
#define __maxnreg__(...)

// For variables in functions, as in `__shared__ float tile[32];`. `extern __shared__` does not compile, on purpose:
// dynamic shared memory is dynamic_shared().
#undef __shared__
#define __shared__                                                        \
  ::cuda_emulator::static_shared_variable_extern_is_not_supported([] {}); \
  static thread_local

// Refused by name: the cluster's shape is given at the launch.
#undef __cluster_dims__
#define __cluster_dims__(...) __attribute__((aligned(cuda_emulator_does_not_support_cluster_dims)))
