// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every other header includes this one: it checks the compiler, brings the declarations of CUDA or, for the CPU, of the
// emulator, and names the namespace that keeps two builds of Warpfold in one program apart.
#pragma once
#if !defined(__CUDACC__) && !defined(WARPFOLD_EMULATOR)
#error "warpfold: compile with nvcc, or define WARPFOLD_EMULATOR (CMake: warpfold_emulate(target)) to run on the CPU"
#endif
#if __cplusplus < 202002L
#error \
    "warpfold: C++20 is needed: pass -std=c++20 (CMake: target_compile_features(target PRIVATE cxx_std_20 cuda_std_20))"
#endif

// Clang alone defines __CUDA__, where it compiles for the GPU itself. Before version 19 it lacks intrinsics of sm_80.
#if defined(__clang__) && (__clang_major__ < 16 || (defined(__CUDA__) && __clang_major__ < 19))
#define WARPFOLD_OLD_CLANG 1
#error "warpfold: this clang is too old: use clang 16 or newer, 19 as the compiler of CUDA, or g++ 12 or newer"
#else
#define WARPFOLD_OLD_CLANG 0
#endif
#if !defined(__cpp_exceptions) && !defined(__CUDACC_RTC__)
#error "warpfold: exceptions are needed, by which calls report errors: leave out -fno-exceptions"
#endif

// Compilers go on after an #error, and hundreds of errors would bury it. A file that is missing stops them.
#if __cplusplus < 202002L || !(defined(__CUDACC__) || defined(WARPFOLD_EMULATOR)) || \
    !(defined(__cpp_exceptions) || defined(__CUDACC_RTC__)) || WARPFOLD_OLD_CLANG
#include "the #error above says what to do"
#endif

#if !defined(__CUDACC_RTC__)
#include <cuda_runtime.h>
#endif
#include <warpfold/standard.hpp>

#if !defined(__CUDACC__)
#include <cuda_emulator/cuda_emulator.hpp>
#endif

// Whether kernels check the caller's preconditions and stop with a message where one is broken. By default they do in
// the emulator and in nvcc's debug builds (-G), and nowhere else. The macro of <cassert> has no say, since users of
// nvcc seldom define it.
#if !defined(WARPFOLD_CHECKS)
#if !defined(__CUDACC__) || defined(__CUDACC_DEBUG__)
#define WARPFOLD_CHECKS 1
#else
#define WARPFOLD_CHECKS 0
#endif
#endif
#if WARPFOLD_CHECKS != 0 && WARPFOLD_CHECKS != 1
#error "warpfold: WARPFOLD_CHECKS must be 0 or 1"
#endif

// Kernels and the host templates that launch or cache stand in `inline namespace WARPFOLD_HIDDEN_V1`.
// - It is hidden: two shared libraries that use Warpfold never exchange kernels, caches or workspaces. (On the
//   functions themselves nvcc refuses the attribute where a template argument has internal linkage.)
// - Its name holds what one translation unit may be compiled with and another not: the version of the interface, the
//   list of architectures, and whether kernels check. So a program may link translation units for different
//   architectures.
//
// WARPFOLD_PASTE(a, b, c, ...) is a_b_c_... of up to 40 names. No macro expands itself: WARPFOLD_PASTE_TWO leaves a
// macro that only the next scan expands, and WARPFOLD_SCAN scans often.
#define WARPFOLD_PASTE(...) WARPFOLD_SCAN(WARPFOLD_PASTE_REST(__VA_ARGS__))
#define WARPFOLD_PASTE_REST(name, ...)                                     \
  WARPFOLD_SECOND(__VA_OPT__(, ) WARPFOLD_PASTE_TWO, WARPFOLD_PASTE_ONE, ) \
  (name __VA_OPT__(, ) __VA_ARGS__)
