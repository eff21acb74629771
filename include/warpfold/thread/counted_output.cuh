// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of an operator whose accumulators follow from simpler ones and from the number of items
// (operator_traits.hpp: uncounted). Kernels fold the simpler ones.
#pragma once
#include <warpfold/thread/lift.cuh>

namespace warpfold::thread {

/// Whether `Out` joins initial values to results, and knows those of nothing, so that kernels need not.
template <class Out> inline constexpr bool joins_initial_value = requires { requires Out::joins_initial_value; };

namespace detail {
/// Whether results are numbers, pairs of them, or the like: of few bytes, with no room between members.
template <class R>
inline constexpr bool is_small_result = std::is_arithmetic_v<R> ||
                                        (std::is_trivially_copyable_v<R> && std::is_default_constructible_v<R> &&
                                         sizeof(R) <= 8 &&
                                         (sizeof(R) == alignof(R) || (sizeof(R) == 8 && alignof(R) == 4)));
}  // namespace detail

/// Writes uncounted accumulators as results of `Op`, whose accumulators have type `A`. `Value` is a
/// grid::initial_value<A>. Kernels have no initial value of their own: it is joined here.
template <class A, class Op, class Out, class Value> struct counted_output {
  static constexpr bool joins_initial_value = true;
  template <class Reference> struct reference {
    const counted_output& output;
    Reference to;
    std::int64_t items;
    template <class B> __device__ void operator=(const B& value) const {
      put(const_cast<std::remove_const_t<Reference>&>(to), output.result(value, items));
    }
  };

  Op op;
  Out out;
  std::int64_t items;  ///< of each result, unless the kernel knows them
  Value init, empty;

  __device__ auto operator[](std::ptrdiff_t i) const { return of_segment(i, 0, items); }
  /// The result of segment `i`, which has `count` items.
  __device__ auto of_segment(std::ptrdiff_t i, std::int64_t, std::int64_t count) const {
    return reference<decltype(out[i])>{*this, out[i], count};
  }
  template <class B> __device__ auto result(const B& value) const { return result(value, items); }

 private:
  template <class B> __device__ auto result(const B& value, std::int64_t count) const {
    if (__builtin_expect(count == 0 || init.exists(), false))
      return lowered(op, count == 0 ? empty.alone() : op(init.alone(), op.template counted<A>(value, count)));
    return result_of(op, value, count);
  }
  /// Not inlined: results are few, and a kernel writes them in many places.
  template <class B> WARPFOLD_NO_INLINE __device__ static auto result_of(Op op, B value, std::int64_t count) {
    return lowered(op, op.template counted<A>(value, count));
  }
  __device__ static auto lowered(const Op& op, const A& all) {
    if constexpr (lowers<Op, A>) return op.lower(all);
    else return all;
  }
};

/// The memory to which an output writes results as they are, or once it has made them of accumulators.
template <class R> __device__ R* memory_of(R* out) { return out; }
template <class A, class Op, class R, class Value>
__device__ R* memory_of(const counted_output<A, Op, R*, Value>& out) {
  return out.out;
}
/// Whether results may be written by vectors: they are numbers or a few words.
template <class Out> inline constexpr bool takes_vectors = requires(const Out& out) {
  memory_of(out);
  requires detail::is_small_result<std::remove_pointer_t<decltype(memory_of(out))>>;
};

}  // namespace warpfold::thread
