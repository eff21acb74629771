// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values without constructors: arrays for shared memory, and single values that are copied from bytes.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::thread {

/// Room for `Count` values of a trivially copyable type; not initialised.
template <class T, int Count> struct array {
  alignas(T) unsigned char bytes[Count * sizeof(T)];

  __device__ T* data() { return reinterpret_cast<T*>(bytes); }
  __device__ const T* data() const { return reinterpret_cast<const T*>(bytes); }
  __device__ T& operator[](int i) { return data()[i]; }
  __device__ const T& operator[](int i) const { return data()[i]; }
};

/// A `T` whose bytes copy(address) writes. `T` may lack a default constructor.
template <class T, class Copy> __device__ T copied(Copy copy) {
  if constexpr (std::is_default_constructible_v<T>) {
    T value;
    copy(reinterpret_cast<unsigned char*>(&value));
    return value;
  } else {
    array<T, 1> value;
    copy(value.bytes);
    return value[0];
  }
}

}  // namespace warpfold::thread
