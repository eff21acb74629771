// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several reductions in one read: fuse, with, outputs.
//
//   wf::reduce(in, wf::outputs(sum, largest, energy),
//              wf::fuse(wf::plus{}, wf::maximum{}, wf::with(square{}, wf::plus{})));
//   auto [sum, largest] = wf::reduce_value(in, wf::fuse(wf::plus{}, wf::maximum{}), {.init = wf::fused(0.f, -1.f)});
//
// A fused operator is one operator: every function takes it (reductions, their transform_ and _value forms, segments,
// keys, axes, scans), with one launch and one read of the input. Each result has the bits of a separate call: each
// operator keeps its accumulator type, its order and its tree. The operators may lift and lower (operator_traits.hpp),
// be fused themselves, and differ in everything.
//
// Accumulators and initial values are fused<...> values (fused.hpp). So are results that are not written through
// outputs(...) (outputs.hpp): a _value form returns them, and a pointer to fused<...> receives them. An empty input
// needs an identity of each operator, or .init.
//
// Cost: the bytes of one reduction. Each result adds its arithmetic, and one accumulator per lane.
#pragma once
#include <warpfold/fused.hpp>
#include <warpfold/host/fused_types.hpp>

namespace warpfold {

namespace detail {
/// The accumulator of `item`, as a call with `op` alone makes it.
template <class A, class Op, class T>
__host__ __device__ constexpr A leaf_of(const Op& op, const T& item, std::int64_t i) {
  if constexpr (lifts<Op, T>) return convert<A>(lift(op, item, i));
  else return convert<A>(item);
}

template <class Transform, class T>
inline constexpr bool can_transform =
    !is_device_lambda<Transform> && std::is_invocable_v<callable_t<Transform>, const T&>;
}  // namespace detail

/// The operator that `with` returns.
template <class Transform, class Op> struct transformed_operator {
  Transform transform;  ///< is applied to items
  Op op;                ///< folds what it returns

  /// What `transform` returns for a `T`.
  template <class T> using item = std::remove_cvref_t<std::invoke_result_t<detail::callable_t<Transform>, const T&>>;
  template <class T> using leaf = accumulator_t<Op, item<T>>;  ///< its accumulator

  template <class T>
    requires(detail::can_transform<Transform, T>)
  __host__ __device__ constexpr auto lift(const T& of) const -> leaf<T>
    requires(!lifts_indexed<Op, item<T>>)
  { return detail::leaf_of<leaf<T>>(op, transform(of), 0); }
  template <class T>
    requires(detail::can_transform<Transform, T>)
  __host__ __device__ constexpr auto lift(const T& of, std::int64_t index) const -> leaf<T>
    requires(lifts_indexed<Op, item<T>>)
  { return detail::leaf_of<leaf<T>>(op, transform(of), index); }
  template <class A>
  requires is_operator_for<Op, A> __host__ __device__ constexpr A operator()(const A& a, const A& b) const {
    return static_cast<A>(op(a, b));
  }
  template <class A>
  requires lowers<Op, A> __host__ __device__ constexpr lowered_t<Op, A> lower(const A& value) const {
    return op.lower(value);
  }
  template <class A>
  requires lowers_segments<Op, A> __host__ __device__ constexpr lowered_t<Op, A> lower(const A& value,
                                                                                       std::int64_t begin) const {
    return op.lower(value, begin);
  }
};

/// `op` over transform(item) instead of the item: with(square{}, plus{}) is the sum of squares. It has the bits of
/// transform_reduce, and can stand beside other operators in `fuse`. The accumulator follows what `transform` returns.
template <class Transform, class Op>
__host__ __device__ constexpr transformed_operator<Transform, Op> with(Transform transform, Op op) {
  static_assert(
      !detail::is_host_pointer<Transform> && detail::is_passed_by_bytes<Transform>,
      "warpfold: the transform must be a trivially copyable function object or lambda: it is passed to the GPU "
      "by its bytes, and a function pointer is the host's");
  static_assert(!is_device_lambda<Transform>,
                "warpfold: declare what the __device__ lambda returns, as in [] __device__(float x) -> double { ... }: "
                "the accumulator follows it, and the host cannot know it otherwise");
  return {transform, op};
}

template <class Transform, class Op, class T>
  requires(!detail::can_transform<Transform, T>)
struct accumulator<transformed_operator<Transform, Op>, T> {
  static_assert(detail::can_transform<Transform, T>,
                "warpfold: the transform of wf::with must be callable with the items of the input, and const");
  using type = T;
};
/// with() keeps the traits of `Op`.
template <class Transform, class Op>
struct detail::plain_operator<transformed_operator<Transform, Op>> : detail::plain_operator<Op> {};
template <class Transform, class Op, class A>
struct identity<transformed_operator<Transform, Op>, A> : identity<Op, A> {};

/// The operator that `fuse` returns: part k is operator k.
template <class... Ops> struct fused_operator {
  static constexpr std::size_t part_count = sizeof...(Ops);         ///< how many results there are
  template <class T> using leaf = fused<accumulator_t<Ops, T>...>;  ///< the accumulators
  template <class T> static constexpr bool is_indexed = (lifts_indexed<Ops, T> || ...);

  detail::element_pack<std::index_sequence_for<Ops...>, Ops...> ops;  ///< one per result

  /// Operator `I`.
  template <std::size_t I> __host__ __device__ constexpr const detail::type_at_t<I, Ops...>& part() const {
    return detail::element<I>(ops);
  }

  template <class T>
    requires(!is_indexed<T>)
  __host__ __device__ constexpr leaf<T> lift(const T& item) const {
    return lift_all(item, 0, std::index_sequence_for<Ops...>());
  }
  template <class T>
    requires(is_indexed<T>)
  __host__ __device__ constexpr leaf<T> lift(const T& item, std::int64_t index) const {
    return lift_all(item, index, std::index_sequence_for<Ops...>());
  }
  template <class... As>
    requires(sizeof...(As) == sizeof...(Ops) && (is_operator_for<Ops, As> && ...))
  __host__ __device__ constexpr fused<As...> operator()(const fused<As...>& a, const fused<As...>& b) const {
    return join_all(a, b, std::index_sequence_for<Ops...>());
  }
  template <class... As>
    requires(sizeof...(As) == sizeof...(Ops) && (lowers<Ops, As> || ...))
  __host__ __device__ constexpr fused<lowered_t<Ops, As>...> lower(const fused<As...>& values) const {
    return lower_all(values, std::index_sequence_for<Ops...>());
  }
  template <class... As>
    requires(sizeof...(As) == sizeof...(Ops) && (lowers_segments<Ops, As> || ...))
  __host__ __device__ constexpr fused<lowered_t<Ops, As>...> lower(const fused<As...>& values,
                                                                   std::int64_t begin) const {
    return lower_all(values, begin, std::index_sequence_for<Ops...>());
  }

 private:
  template <class T, std::size_t... Is>
  __host__ __device__ constexpr leaf<T> lift_all(const T& item, std::int64_t index, std::index_sequence<Is...>) const {
    return leaf<T>(detail::leaf_of<accumulator_t<Ops, T>>(part<Is>(), item, index)...);
  }
  template <class... As, std::size_t... Is>
  __host__ __device__ constexpr fused<As...> join_all(const fused<As...>& a, const fused<As...>& b,
                                                      std::index_sequence<Is...>) const {
    return fused<As...>(static_cast<As>(part<Is>()(a.template get<Is>(), b.template get<Is>()))...);
  }
  template <std::size_t I, class A> __host__ __device__ constexpr auto lower_part(const A& value) const {
    if constexpr (lowers<detail::type_at_t<I, Ops...>, A>) return part<I>().lower(value);
    else return value;
  }
  template <std::size_t I, class A>
  __host__ __device__ constexpr auto lower_part(const A& value, std::int64_t begin) const {
    if constexpr (lowers_segments<detail::type_at_t<I, Ops...>, A>) return part<I>().lower(value, begin);
    else return lower_part<I>(value);
  }
  template <class... As, std::size_t... Is>
  __host__ __device__ constexpr auto lower_all(const fused<As...>& values, std::int64_t begin,
                                               std::index_sequence<Is...>) const {
    return fused<lowered_t<Ops, As>...>(lower_part<Is>(values.template get<Is>(), begin)...);
  }
  template <class... As, std::size_t... Is>
  __host__ __device__ constexpr auto lower_all(const fused<As...>& values, std::index_sequence<Is...>) const {
    return fused<lowered_t<Ops, As>...>(lower_part<Is>(values.template get<Is>())...);
  }
};

/// One operator that computes what each of `ops` computes, in one read of the input.
template <class... Ops> __host__ __device__ constexpr fused_operator<Ops...> fuse(Ops... ops) {
  static_assert(sizeof...(Ops) > 0, "warpfold: fuse needs an operator");
  return {{{ops}...}};
}

template <class... Ops, class... As>
  requires(sizeof...(As) == sizeof...(Ops) && (has_identity_v<Ops, As> && ...))
struct identity<fused_operator<Ops...>, fused<As...>> {
  WARPFOLD_JIT static constexpr fused<As...> value() { return fused<As...>(identity<Ops, As>::value()...); }
};
template <class... Ops, class... As>
  requires(sizeof...(As) == sizeof...(Ops))
inline constexpr bool is_exact<fused_operator<Ops...>, fused<As...>> = (is_exact<Ops, As> && ...);
template <class... Ops> inline constexpr bool is_commutative<fused_operator<Ops...>> = (is_commutative<Ops> && ...);

}  // namespace warpfold
