// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values with a mark that says that they come from the input; and operators, transforms and conversions that count how
// often they meet another value, such as the zero bytes that fill the lanes without an item.
#pragma once
#include <warpfold/operator_traits.hpp>

#include "common/device.cuh"

namespace wf_test::known_values {

// Of this translation unit: a program has one that uses it.
static __device__ unsigned unknown_uses;  ///< calls that were shown a value that does not come from the input

static unsigned unknown_uses_so_far() {
  unsigned uses = 0;
  warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  warpfold::check(cudaMemcpyFromSymbol(&uses, unknown_uses, sizeof uses), "cudaMemcpyFromSymbol");
  return uses;
}

/// Counts a use of an unknown value. (The host calls operators, too, but never these.)
static __host__ __device__ void expect_known([[maybe_unused]] bool known) {
#if defined(__CUDA_ARCH__) || defined(WARPFOLD_EMULATOR)
  if (!known) atomicAdd(&unknown_uses, 1u);
#endif
}

/// A value that carries a mark; zero bytes do not have it.
struct marked {
  static constexpr unsigned mark_of_known = 0xfeedface;
  unsigned value, mark;
};
struct add_marked {
  __host__ __device__ marked operator()(marked a, marked b) const {
    expect_known(a.mark == marked::mark_of_known && b.mark == marked::mark_of_known);
    return {a.value + b.value, marked::mark_of_known};
  }
};
/// The same, which says that it is exact: scans may associate as they like.
struct exact_add_marked : add_marked {};
/// From items that are positive.
struct mark_positive {
  __host__ __device__ marked operator()(int item) const {
    expect_known(item > 0);
    return {static_cast<unsigned>(item), marked::mark_of_known};
  }
};
/// Of numbers that are positive: a user's operator over a type that the library knows.
struct greater_positive {
  __host__ __device__ int operator()(int a, int b) const {
    expect_known(a > 0 && b > 0);
    return a > b ? a : b;
  }
};
/// An item that a sum of int converts, and that zero bytes cannot stand for.
struct ratio {
  int numerator, denominator;
  __host__ __device__ operator int() const {
    expect_known(denominator != 0);
    return denominator != 0 ? numerator / denominator : 0;
  }
};
}  // namespace wf_test::known_values

template <>
inline constexpr bool warpfold::is_exact<wf_test::known_values::exact_add_marked, wf_test::known_values::marked> = true;
