// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes results to global memory by whole words.
#pragma once
#include <warpfold/arch/vector_load.cuh>
#include <warpfold/operator_traits.hpp>

namespace warpfold::thread {

/// to = value. For types with padding that specialise detail::padded, the bytes between the members become zero: memory
/// must read sectors that are not written whole, which costs as much as reading the results.
template <class To, class T> __device__ void put(To&& to, const T& value) {
  using R = std::remove_cvref_t<To>;
  if constexpr (std::is_same_v<To, R&> && requires { warpfold::detail::padded<R>::words(value); }) {
    const auto all = warpfold::detail::padded<R>::words(value);
    WARPFOLD_UNROLL
    for (int i = 0; i < int{sizeof(R) / 8}; ++i)
      arch::store_once<8>(reinterpret_cast<unsigned char*>(&to) + 8 * i, &all.word[i]);
  } else static_cast<To&&>(to) = value;
}

}  // namespace warpfold::thread
