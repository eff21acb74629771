// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where the extremum of a chunk lies, for the operators of arg_operators.hpp over numbers. Their results do not
// depend on the association, so indices need not travel with the values: only values are folded, by words for narrow
// integers, and the position of the extremum is made an index afterwards.
//
// Such an operator has a type `located`, and `assemble`, which calls locate(part) for each of its parts and makes an
// accumulator of the results. A part's `extremum` folds values; its replaces(later, earlier) and ties_with(item, best)
// say which item is taken.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/fold_packed.cuh>
#include <warpfold/thread/lift.cuh>
#include <warpfold/thread/missing_items.cuh>

namespace warpfold::thread {

namespace detail {
template <class Leaves> struct located_items { static constexpr bool exist = false; };
template <class Source, class Op, class Transform, class A>
struct located_items<leaves<indexed_source<Source>, lifted<Op, Transform>, A>> {
  using value = typename warpfold::detail::promoted<typename transformed_items<Transform, Source>::type>::type;
  using plain_leaves = leaves<Source, Transform, value>;
  static constexpr bool exist = std::is_arithmetic_v<value> && requires { typename Op::located; };
};
}  // namespace detail

/// Whether folds of these leaves locate extrema.
template <class Leaves> inline constexpr bool locates = detail::located_items<Leaves>::exist;
/// The same items as leaves without numbers.
template <class Leaves> using plain_leaves_of = typename detail::located_items<Leaves>::plain_leaves;
/// The type in which items are compared, and item k of a chunk in that type.
template <class Leaves> using located_value = typename detail::located_items<Leaves>::value;
template <class Leaves>
__device__ located_value<Leaves> value_of(const Leaves& leaves, const typename Leaves::chunk& from, int k) {
  return warpfold::detail::convert<located_value<Leaves>>(
      leaves.transform.transform(Leaves::source_type::value(from, k).item));
}

/// An item of a chunk, and an item of the input.
template <class V> struct place {
  V value;
  int position;
};
template <class V> struct located {
  V value;
  std::int64_t index;
};

/// Whether the extrema of `Part` are found by words.
template <class Leaves, class Part>
inline constexpr bool locates_packed = folds_packed<plain_leaves_of<Leaves>, typename Part::extremum>;

namespace detail {

/// Of the first `count` items of a chunk of integers, the position of the first or the last one that equals `best`. At
/// least one does.
template <bool First, class T, int Items> __device__ int find_packed(const chunk<T, Items>& from, T best, int count) {
  constexpr int words = chunk<T, Items>::words, bits = 8 * int{sizeof(T)}, word_items = 32 / bits;
  constexpr unsigned ones = bits == 8 ? 0x01010101u : 0x00010001u, below_top = ~(ones << (bits - 1));
  const unsigned wanted = static_cast<std::make_unsigned_t<T>>(best) * ones;
  unsigned found = 1;
  int found_in = 0;
  WARPFOLD_UNROLL
  for (int i = 0; i < words; ++i) {
    const int word = First ? words - 1 - i : i;
    const unsigned other = from.word[word] ^ wanted;  // an item is 0 where they are equal
    const unsigned equal = ~(((other & below_top) + below_top) | other | below_top) &
                           present_bits<word_items, bits>(~0u, word, count);  // its top bit is 1 there
    if (equal != 0) found = equal, found_in = word;
  }
  const int bit = First ? __ffs(static_cast<int>(found)) - 1 : 31 - __clz(static_cast<int>(found));
  return found_in * word_items + bit / bits;
}

}  // namespace detail

/// The extremum of all items of a chunk.
template <class Part, class Leaves>
__device__ auto extremum_of(const Leaves& leaves, const typename Leaves::chunk& from) {
  using V = located_value<Leaves>;
  if constexpr (locates_packed<Leaves, Part>) return fold_packed<V, typename Part::extremum>(from, Leaves::chunk_items);
  else {
    V value = value_of(leaves, from, 0);
    WARPFOLD_UNROLL
    for (int k = 1; k < Leaves::chunk_items; ++k) value = typename Part::extremum{}(value, value_of(leaves, from, k));
    return value;
  }
}

/// Whether an item of a chunk ties with `best`.
template <class Part, class Leaves>
__device__ bool any_ties(const Leaves& leaves, const typename Leaves::chunk& from, located_value<Leaves> best) {
  bool any = false;
  WARPFOLD_UNROLL
  for (int k = 0; k < Leaves::chunk_items; ++k) any = any || Part::ties_with(value_of(leaves, from, k), best);
  return any;
}

namespace detail {

/// Among the first `count` items, the one that is taken of those that tie with `best`. If none ties, the result means
/// nothing. value_at(k) is item k; with `SkipsCount`, it is called for items that do not exist, too. The comparisons do
/// not wait for each other.
template <class Part, int Items, bool SkipsCount, class V, class Value>
__device__ place<V> find_among(Value value_at, V best, int count) {
  place<V> found{best, 0};
  const auto search = [&](auto take) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int k = Part::takes_first ? Items - 1 - i : i;
      if (SkipsCount || k < count) take(k, value_at(k));
    }
  };
  // Numbers that tie have the same bits, unless they are zeros.
  if constexpr (!std::is_same_v<V, float> && !std::is_same_v<V, double>)
    search([&](int k, V value) { found.position = value == best ? k : found.position; });
  else if ((best < 0) | (best > 0) | (count < 1))
    search([&](int k, V value) { found.position = value == best ? k : found.position; });
  else
    search([&](int k, V value) {
      const bool ties = Part::ties_with(value, best);
      found = {ties ? value : found.value, ties ? k : found.position};
    });
  return found;
}

