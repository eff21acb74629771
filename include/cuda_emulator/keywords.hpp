// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's keywords that the toolkit's headers do not define in a way that suits a host compiler.
#pragma once

#include <cuda_runtime.h>

#include <cuda_emulator/kernel_mark.hpp>
#include <cuda_emulator/static_shared.hpp>

#undef __launch_bounds__
#define __launch_bounds__(...)

#undef __maxnreg__
#define __maxnreg__(...)

// Declares variables in functions, as in `__shared__ float tile[32];`. `extern __shared__` is a compile error: call
// cuda_emulator::dynamic_shared() instead.
#undef __shared__
#define __shared__                                                        \
  ::cuda_emulator::static_shared_variable_extern_is_not_supported([] {}); \
  static thread_local

// A compile error names it. Give the cluster's shape at the launch.
#undef __cluster_dims__
#define __cluster_dims__(...) __attribute__((aligned(cuda_emulator_does_not_support_cluster_dims)))
