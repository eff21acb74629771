// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of an output if nothing was folded: the operator's identity, as far as the output can hold it.
#pragma once
#include <warpfold/iterators.hpp>
#include <warpfold/thread/lift.cuh>
#include <warpfold/thread/narrowed_identity.cuh>

namespace warpfold::detail {

/// identity_of_output<Op, A, Out>::value() is what is written through `Out`, an output as kernels get it. Of outputs
/// that are no references to a T, such as those that transform, it is the accumulator's identity.
template <class Op, class A, class Out> struct identity_of_output {
  WARPFOLD_JIT static constexpr A value() {
    if constexpr (lowers<Op, A>) return identity<Op, A>::value();
    else return identity_within<Op, A, written_t<Out>>();
  }
};
template <class Op, class A, class Lowering, class Out>
struct identity_of_output<Op, A, thread::lowered_output<Lowering, Out>> : identity_of_output<Op, A, Out> {};
template <class Op, class A, class Out, class Segments>
struct identity_of_output<Op, A, thread::segment_output<Op, Out, Segments>> : identity_of_output<Op, A, Out> {};

}  // namespace warpfold::detail
