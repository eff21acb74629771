// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The equality by which reduce_by_key and the scans by key tell runs of equal keys apart.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold {

/// The default equality of keys: ==.
struct equal_to {
  template <class T>
    requires requires(const T& a, const T& b) { bool(a == b); }
  __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a == b; }
};

}  // namespace warpfold
