// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A result that grows at its right end, one partial result after another.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::thread {

/// Starts with nothing, since an operator need not have an identity.
template <class A> struct running {
  A value{};
  bool exists = false;

  template <class Op> __device__ void append(const A& right, Op op) {
    value = exists ? op(value, right) : right;
    exists = true;
  }
};

}  // namespace warpfold::thread
