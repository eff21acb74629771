// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A choice between two objects that leaves both in registers.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::thread {

/// `condition ? a : b`, word by word. To choose between two objects is to choose between their addresses, which would
/// put both objects, and the array they come from, into local memory.
template <class A> __device__ A choose(bool condition, A a, A b) {
  if constexpr (std::is_scalar_v<A>) return condition ? a : b;
  else {
    constexpr int words = (sizeof(A) + 3) / 4;
    std::uint32_t from_a[words] = {}, from_b[words] = {};
    std::memcpy(from_a, &a, sizeof(A));
    std::memcpy(from_b, &b, sizeof(A));
    WARPFOLD_UNROLL
    for (int i = 0; i < words; ++i) from_a[i] = condition ? from_a[i] : from_b[i];
    std::memcpy(&a, from_a, sizeof(A));
    return a;
  }
}

}  // namespace warpfold::thread
