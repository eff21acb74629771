// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cub/device/device_reduce.cuh>

#include <cstddef>

/// CUB's function for an operator. `call` is CUB's two-phase call with a 32-bit count, CUB's faster one. `sums` says
/// that its results carry rounding, so another order gives other bits.
namespace bench {

struct cub_sum {
  static constexpr bool exists = true, sums = true;
  template <class T, class A>
  static cudaError_t call(void* scratch, std::size_t& bytes, const T* in, A* out, int count, cudaStream_t stream) {
    return cub::DeviceReduce::Sum(scratch, bytes, in, out, count, stream);
  }
};

struct cub_minimum {
  static constexpr bool exists = true, sums = false;
  template <class T, class A>
  static cudaError_t call(void* scratch, std::size_t& bytes, const T* in, A* out, int count, cudaStream_t stream) {
    return cub::DeviceReduce::Min(scratch, bytes, in, out, count, stream);
  }
};

/// A functor of the user's with A{} as its identity.
template <class Op, bool Sums> struct cub_functor {
  static constexpr bool exists = true, sums = Sums;
  template <class T, class A>
  static cudaError_t call(void* scratch, std::size_t& bytes, const T* in, A* out, int count, cudaStream_t stream) {
    return cub::DeviceReduce::Reduce(scratch, bytes, in, out, count, Op{}, A{}, stream);
  }
};

/// CUB's Sum of half and bfloat16 accumulates in the item type, which overflows or stalls past a few thousand items;
/// with this functor it accumulates in float, as Warpfold does.
struct add_floats {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

/// CUB reduces with commutative operators only.
struct no_peer {
  static constexpr bool exists = false, sums = false;
};

}  // namespace bench
