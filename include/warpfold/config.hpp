// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every other header stands on: the CUDA declarations, and the emulator's when Warpfold is built for the CPU.
#pragma once
#include <cuda_runtime.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

#if defined(WARPFOLD_EMULATOR) && !defined(__CUDACC__)
#include <warpfold/emulator/emulator.hpp>
#endif

// Kernels and the host templates that launch or cache are private to each shared library, so that two libraries that
// use Warpfold never exchange kernels, caches or workspaces: they stand in `inline namespace v1 WARPFOLD_HIDDEN`. (On the
// functions themselves nvcc refuses the attribute where a template argument has internal linkage.)
#define WARPFOLD_HIDDEN __attribute__((visibility("hidden")))
#define WARPFOLD_EXPORTED __attribute__((visibility("default")))

// Loops over registers must be unrolled on the GPU; a host compiler does not know the pragma.
#if defined(__CUDACC__)
#define WARPFOLD_UNROLL _Pragma("unroll")
#define WARPFOLD_NO_UNROLL _Pragma("unroll 1")
#define WARPFOLD_UNROLL_4 _Pragma("unroll 4")
#else
#define WARPFOLD_UNROLL
#define WARPFOLD_NO_UNROLL
#define WARPFOLD_UNROLL_4
#endif

namespace warpfold {

inline constexpr int warp_lanes = 32;
inline constexpr unsigned full_warp = 0xffffffffu;

consteval bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

consteval int log2_of(int power_of_two) { return power_of_two > 1 ? 1 + log2_of(power_of_two / 2) : 0; }

/// std::min and std::max are not for device code. Of two int, an int: those of 64 bits cost a GPU twice.
template <std::signed_integral A, std::signed_integral B> __host__ __device__ constexpr std::common_type_t<A, B> least_of(A a, B b) {
  return a < b ? a : b;
}
template <std::signed_integral A, std::signed_integral B> __host__ __device__ constexpr std::common_type_t<A, B> greatest_of(A a, B b) {
  return a > b ? a : b;
}

}  // namespace warpfold
