// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value that joins a reduction on its left.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::grid {

/// Joins the result on its left: nothing, a value, or a value in device memory, which is read when the kernel needs it.
template <class A> struct initial_value {
  enum class kind { none, value, pointer } what = kind::none;
  A value{};
  const A* pointer = nullptr;

  __host__ __device__ bool exists() const { return what != kind::none; }
  template <class Op> __device__ A join(const A& result, Op op) const {
    return __builtin_expect(!exists(), true) ? result : op(alone(), result);
  }
  __device__ A alone() const {
    if (what == kind::pointer) return *pointer;
    return value;
  }
};

inline namespace WARPFOLD_HIDDEN_V1 {

/// Writes the result of an empty input.
template <class A, class Out> __global__ void write_kernel(Out out, initial_value<A> init) { *out = init.alone(); }

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid
