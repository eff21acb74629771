// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that may be missing at the right end of a tree: for rows of lanes that belong to segments of different lengths.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/running.cuh>

namespace warpfold::thread {

/// Whether op(x, identity) has the bits of x. Known of the library's own operators over its own types only: a user may call
/// "identity" what is one up to rounding, or what only the host can make.
template <class Op, class A> inline constexpr bool has_exact_identity =
    std::is_arithmetic_v<A> && has_identity_v<Op, A> && (warpfold::detail::is_arithmetic<warpfold::detail::plain_operator_t<Op>> ||
                              warpfold::detail::is_logical<warpfold::detail::plain_operator_t<Op>>);

/// `type` is an accumulator that may be missing, `join` its operator, which needs the left operand where the right one
/// exists. In general it is a value and a flag.
template <class Op, class A, bool = has_exact_identity<Op, A>> struct optional {
  using type = running<A>;
  struct join {
    Op op;
    __device__ type operator()(const type& left, const type& right) const {
      return right.exists ? type{op(left.value, right.value), true} : left;
    }
  };

  /// The canonical tree over value(0) … value(count - 1), if any; of at most Count.
  template <int Count, class Value> static __device__ type fold(Value value, Op op, int count) {
    A values[Count] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k)
      if (k < count) values[k] = value(k);
    return {thread::fold(values, op, count), count > 0};
  }
  static __device__ const A& value(const type& result) { return result.value; }
};

/// With an exact identity, that stands for what is missing.
template <class Op, class A> struct optional<Op, A, true> {
  using type = A;
  using join = Op;
  static constexpr A missing = identity<Op, A>::value();

  template <int Count, class Value> static __device__ type fold(Value value, Op op, int count) {
    A values[Count];
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) values[k] = k < count ? value(k) : missing;
    return thread::fold(values, op);
  }
  static __device__ const A& value(const type& result) { return result; }
};

}  // namespace warpfold::thread
