// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic shared memory as typed objects.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::arch {

/// The block's dynamic shared memory, seen as `count` objects of type T; the launch must have asked for as many bytes.
/// Not initialised.
template <class T> __device__ T* dynamic_shared_objects([[maybe_unused]] int count) {
  static_assert(alignof(T) <= 128, "warpfold: accumulators can be aligned to 128 bytes at most, as shared memory is");
#if defined(__CUDACC__)
  extern __shared__ __align__(128) unsigned char warpfold_dynamic_shared[];
  return reinterpret_cast<T*>(warpfold_dynamic_shared);
#else
  return static_cast<T*>(cuda_emulator::dynamic_shared(static_cast<std::size_t>(count) * sizeof(T), alignof(T)));
#endif
}
/// The same as one object.
template <class T> __device__ T& dynamic_shared() { return *dynamic_shared_objects<T>(1); }

}  // namespace warpfold::arch
