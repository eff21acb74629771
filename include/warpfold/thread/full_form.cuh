// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators by their full nodes (operator_traits.hpp): an operator that has them, or a fused one some of whose parts
// have. Full nodes of a fused operator hold those of its parts, and the accumulators of the other parts.
#pragma once
#include <warpfold/thread/fold_run.cuh>
#include <warpfold/thread/missing_items.cuh>

namespace warpfold::thread {

namespace detail {

/// Part `I` of a full node. An empty one takes no room.
template <std::size_t I, class Full> struct full_element { Full value; };
template <std::size_t I, class Full>
  requires std::is_empty_v<Full>
struct full_element<I, Full> {
};
template <std::size_t I, class Full> __device__ Full get_part(const full_element<I, Full>& of) {
  if constexpr (std::is_empty_v<Full>) return Full{};
  else return of.value;
}
template <std::size_t I, class Full> __device__ void set_part(full_element<I, Full>& of, const Full& value) {
  if constexpr (!std::is_empty_v<Full>) of.value = value;
}

template <class Op, std::size_t I> struct part_operator {
  using type = std::remove_cvref_t<decltype(std::declval<const Op&>().template part<I>())>;
};
template <class Op, std::size_t I> using part_operator_t = typename part_operator<Op, I>::type;

/// What a full node holds of a part with accumulators of type `A`.
template <class Part, class A> struct full_of_part { using type = A; };
template <class Part, class A>
  requires tells_full_nodes<Part>
struct full_of_part<Part, A> {
  using type = typename Part::full;
};
template <class Op, class A, class Parts> struct full_of_parts;
template <class Op, class A, std::size_t... Is> struct full_of_parts<Op, A, std::index_sequence<Is...>> {
  struct type : full_element<Is, typename full_of_part<part_operator_t<Op, Is>, part_t<A, Is>>::type>... {};
};

template <class Op, class A> inline constexpr bool tells_if_all_count = requires(const Op& op, const A& value) {
  op.all_count(value);
};

/// The join of a full node of `items` items and its right neighbour of fewer, all of which count.
template <class Op, class Full, class A>
__device__ A join_fewer(const Op& op, const Full& left, std::int64_t items, const A& right) {
  if constexpr (requires { op.join_fewer(left, items, right); }) return op.join_fewer(left, items, right);
  else if constexpr (tells_full_nodes<Op>) return op(op.of_full(left, items), right);
  else return op(left, right);
}

}  // namespace detail

/// A fused operator with accumulators of type `A` as one that has full nodes.
template <class Op, class A> struct fused_full_form {
  using parts = std::make_index_sequence<Op::part_count>;
  using full = typename detail::full_of_parts<Op, A, parts>::type;
  template <std::size_t I> using part_type = detail::part_operator_t<Op, I>;

  const Op& op;

  template <class T> __device__ full lift_full(const T& item) const {
    return make([&]<std::size_t I>(const part_type<I>& part, std::integral_constant<std::size_t, I>) {
      if constexpr (detail::tells_full_nodes<part_type<I>>) return part.lift_full(item);
      else return detail::fold_lifted<part_t<A, I>, 0, 1>(part, [&](int) { return item; });
    });
  }
  __device__ full join_full(const full& a, const full& b, std::int64_t items) const {
    return make([&]<std::size_t I>(const part_type<I>& part, std::integral_constant<std::size_t, I>) {
      const auto left = detail::get_part<I>(a), right = detail::get_part<I>(b);
      if constexpr (detail::tells_full_nodes<part_type<I>>) return part.join_full(left, right, items);
      else return static_cast<part_t<A, I>>(part(left, right));
    });
  }
  __device__ A of_full(const full& all, std::int64_t items) const {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      A value;
      ((value.template get<Is>() = of_full_part(op.template part<Is>(), detail::get_part<Is>(all), items)), ...);
      return value;
    }
    (parts());
  }
  __device__ A join_fewer(const full& left, std::int64_t items, const A& right) const {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      A value;
      ((value.template get<Is>() =
            detail::join_fewer(op.template part<Is>(), detail::get_part<Is>(left), items, right.template get<Is>())),
       ...);
      return value;
    }
    (parts());
  }
  /// Of all parts, those that tell.
  __device__ bool all_count(const A& value) const {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return (counts_part(op.template part<Is>(), value.template get<Is>()) && ...);
    }
    (parts());
  }

 private:
  template <class Make> __device__ full make(Make make_part) const {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      full all;
      (detail::set_part<Is>(all, make_part(op.template part<Is>(), std::integral_constant<std::size_t, Is>())), ...);
      return all;
    }
    (parts());
  }
  template <class Part, class Full>
  __device__ static auto of_full_part(const Part& part, const Full& all, std::int64_t items) {
    if constexpr (detail::tells_full_nodes<Part>) return part.of_full(all, items);
    else return all;
  }
  template <class Part, class B> __device__ static bool counts_part(const Part& part, const B& value) {
    if constexpr (detail::tells_if_all_count<Part, B>) return part.all_count(value);
    else return true;
  }
};

