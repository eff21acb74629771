// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of real and complex numbers that round as written, in device code, host code and the emulator.
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/thread/narrowed_identity.cuh>

namespace warpfold::detail {

/// The type to which items are converted before any computation, and the type of results that are real numbers:
/// float for float, complex numbers of float, and what is narrower, double for others and for integers.
template <class T> using number_of = typename promoted<std::remove_cvref_t<T>>::type;
template <class T>
using real_of = std::conditional_t<std::is_same_v<typename component<number_of<T>>::type, float>, float, double>;

/// Items that norms and means are of.
template <class T>
concept is_scalar = is_real_number<T> || is_complex<T>;

__host__ __device__ inline double square_root(double x) {
#if defined(__CUDA_ARCH__)
  return x == 0 ? x : __dsqrt_rn(x);  // The root of 0 takes ten times as long, and each empty segment has one.
#else
  return std::sqrt(x);
#endif
}
/// 1 / x, to about 22 bits, of a number between 1 and 4.
__host__ __device__ inline float rough_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1 / x;
#endif
}
__host__ __device__ inline double quotient(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __ddiv_rn(a, b);
#else
  return uncontracted(a / b);
#endif
}

/// The square of `scale` times the modulus.
__host__ __device__ inline double squared_modulus(double real, double imaginary, double scale = 1) {
  const double a = multiply(real, scale), b = multiply(imaginary, scale);
  return add(multiply(a, a), multiply(b, b));
}
/// The modulus of a complex number, without overflow or underflow on the way: of float correct to 0.5 ulp and 2^-52
/// relative, since squares are exact in double; of double to 1 ulp. An infinite part makes it infinite.
template <class R> __host__ __device__ R modulus(R real, R imaginary) {
  const R a = std::fabs(real), b = std::fabs(imaginary), most = a < b ? b : a;
  if (a > greatest_value<R>) return a;
  if (b > greatest_value<R>) return b;
  if constexpr (std::is_same_v<R, float>) return static_cast<float>(square_root(squared_modulus(a, b)));
  else {
    const double scale = most >= 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1.0, back = 1 / scale;
    return multiply(square_root(squared_modulus(a, b, scale)), back);
  }
}

}  // namespace warpfold::detail