/// find_among the items of a chunk.
template <class Part, class Leaves, class V = located_value<Leaves>>
__device__ place<V> find_unpacked(const Leaves& leaves, const typename Leaves::chunk& from, V best, int count) {
  // The first item that ties exists, so the items after it do not matter.
  constexpr bool skips_count = may_convert_missing<plain_leaves_of<Leaves>> && Part::takes_first;
  return find_among<Part, Leaves::chunk_items, skips_count>([&](int k) { return value_of(leaves, from, k); }, best,
                                                            count);
}

}  // namespace detail

/// The item of a chunk that is taken of those that tie with `best`, if any does.
template <class Part, class Leaves, class V = located_value<Leaves>>
__device__ place<V> find(const Leaves& leaves, const typename Leaves::chunk& from, V best) {
  if constexpr (locates_packed<Leaves, Part>) {
    using item = decltype(Leaves::source_type::value(from, 0).item);
    return {best, detail::find_packed<Part::takes_first>(from, static_cast<item>(best), Leaves::chunk_items)};
  } else return detail::find_unpacked<Part>(leaves, from, best, Leaves::chunk_items);
}

namespace detail {

/// The first item that ties with the extremum of the first `count` items. Missing items are looked at, too. The extrema
/// of each four items are folded side by side, and only the first four that have the extremum are searched.
template <class Part, class Leaves, class V = located_value<Leaves>>
__device__ place<V> locate_by_quads(const Leaves& leaves, const typename Leaves::chunk& from, int count) {
  constexpr int items = Leaves::chunk_items, quad_items = 4, quads = items / quad_items;
  static_assert(Part::takes_first && quads > 1 && items <= 64);
  using bits = std::conditional_t<(items > 32), unsigned long long, unsigned>;
  constexpr int bit_count = items > 32 ? 64 : 32;
  typename Part::extremum extremum;
  const bits present = count >= bit_count ? ~bits{0} : (bits{1} << greatest_of(count, 0)) - 1;
  const auto exists = [&](int k) { return (present >> k & 1) != 0; };
  V of_quad[quads], joined[quads];
  WARPFOLD_UNROLL
  for (int g = 0; g < quads; ++g) {
    of_quad[g] = value_of(leaves, from, g * quad_items);
    WARPFOLD_UNROLL
    for (int k = g * quad_items + 1; k < (g + 1) * quad_items; ++k)
      if (exists(k)) of_quad[g] = extremum(of_quad[g], value_of(leaves, from, k));
    joined[g] = of_quad[g];
  }
  WARPFOLD_UNROLL
  for (int stride = 1; stride < quads; stride *= 2) WARPFOLD_UNROLL
  for (int g = 0; g < quads; g += 2 * stride)
    if (exists((g + stride) * quad_items)) joined[g] = extremum(joined[g], joined[g + stride]);
  const V best = joined[0];
  if constexpr (std::is_floating_point_v<V>)
    if (!((best < 0) | (best > 0) | (count < 1))) return find_unpacked<Part>(leaves, from, best, count);
  int quad = quads - 1;
  V own[quad_items - 1];
  WARPFOLD_UNROLL
  for (int k = 0; k < quad_items - 1; ++k) own[k] = value_of(leaves, from, quad * quad_items + k);
  WARPFOLD_UNROLL
  for (int g = quads - 2; g >= 0; --g) {
    const bool holds = of_quad[g] == best;
    quad = holds ? g : quad;
    WARPFOLD_UNROLL
    for (int k = 0; k < quad_items - 1; ++k) own[k] = holds ? value_of(leaves, from, g * quad_items + k) : own[k];
  }
  int place_in_quad = quad_items - 1;
  WARPFOLD_UNROLL
  for (int k = quad_items - 2; k >= 0; --k) place_in_quad = own[k] == best ? k : place_in_quad;
  return {best, quad * quad_items + place_in_quad};
}

}  // namespace detail

