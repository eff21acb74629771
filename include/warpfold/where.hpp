// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// where: any operator over the items that a predicate or a mask selects.
//
//   wf::reduce_columns(matrix, means, wf::where(is_number, wf::arithmetic_mean{}));
//   wf::segmented_reduce(in, offsets, out, wf::where(mask, wf::plus{}));        // of item i, mask[i] is asked
//   wf::reduce(in, out, wf::where(is_positive, wf::minimum{}, 0.f));            // 0 if none is positive
//   wf::reduce(in, wf::outputs(all, some), wf::fuse(wf::plus{}, wf::where(wf::bit_mask{words}, wf::plus{})));
//
// Other items take no part: no identity stands for them, they are neither converted nor folded, and NaN among them do
// no harm. Results have the bits of the canonical tree without these leaves, on every path: a node with one half has
// its value. Indices, of argmin say, stay those of the input. Every function takes it that takes operators which lift
// items (operator_traits.hpp).
//
// - A predicate is a trivially copyable function object, called with the item. A mask is an iterator that device code
//   can index: the item's number, as an operator's lift gets it, is its place there. Along axes it counts along the
//   axes that are reduced or scanned.
// - If no item is selected, the result is `otherwise`, the third argument, or else the identity of `op`. Extrema and
//   bit_and need `otherwise`: an output might be too narrow for their identity. An initial value is one of the
//   accumulator of `op`, as ever; with one, the result is never `otherwise`.
// - Cost: accumulators grow by a bool, and are folded as a user's are.
#pragma once
#include <warpfold/fuse.hpp>
#include <warpfold/iterators.hpp>

