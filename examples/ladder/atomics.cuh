// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 003's first two kernels: every item goes through an atomic addition.
#pragma once

#include "kernel_parts.cuh"

namespace ladder {

/// 003 #1, atomic global: one atomic addition to one address in global memory for each item.
template <class T> __global__ void atomic_global(const T* input, T* result, std::int64_t items) {
  const std::int64_t id = thread_in_grid();
  if (id < items) atomicAdd(result, input[id]);
}

/// 003 #2, atomic shared: the block's atomics meet in shared memory, and one per block goes to global memory.
template <class T> __global__ void atomic_shared(const T* input, T* result, std::int64_t items) {
  const T in = item_or_zero(input, thread_in_grid(), items);
  T& x = *shared_items<T>();
  if (threadIdx.x == 0) x = T{};  // on the slide all threads write: the same value, but still a race
  __syncthreads();
  atomicAdd(&x, in);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(result, x);
}

}  // namespace ladder
