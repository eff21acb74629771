// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the iterators, ranges and transforms that callers pass into leaves, which kernels read.
#pragma once
#include <warpfold/host/type_checks.hpp>
#include <warpfold/options.hpp>
#include <warpfold/thread/lift.cuh>

namespace warpfold {

namespace detail {
template <item_iterator It> constexpr auto make_source(It first, std::int64_t count) {
  if constexpr (pointer_like<It>) return thread::pointer_source<iterator_item_t<It>>{to_pointer(first), count};
  else return thread::iterator_source<It>{first, count};
}

/// `source` seen through `transform`, which check_transform has accepted for its items, and through op.lift, if it
/// exists.
template <class A, class Op, class Transform, class Source>
auto make_leaves(const Op& op, const Source& source, Transform transform) {
  return thread::lifted_leaves<A>(op, source, transform);
}

/// `out` as kernels write accumulators to it: through op.lower, if `Op` has one; fp8 by an explicit conversion.
template <class A, class Op, class Out> auto lower_into(const Op& op, const Out& out) {
  if constexpr (lowers<Op, A>) return thread::lowered_output<Op, Out>{op, out};
  else if constexpr (converts_written<Out, A>) return thread::lowered_output<thread::lowers_nothing, Out>{{}, out};
  else return out;
}

/// The same for the results of `segments`.
template <class A, class Op, class Out, class Segments>
auto lower_segments_into(const Op& op, const Out& out, const Segments& segments) {
  if constexpr (!lowers_segments<Op, A>) return lower_into<A>(op, out);
  else {
    constexpr bool has_begins = requires { segments.span(std::int64_t{}); };
    static_assert(has_begins,
                  "warpfold: owners do not tell where a segment begins: use within_run, which counts from "
                  "the first item folded, instead of within_segment");
    if constexpr (has_begins) return thread::segment_output<Op, Out, Segments>{op, out, segments};
    else return lower_into<A>(op, out);
  }
}

// Two inputs are read in equal chunks: the smaller of both natural lengths, or one item if one input is no pointer.
template <int Items, item_iterator It> constexpr auto make_source_in_chunks(It first, std::int64_t count) {
  if constexpr (pointer_like<It>) return thread::pointer_source<iterator_item_t<It>, Items>{to_pointer(first), count};
  else return thread::iterator_source<It, Items>{first, count};
}
template <item_iterator Left, item_iterator Right> auto make_zip(Left left, Right right, std::int64_t count) {
  constexpr int items =
      least_of(decltype(make_source(left, count))::chunk_items, decltype(make_source(right, count))::chunk_items);
  const auto l = make_source_in_chunks<items>(left, count);
  const auto r = make_source_in_chunks<items>(right, count);
  return thread::zip_source<std::remove_cv_t<decltype(l)>, std::remove_cv_t<decltype(r)>>{l, r, count};
}

// The type that a transform makes of items; the first item's type if check_transform refuses the transform.
template <class Transform, class T, class... Ts> struct transformed { using type = T; };
template <class Transform, class T, class... Ts>
  requires(!is_device_lambda<Transform> && std::is_invocable_v<Transform, T, Ts...> &&
           !std::is_void_v<std::invoke_result_t<Transform, T, Ts...>>)
struct transformed<Transform, T, Ts...> : std::invoke_result<Transform, T, Ts...> {};
template <class Op, class Transform, class... Ts>
using transformed_accumulator_t = accumulator_t<Op, std::remove_cvref_t<typename transformed<Transform, Ts...>::type>>;

}  // namespace detail

}  // namespace warpfold
