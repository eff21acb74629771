// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a strategy enqueues a call: the hook between the public functions and the features that implement them.
#pragma once
#include <warpfold/options.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// reduce_with<Strategy>::enqueue(function, leaves, out, op, options). `automatic` is in reduce/dispatch.cuh, named
/// strategies are in warpfold_strategies/dispatch.cuh.
template <class Strategy> struct reduce_with;

/// How `automatic` reduces with an operator that has its own kernel for accumulators of type `A`: `exists` is true, and
/// enqueue(function, leaves, out, op, options) does it.
template <class Op, class A> struct own_reduction { static constexpr bool exists = false; };

/// The same for segments: exists_for<Segments> says for which, and enqueue(frame, segments, leaves, out, op, init,
/// empty), whose arguments have been checked, does it. There is at least one segment.
template <class Op, class A> struct own_segmented_reduction {
  template <class Segments> static constexpr bool exists_for = false;
};

/// segmented_reduce_with<Strategy>::enqueue(function, segments, leaves, out, op, options). `automatic` is in
/// segmented/dispatch.cuh, named strategies are in warpfold_strategies/segmented_dispatch.cuh.
template <class Strategy> struct segmented_reduce_with;

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