#define WARPFOLD_PASTE_ONE(name) name
#define WARPFOLD_PASTE_TWO(name, next, ...) \
  WARPFOLD_PASTE_LATER WARPFOLD_NO_ARGUMENTS(name##_##next __VA_OPT__(, ) __VA_ARGS__)
#define WARPFOLD_PASTE_LATER() WARPFOLD_PASTE_REST
#define WARPFOLD_NO_ARGUMENTS ()
#define WARPFOLD_SECOND(a, b, ...) b
#define WARPFOLD_SCAN(...) WARPFOLD_SCAN_16(WARPFOLD_SCAN_16(WARPFOLD_SCAN_16(__VA_ARGS__)))
#define WARPFOLD_SCAN_16(...) WARPFOLD_SCAN_4(WARPFOLD_SCAN_4(WARPFOLD_SCAN_4(__VA_ARGS__)))
#define WARPFOLD_SCAN_4(...) WARPFOLD_SCAN_1(WARPFOLD_SCAN_1(WARPFOLD_SCAN_1(__VA_ARGS__)))
#define WARPFOLD_SCAN_1(...) __VA_ARGS__
#if WARPFOLD_CHECKS
#define WARPFOLD_V1 v1_checked
#else
#define WARPFOLD_V1 v1
#endif
#if defined(__CUDA_ARCH_LIST__)
#define WARPFOLD_V1_OF_BUILD WARPFOLD_PASTE(WARPFOLD_V1, sm, __CUDA_ARCH_LIST__)
#else
#define WARPFOLD_V1_OF_BUILD WARPFOLD_V1
#endif
#if defined(__CUDACC_RTC__)  // which exports nothing
#define WARPFOLD_HIDDEN_V1 WARPFOLD_V1_OF_BUILD
#else
#define WARPFOLD_HIDDEN_V1 WARPFOLD_V1_OF_BUILD __attribute__((visibility("hidden")))
#endif
#define WARPFOLD_EXPORTED __attribute__((visibility("default")))

// Loops over registers must be unrolled on the GPU; a host compiler does not know the pragma.
#if defined(__CUDA_ARCH__)
#define WARPFOLD_UNROLL _Pragma("unroll")
#define WARPFOLD_NO_UNROLL _Pragma("unroll 1")
#define WARPFOLD_UNROLL_4 _Pragma("unroll 4")
#else
#define WARPFOLD_UNROLL
#define WARPFOLD_NO_UNROLL
#define WARPFOLD_UNROLL_4
#endif

// NVRTC takes a function without an annotation for the host's, and refuses it, also where only compilers call it.
#if defined(__CUDACC_RTC__)
#define WARPFOLD_JIT __device__
#define WARPFOLD_NO_INLINE __noinline__
#else
#define WARPFOLD_JIT
#define WARPFOLD_NO_INLINE [[gnu::noinline]]
#endif

namespace warpfold {

inline constexpr int warp_lanes = 32;               ///< in every warp of every GPU
inline constexpr unsigned full_warp = 0xffffffffu;  ///< the mask of all lanes

/// Whether `value` is 1, 2, 4, ...
WARPFOLD_JIT consteval bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

/// The k of 2^k.
WARPFOLD_JIT consteval int log2_of(int power_of_two) { return power_of_two > 1 ? 1 + log2_of(power_of_two / 2) : 0; }

/// Numbers that compare as they are: both signed, or both unsigned.
template <class A, class B>
concept comparable_numbers = std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && std::is_signed_v<A>
== std::is_signed_v<B>;

/// As std::min and std::max, which device code cannot call, and whose header is a tenth of all that a compiler would
/// read for a sum. Two int give an int, since 64 bits cost a GPU twice as much.
template <class A, comparable_numbers<A> B> __host__ __device__ constexpr std::common_type_t<A, B> least_of(A a, B b) {
  return a < b ? a : b;
}
/// The greater one.
template <class A, comparable_numbers<A> B>
__host__ __device__ constexpr std::common_type_t<A, B> greatest_of(A a, B b) {
  return a > b ? a : b;
}
/// The number from `least` to `greatest` that is closest to `value`.
template <class T>
__host__ __device__ constexpr T clamped(T value, std::type_identity_t<T> least, std::type_identity_t<T> greatest) {
  return value < least ? least : greatest < value ? greatest : value;
}

}  // namespace warpfold