/// Whether a full node's accumulator tells if all of its items count; of a fused operator, whether one of its parts
/// does, which have the same items.
template <class Op, class A> WARPFOLD_JIT consteval bool tells_all_count() {
  if constexpr (is_fused<Op> && !detail::tells_full_nodes<Op>) {
    return []<std::size_t... Is>(std::index_sequence<Is...>) {
      return (detail::tells_if_all_count<detail::part_operator_t<Op, Is>, part_t<A, Is>> || ...);
    }
    (std::make_index_sequence<Op::part_count>());
  } else return detail::tells_if_all_count<Op, A>;
}

/// An operator whose accumulators are of type `A`, as one that has full nodes.
template <class Op, class A>
using in_full_form = std::conditional_t<detail::tells_full_nodes<Op>, const Op&, fused_full_form<Op, A>>;

namespace detail {

/// Whether full nodes may hold a part over items of type `T`, and zeros in place of missing ones. `tells`: whether
/// another part tells if all items count.
template <class Part, class A, class T> WARPFOLD_JIT consteval bool find_takes_part(bool tells) {
  if constexpr (tells_full_nodes<Part>) return tells || std::is_integral_v<T> || !Part::skips_nan;
  else return may_combine_missing<Part, A> && !lifts<Part, T>;
}
/// The same for all parts of a fused operator, some of whose full nodes are not empty.
template <class Op, class A, class T> WARPFOLD_JIT consteval bool find_has_fused_full_form() {
  if constexpr (lifts_indexed<Op, T> || !warpfold::detail::is_real_number<T>) return false;
  else return []<std::size_t... Is>(std::index_sequence<Is...>) {
      constexpr bool tells = tells_all_count<Op, A>();
      return tells_wide_full_nodes<Op>() && (find_takes_part<part_operator_t<Op, Is>, part_t<A, Is>, T>(tells) && ...);
    }
  (std::make_index_sequence<Op::part_count>());
}

template <class Leaves> struct full_form { static constexpr bool exists = false; };
template <class Source, class Op, class Transform, class A>
  requires(!requires { typename Source::pair; } && tells_full_nodes<Op>)
struct full_form<leaves<Source, lifted<Op, Transform>, A>> {
  using type = Op;  ///< of `of`
  using item = typename transformed_items<Transform, Source>::type;
  using full = typename Op::full;
  static constexpr bool always_counts = !Op::skips_nan || std::is_integral_v<item>,
                        exists = !std::is_empty_v<full> && warpfold::detail::is_real_number<item> &&
                                 (always_counts || tells_if_all_count<Op, A>);
  __device__ static const Op& of(const Op& op) { return op; }
};
template <class Source, class Op, class Transform, class A>
  requires(!requires { typename Source::pair; } && is_fused<Op> && !tells_full_nodes<Op>)
struct full_form<leaves<Source, lifted<Op, Transform>, A>> {
  using type = fused_full_form<Op, A>;
  using item = typename transformed_items<Transform, Source>::type;
  using full = typename type::full;
  static constexpr bool always_counts = false, exists = find_has_fused_full_form<Op, A, item>();
  __device__ static fused_full_form<Op, A> of(const Op& op) { return {op}; }
};

}  // namespace detail

/// Whether leaves may be folded by full nodes, and what such a node holds.
template <class Leaves> inline constexpr bool has_full_form = detail::full_form<Leaves>::exists;
/// Whether all items count, whatever they hold.
template <class Leaves> inline constexpr bool always_counts = detail::full_form<Leaves>::always_counts;
template <class Leaves> using full_node = typename detail::full_form<Leaves>::full;
/// The operator of these leaves, as one that has full nodes.
template <class Leaves> __device__ decltype(auto) full_form_of(const Leaves& leaves) {
  return detail::full_form<Leaves>::of(leaves.transform.op);
}
/// Whether the accumulator of a node that was folded by full nodes holds all of its items. It may be false without NaN,
/// too.
template <class Leaves, class A> __device__ bool all_count(const Leaves& leaves, const A& value) {
  if constexpr (detail::full_form<Leaves>::always_counts) return true;
  else return full_form_of(leaves).all_count(value);
}

}  // namespace warpfold::thread
