// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point intrinsics of single threads, and CUDA's global min and max.
#pragma once

#include <cmath>
#include <concepts>

namespace cuda_emulator::detail {

// Keeps the compiler from contracting the operation that computed `x` with the next one.
template <std::floating_point T> T rounded(T x) {
#if defined(__x86_64__)
  asm("" : "+x"(x));
  return x;
#elif defined(__aarch64__)
  asm("" : "+w"(x));
  return x;
#else
  volatile T result = x;
  return result;
#endif
}

}  // namespace cuda_emulator::detail

inline float __fadd_rn(float a, float b) { return cuda_emulator::detail::rounded(a + b); }
inline float __fsub_rn(float a, float b) { return cuda_emulator::detail::rounded(a - b); }
inline float __fmul_rn(float a, float b) { return cuda_emulator::detail::rounded(a * b); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return cuda_emulator::detail::rounded(a + b); }
inline double __dsub_rn(double a, double b) { return cuda_emulator::detail::rounded(a - b); }
inline double __dmul_rn(double a, double b) { return cuda_emulator::detail::rounded(a * b); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float rsqrtf(float a) { return 1.0f / std::sqrt(a); }
inline double rsqrt(double a) { return 1.0 / std::sqrt(a); }
inline float __saturatef(float a) { return a >= 1.0f ? 1.0f : a > 0.0f ? a : 0.0f; }

inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
inline double __int2double_rn(int a) { return a; }
inline float __double2float_rn(double a) { return static_cast<float>(a); }

inline int min(int a, int b) { return b < a ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
inline long min(long a, long b) { return b < a ? b : a; }
inline unsigned long min(unsigned long a, unsigned long b) { return b < a ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline float min(float a, float b) { return std::fmin(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
inline long max(long a, long b) { return a < b ? b : a; }
inline unsigned long max(unsigned long a, unsigned long b) { return a < b ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
