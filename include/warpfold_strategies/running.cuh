// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A result to which partial results are appended on the right, one after another.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::thread {

/// Empty at first, since an operator need not have an identity. `value` means nothing unless `exists`.
template <class A> struct running {
  A value{};
  bool exists = false;

  template <class Op> __device__ void append(const A& right, Op op) {
    value = exists ? op(value, right) : right;
    exists = true;
  }
};

}  // namespace warpfold::thread
