// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes results to global memory by whole words.
#pragma once
#include <warpfold/arch/vector_load.cuh>
#include <warpfold/operator_traits.hpp>

namespace warpfold::thread {

/// Whether `assign` takes them.
template <class To, class T>
concept assigns = requires(To&& to, const T& value) {
  static_cast<To&&>(to) = value;
}
|| (warpfold::detail::is_storage_float<std::remove_reference_t<To>> &&
    std::is_constructible_v<std::remove_cvref_t<To>, T>);

/// to = value; to fp8 and narrower, which convert explicitly, the nearest such number.
template <class To, class T> __host__ __device__ void assign(To&& to, const T& value) {
  if constexpr (warpfold::detail::is_storage_float<std::remove_reference_t<To>>)
    to = warpfold::detail::convert<std::remove_cvref_t<To>>(value);
  else static_cast<To&&>(to) = value;
}

/// assign. For types with padding that specialise detail::padded, the bytes between the members become zero: memory
/// must read sectors that are not written whole, which costs as much as reading the results.
template <class To, class T> __device__ void put(To&& to, const T& value) {
  using R = std::remove_cvref_t<To>;
  if constexpr (std::is_same_v<To, R&> && requires { warpfold::detail::padded<R>::words(value); }) {
    const auto all = warpfold::detail::padded<R>::words(value);
    WARPFOLD_UNROLL
    for (int i = 0; i < int{sizeof(R) / 8}; ++i)
      arch::store_once<8>(reinterpret_cast<unsigned char*>(&to) + 8 * i, &all.word[i]);
  } else assign(static_cast<To&&>(to), value);
}

}  // namespace warpfold::thread