/// The item taken of the first `count` items of a chunk. With `count` < 1 the result means nothing. No code of the
/// user's sees another item.
template <class Part, class Leaves, class V = located_value<Leaves>>
__device__ place<V> locate_in_chunk(const Leaves& leaves, const typename Leaves::chunk& from, int count) {
  if constexpr (locates_packed<Leaves, Part>) {
    using item = decltype(Leaves::source_type::value(from, 0).item);
    const V best = fold_packed<V, typename Part::extremum>(from, count);
    return {best, detail::find_packed<Part::takes_first>(from, static_cast<item>(best), count)};
  } else if constexpr (may_convert_missing<plain_leaves_of<Leaves>> && Part::takes_first && Leaves::chunk_items > 4) {
    return detail::locate_by_quads<Part>(leaves, from, count);
  } else {
    typename Part::extremum extremum;
    V best{};
    if (may_convert_missing<plain_leaves_of<Leaves>> || count > 0) best = value_of(leaves, from, 0);
    WARPFOLD_UNROLL
    for (int k = 1; k < Leaves::chunk_items; ++k)
      if (k < count) best = extremum(best, value_of(leaves, from, k));
    return detail::find_unpacked<Part>(leaves, from, best, count);
  }
}

/// The item that is taken of the first `count` > 0 of `values`.
template <class Part, class V, int Items> __device__ place<V> locate_among(const V (&values)[Items], int count) {
  V joined[Items];
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) joined[k] = values[k];
  const V best = fold(joined, typename Part::extremum{}, count);
  return detail::find_among<Part, Items, Part::takes_first>([&](int k) { return values[k]; }, best, count);
}

/// Takes one of two items. The operands may come in any order: their positions tell which one is later.
template <class Part> struct taken_place {
  template <class V> __device__ place<V> operator()(const place<V>& a, const place<V>& b) const {
    const bool takes_b = a.position < b.position ? Part::replaces(b.value, a.value) : !Part::replaces(a.value, b.value);
    return {takes_b ? b.value : a.value, takes_b ? b.position : a.position};
  }
};

/// `Op`, an arg-reduction, for accumulators that each have an item. So it does not test whether they do.
template <class Op> struct join_items {
  Op op;
  template <class A> __device__ A operator()(const A& a, const A& b) const { return Op::join_items(a, b); }
};
/// The operator by which kernels join accumulators of items.
template <class Leaves, class Op> using items_operator = std::conditional_t<locates<Leaves>, join_items<Op>, Op>;
/// The operator whose items_operator is `op`. It also joins accumulators without items, as init may be one.
template <class Op> __device__ const Op& any_operator(const Op& op) { return op; }
template <class Op> __device__ const Op& any_operator(const join_items<Op>& op) { return op.op; }

/// The node over the first `count` of a few consecutive items, in order. With `count` < 1 the result means nothing.
template <class Leaves, class Item, int Items>
__device__ auto fold_located_items(const Leaves& leaves, const Item (&items)[Items], int count) {
  using V = located_value<Leaves>;
  const auto value_at = [&](int k) { return warpfold::detail::convert<V>(leaves.transform.transform(items[k].item)); };
  return leaves.transform.op.assemble(
      [&](auto part) {
        place<V> best{};
        if (may_convert_missing<plain_leaves_of<Leaves>> || count > 0) best.value = value_at(0);
        WARPFOLD_UNROLL
        for (int k = 1; k < Items; ++k) {
          if (!may_convert_missing<plain_leaves_of<Leaves>> && k >= count) break;
          const V value = value_at(k);
          const bool taken = (k < count) & decltype(part)::replaces(value, best.value);
          best = {taken ? decltype(part)::taken_value(true, best.value, value) : best.value, taken ? k : best.position};
        }
        return located<V>{best.value, items[0].index + best.position};
      },
      items[0].index);
}

/// The node over the first `count` items of a chunk, with the number of its item in the input.
template <class Leaves>
__device__ auto fold_located(const Leaves& leaves, const typename Leaves::chunk& from, int count) {
  return leaves.transform.op.assemble(
      [&](auto part) {
        const auto found = locate_in_chunk<decltype(part)>(leaves, from, count);
        return located<located_value<Leaves>>{found.value, from.first + found.position};
      },
      from.first);
}

}  // namespace warpfold::thread

namespace warpfold {
/// Any association gives the same bits if it does for `Op`.
template <class Op, class A> inline constexpr bool is_exact<thread::join_items<Op>, A> = is_exact<Op, A>;
}  // namespace warpfold