namespace warpfold {

/// The accumulator of `where`: what has been folded, if an item has been selected.
template <class A> struct selected {
  A value;      ///< of any value if `exists` is false
  bool exists;  ///< whether an item has been selected

  selected() = default;
  /// An initial value.
  __host__ __device__ constexpr selected(const A& initial) : value(initial), exists(true) {}
};

/// A mask of one bit per item: item i has bit i % 32 of word i / 32, the lowest first.
struct bit_mask {
  const std::uint32_t* words;  ///< in device memory
};

namespace detail {

template <class It> struct mask_at {
  It first;
  __host__ __device__ constexpr bool holds(std::int64_t index) const { return static_cast<bool>(first[index]); }
};
template <> struct mask_at<bit_mask> {
  bit_mask mask;
  __host__ __device__ constexpr bool holds(std::int64_t index) const {
    return (mask.words[index / 32] >> (index % 32) & 1) != 0;
  }
};
template <class Condition> inline constexpr bool is_mask = false;
template <class It> inline constexpr bool is_mask<mask_at<It>> = true;

/// Whether the identity of `Op` is an extreme number, or a structure of some.
template <class Op>
inline constexpr bool has_extreme_identity =
    is_extremum<plain_operator_t<Op>> || std::is_same_v<plain_operator_t<Op>, bit_and>;
template <class... Ops>
inline constexpr bool has_extreme_identity<fused_operator<Ops...>> = (has_extreme_identity<Ops> || ...);

struct no_other {};  ///< in place of `otherwise`

/// An identity may be a function of the host's, which device code must not call: it reads this constant.
template <class Op, class A> static __device__ constexpr A identity_on_device = identity<Op, A>::value();
template <class Op, class A> __host__ __device__ constexpr A constant_identity() {
#if defined(__CUDA_ARCH__)
  return identity_on_device<Op, A>;
#else
  return identity<Op, A>::value();
#endif
}

template <class Condition, class T>
inline constexpr bool selects =
    is_mask<Condition> || is_extended_lambda<Condition> || std::is_invocable_v<callable_t<Condition>, const T&>;
}  // namespace detail

/// The operator that `where` returns.
template <class Condition, class Op, class Otherwise> struct selecting_operator {
  Condition condition;  ///< the predicate, or the mask
  Op op;                ///< folds what is selected
  Otherwise otherwise;  ///< the result of nothing

  /// What an item of type `T` is lifted to.
  template <class T> using leaf = selected<accumulator_t<Op, T>>;
  template <class T> static constexpr bool is_indexed = detail::is_mask<Condition> || lifts_indexed<Op, T>;

  template <class T>
    requires(detail::selects<Condition, T> && !is_indexed<T>)
  __host__ __device__ constexpr leaf<T> lift(const T& item) const { return make_leaf(item, 0); }
  template <class T>
    requires(detail::selects<Condition, T>&& is_indexed<T>)
  __host__ __device__ constexpr leaf<T> lift(const T& item, std::int64_t index) const { return make_leaf(item, index); }
  template <class A>
  requires is_operator_for<Op, A> __host__ __device__ constexpr selected<A> operator()(const selected<A>& a,
                                                                                       const selected<A>& b) const {
    if (!b.exists) return a;
    if (!a.exists) return b;
    return selected<A>(static_cast<A>(op(a.value, b.value)));
  }
  template <class A> __host__ __device__ constexpr lowered_t<Op, A> lower(const selected<A>& all) const {
    if (!all.exists) return result_of_none<A>();
    if constexpr (lowers<Op, A>) return op.lower(all.value);
    else return all.value;
  }
  template <class A>
  requires lowers_segments<Op, A> __host__ __device__ constexpr lowered_t<Op, A> lower(const selected<A>& all,
                                                                                       std::int64_t begin) const {
    return all.exists ? op.lower(all.value, begin) : result_of_none<A>();
  }

 private:
  template <class T> __host__ __device__ constexpr leaf<T> make_leaf(const T& item, std::int64_t index) const {
    bool is_selected = false;
    if constexpr (detail::is_mask<Condition>) is_selected = condition.holds(index);
    else is_selected = static_cast<bool>(condition(item));
    if (is_selected) return leaf<T>(detail::leaf_of<accumulator_t<Op, T>>(op, item, index));
    leaf<T> none{};
    none.exists = false;
    return none;
  }
  template <class A> __host__ __device__ constexpr lowered_t<Op, A> result_of_none() const {
    if constexpr (!std::is_same_v<Otherwise, detail::no_other>) return detail::convert<lowered_t<Op, A>>(otherwise);
    else {
      static_assert(has_identity_v<Op, A>,
                    "warpfold: if no item is selected, this operator has no result (identity in operator_traits.hpp): "
                    "pass one, as in where(condition, op, otherwise)");
      if constexpr (lowers<Op, A>) return op.lower(detail::constant_identity<Op, A>());
      else return detail::constant_identity<Op, A>();
    }
  }
};

/// `op` over the items for which `condition` is true: a predicate of items, an iterator to a mask, or a bit_mask. The
/// result is `otherwise` if there are none.
template <class Condition, class Op, class Otherwise>
__host__ __device__ constexpr auto where(Condition condition, Op op, Otherwise otherwise) {
  if constexpr (item_iterator<Condition> || std::is_same_v<Condition, bit_mask>)
    return selecting_operator<detail::mask_at<Condition>, Op, Otherwise>{{condition}, op, otherwise};
  else {
    static_assert(!detail::is_host_pointer<Condition> && detail::is_passed_by_bytes<Condition>,
                  "warpfold: the predicate must be a trivially copyable function object or lambda: it is passed to the "
                  "GPU by its bytes, and a function pointer is the host's");
    return selecting_operator<Condition, Op, Otherwise>{condition, op, otherwise};
  }
}
/// The same; the result is the operator's identity if there are none.
template <class Condition, class Op> __host__ __device__ constexpr auto where(Condition condition, Op op) {
  static_assert(!detail::has_extreme_identity<Op>,
                "warpfold: say what the extremum, or bit_and, of no items is: where(condition, op, otherwise)");
  return warpfold::where(condition, op, detail::no_other{});
}

/// No item is selected of none.
template <class Condition, class Op, class Otherwise, class A>
struct identity<selecting_operator<Condition, Op, Otherwise>, selected<A>> {
  WARPFOLD_JIT static constexpr selected<A> value() {
    selected<A> none{};
    none.exists = false;
    return none;
  }
};
template <class Condition, class Op, class Otherwise>
inline constexpr bool is_commutative<selecting_operator<Condition, Op, Otherwise>> = is_commutative<Op>;

}  // namespace warpfold
