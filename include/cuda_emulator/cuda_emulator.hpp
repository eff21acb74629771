// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's execution model on the CPU. A plain C++20 compiler compiles the kernels, and a launch runs them:
//
//   cudaLaunchKernelEx(&config, kernel, arguments...)            as in CUDA, or
//   cuda_emulator::launch(kernel, config, arguments...)
//
// The launch returns when the kernel is done. It throws cuda_emulator::error if the kernel breaks a rule. README.md
// says what is checked, what is refused, and what differs from a GPU. Under nvcc this header is <cuda_runtime.h> and
// nothing else.
#pragma once

#include <cuda_runtime.h>

#if !defined(__CUDACC__)
#if __cplusplus < 202002L
#error "cuda_emulator: C++20 is needed: pass -std=c++20"
#include "the #error above says what to do"  // a missing file stops the compiler, which would print hundreds of errors
#endif
#if !defined(__linux__)
#error "cuda_emulator: only Linux is supported"
#endif

#include <cuda_emulator/keywords.hpp>

#include <cuda_emulator/async_copy.hpp>
#include <cuda_emulator/atomics.hpp>
#include <cuda_emulator/barrier_object.hpp>
#include <cuda_emulator/block_intrinsics.hpp>
#include <cuda_emulator/bulk_copy.hpp>
#include <cuda_emulator/cluster_barrier.hpp>
#include <cuda_emulator/device_functions.hpp>
#include <cuda_emulator/dynamic_shared.hpp>
#include <cuda_emulator/endless_loop.hpp>
#include <cuda_emulator/error.hpp>
#include <cuda_emulator/failure.hpp>
#include <cuda_emulator/float_functions.hpp>
#include <cuda_emulator/launch.hpp>
#include <cuda_emulator/named_barrier.hpp>
#include <cuda_emulator/ordered_access.hpp>
#include <cuda_emulator/races/hooks.hpp>
#include <cuda_emulator/races/report.hpp>
#include <cuda_emulator/runtime_device.hpp>
#include <cuda_emulator/runtime_event.hpp>
#include <cuda_emulator/runtime_function.hpp>
#include <cuda_emulator/runtime_graph.hpp>
#include <cuda_emulator/runtime_memory.hpp>
#include <cuda_emulator/runtime_typed.hpp>
#include <cuda_emulator/settings.hpp>
#include <cuda_emulator/split_accesses.hpp>
#include <cuda_emulator/version.hpp>
#include <cuda_emulator/warp_intrinsics.hpp>
#endif
