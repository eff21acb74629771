// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between items, accumulators and results, of numbers as narrow as fp8.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

struct __half;  // cuda_fp16.h and cuda_bf16.h are the caller's to include: they cost compile time
struct __nv_bfloat16;

namespace warpfold {

/// Half and bfloat16.
template <class T> inline constexpr bool is_half_like = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

namespace detail {

/// fp8 and narrower: they have no arithmetic of their own, and convert explicitly. Known by their storage member `__x`.
template <class T>
concept is_storage_float = !is_half_like<T> && std::is_class_v<T> && sizeof(T) == 1 && requires(const T x) {
  x.__x;
  static_cast<float>(x);
};
/// The `To` nearest to `value`. Its constructor saturates: numbers beyond the largest one become that, and so do
/// infinities, which stay here where To has them, as e5m2 does.
template <is_storage_float To, class From> __host__ __device__ To to_storage_float(const From& value) {
  if constexpr (std::is_floating_point_v<From>) {
    if (value != 0 && value == value / 2) {
      To infinity{};
      infinity.__x = value > 0 ? 0x7C : 0xFC;  // of e5m2
      if (static_cast<float>(infinity) == value) return infinity;
    }
  }
  return static_cast<To>(value);
}

// Works with PyTorch's __CUDA_NO_HALF_CONVERSIONS__ family too; the calls are found by argument-dependent lookup.
template <class To, class From> __host__ __device__ constexpr To convert(const From& value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (is_storage_float<To>) return to_storage_float<To>(value);
  else if constexpr (std::is_same_v<From, __half>) return static_cast<To>(__half2float(value));
  else if constexpr (std::is_same_v<From, __nv_bfloat16>) return static_cast<To>(__bfloat162float(value));
  else return static_cast<To>(value);
}
/// Whether convert<To> takes a `From`.
template <class To, class From>
concept converts = is_half_like<From> || requires(const From& value) {
  static_cast<To>(value);
};

}  // namespace detail

}  // namespace warpfold
