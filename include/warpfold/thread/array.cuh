// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array without constructors, for shared memory.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::thread {

/// Room for `Count` values of a trivially copyable type; not initialised.
template <class T, int Count> struct array {
  alignas(T) unsigned char bytes[Count * sizeof(T)];

  __device__ T* data() { return reinterpret_cast<T*>(bytes); }
  __device__ T& operator[](int i) { return data()[i]; }
};

}  // namespace warpfold::thread
