// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what callers pass to what kernels read: iterators, ranges and transforms as leaves.
#pragma once
#include <algorithm>
#include <warpfold/options.hpp>
#include <warpfold/thread/source.cuh>

namespace warpfold {

namespace detail {
template <class It> constexpr auto make_source(It first, std::int64_t count) {
  if constexpr (std::contiguous_iterator<It>)
    return thread::pointer_source<std::iter_value_t<It>>{to_pointer(first), count};
  else return thread::iterator_source<It>{first, count};
}

template <class A, class Transform, class Source> auto make_leaves(const Source& source, Transform transform) {
  return thread::leaves<Source, Transform, A>{source, transform};
}

// Two inputs are read in equal chunks: the smaller of what each would take alone.
template <device_range Left, device_range Right> auto make_zip(const Left& left, const Right& right) {
  using L = item_t<const Left>;
  using R = item_t<const Right>;
  constexpr int items = std::min(thread::items_per_chunk(sizeof(L)), thread::items_per_chunk(sizeof(R)));
  const auto count = static_cast<std::int64_t>(left.size());
  const thread::pointer_source<L, items> l{to_pointer(left.data()), count};
  const thread::pointer_source<R, items> r{to_pointer(right.data()), count};
  return thread::zip_source<decltype(l), decltype(r)>{l, r, count};
}

// What a transform makes of items, if it takes them: else another overload is meant. Of a device lambda the host cannot
// know, so it is the first item's type.
template <class Transform, class T, class... Ts> struct transformed {};
template <class Transform, class T, class... Ts>
  requires(!is_device_lambda<Transform>)
&&std::is_invocable_v<Transform, T, Ts...> struct transformed<Transform, T, Ts...>
    : std::invoke_result<Transform, T, Ts...> {};
template <class Transform, class T, class... Ts>
  requires is_device_lambda<Transform>
struct transformed<Transform, T, Ts...> {
  using type = T;
};
template <class Op, class Transform, class... Ts>
using transformed_accumulator_t = accumulator_t<Op, std::remove_cvref_t<typename transformed<Transform, Ts...>::type>>;

}  // namespace detail

}  // namespace warpfold
