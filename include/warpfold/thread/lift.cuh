// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hides lift and lower (operator_traits.hpp) from kernels: lift becomes a part of the leaves' transform, lower a part
// of the output.
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/thread/put.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

/// An item, and its number in the input.
template <class T> struct indexed_item {
  T item;
  std::int64_t index;
};

/// `transform`, followed by op.lift.
template <class Op, class Transform> struct lifted {
  Op op;
  Transform transform;

  template <class... Items> __device__ auto operator()(const Items&... items) const {
    return op.lift(transform(items...));
  }
  template <class T> __device__ auto operator()(const indexed_item<T>& of) const {
    return warpfold::detail::lift(op, transform(of.item), of.index);
  }
};

namespace detail {
template <class Transform, class Source> struct transformed_items {
  using type = std::remove_cvref_t<std::invoke_result_t<Transform&, const typename Source::item&>>;
};
template <class Transform, class Source>
  requires requires { typename Source::pair; }
struct transformed_items<Transform, Source> {
  using type = std::remove_cvref_t<
      std::invoke_result_t<Transform&, const typename Source::pair::left&, const typename Source::pair::right&>>;
};
}  // namespace detail

/// Whether `Op` lifts the results of `Transform` over the items of `Source`, and whether it also takes their numbers.
template <class Op, class Transform, class Source>
inline constexpr bool lifts_source = lifts<Op, typename detail::transformed_items<Transform, Source>::type>;
template <class Op, class Transform, class Source>
inline constexpr bool lifts_source_indexed =
    lifts_indexed<Op, typename detail::transformed_items<Transform, Source>::type>;

/// The items of `Source`, with their numbers: item i of the source is number `first_index` + i. A chunk keeps the
/// number of its first item.
template <class Source> struct indexed_source {
  static constexpr int chunk_items = Source::chunk_items;
  using item = indexed_item<typename Source::item>;
  struct chunk : Source::chunk {
    std::int64_t first = 0;
  };

  Source source;
  std::int64_t first_index = 0;
  std::int64_t items = source.items;

  __device__ int misaligned_bytes() const { return source.misaligned_bytes(); }
  __device__ int misaligned_bytes(std::int64_t first) const { return source.misaligned_bytes(first); }
  __device__ bool is_inside(std::int64_t begin, std::int64_t end) const { return source.is_inside(begin, end); }
  template <class Index> __device__ void load(chunk& to, Index first) const { source.load(number(to, first), first); }
  template <class Index> __device__ void load_edge(chunk& to, Index first) const {
    source.load_edge(number(to, first), first);
  }
  template <class Index, class... Skipped>
  __device__ void load_items(chunk& to, Index first, int count, Skipped... skipped) const {
    source.load_items(number(to, first), first, count, skipped...);
  }
  template <class Index> __device__ void load_inside(chunk& to, Index first, int count) const {
    source.load_inside(number(to, first), first, count);
  }
  template <class Index>
  __device__ void load_aligned(chunk& to, Index first, int count) const
      requires(requires { source.load_aligned(to, first, count); }) {
    source.load_aligned(number(to, first), first, count);
  }
  template <class Index, class... Misaligned>
    requires requires(const Source& from, typename Source::chunk& plain) { from.load_shifted(plain, std::int64_t{}); }
  __device__ void load_shifted(chunk& to, Index first, Misaligned... misaligned_bytes) const {
    source.load_shifted(number(to, first), first, misaligned_bytes...);
  }
  __device__ bool can_shift(std::int64_t first, std::int64_t last) const requires requires(const Source& from) {
    from.can_shift(std::int64_t{}, std::int64_t{});
  }
  { return source.can_shift(first, last); }
  template <int Count = chunk_items> __host__ __device__ auto from(std::int64_t first) const {
    const auto rest = source.template from<Count>(first);
    return indexed_source<std::remove_cv_t<decltype(rest)>>{rest, first_index + first};
  }
  __device__ static item value(const chunk& from, int k) { return {Source::value(from, k), from.first + k}; }
  __device__ item at(std::int64_t i) const { return {source.at(i), first_index + i}; }

 private:
  __device__ typename Source::chunk& number(chunk& to, std::int64_t first) const {
    to.first = first_index + first;
    return to;
  }
};

/// Numbers take no registers: a chunk keeps that of its first item.
template <class Source, class A>
inline constexpr std::size_t held_bytes<indexed_source<Source>, A> = held_bytes<Source, A>;

template <int Items, class Source> __host__ __device__ constexpr auto rechunk(const indexed_source<Source>& given) {
  const auto source = rechunk<Items>(given.source);
  return indexed_source<std::remove_cv_t<decltype(source)>>{source, given.first_index};
}

/// `source` without the items' numbers.
template <class Source> __host__ __device__ const Source& plain_source(const Source& source) { return source; }
template <class Source> __host__ __device__ const Source& plain_source(const indexed_source<Source>& source) {
  return source.source;
}

template <class Source>
using plain_source_of = std::remove_cvref_t<decltype(plain_source(std::declval<const Source&>()))>;
/// `source`, which begins with item `first` of `given`. If `given` numbers its items, the result has these numbers.
template <class Given, class Source> __device__ Source numbered_as(const Given&, const Source& source, std::int64_t) {
  return source;
}
template <class Given, class Source>
__device__ auto numbered_as(const indexed_source<Given>& given, const Source& source, std::int64_t first) {
  return indexed_source<Source>{source, given.first_index + first};
}

/// `source` seen through `transform` and through op.lift, if `Op` has one.
template <class A, class Op, class Transform, class Source>
__host__ __device__ constexpr auto lifted_leaves(const Op& op, const Source& source, const Transform& transform) {
  if constexpr (lifts_source<Op, Transform, Source>) {
    using lift = lifted<Op, Transform>;
    if constexpr (lifts_source_indexed<Op, Transform, Source>) {
      static_assert(
          !requires { typename Source::pair; }, "warpfold: an operator that takes the items' numbers reads one input");
      return leaves<indexed_source<Source>, lift, A>{{source, 0}, {op, transform}};
    } else return leaves<Source, lift, A>{source, {op, transform}};
  } else return leaves<Source, Transform, A>{source, transform};
}

/// In place of an operator that lowers nothing, where `put` converts what is written.
struct lowers_nothing {
  template <class A> __device__ const A& lower(const A& value) const { return value; }
};

/// A result that has been lowered already.
template <class R> struct lowered_value { R value; };

/// Whether an output takes one.
template <class Out> WARPFOLD_JIT consteval bool find_takes_lowered() {
  if constexpr (requires { Out::takes_lowered; }) return Out::takes_lowered;
  else return false;
}
template <class Out> inline constexpr bool takes_lowered = find_takes_lowered<Out>();

/// Writes accumulators through op.lower.
template <class Op, class Out> struct lowered_output {
  static constexpr bool takes_lowered = true;
  template <class Reference> struct reference {
    const Op& op;
    Reference to;
    template <class A> __device__ void operator=(const A& value) const {
      put(const_cast<std::remove_const_t<Reference>&>(to), op.lower(value));
    }
    template <class R> __device__ void operator=(const lowered_value<R>& value) const {
      put(const_cast<std::remove_const_t<Reference>&>(to), value.value);
    }
  };

  Op op;
  Out out;

  __device__ auto operator*() const { return reference<decltype(*out)>{op, *out}; }
  __device__ auto operator[](std::ptrdiff_t i) const { return reference<decltype(out[i])>{op, out[i]}; }
};

/// Writes the accumulators of segments through op.lower(value, begin of the segment).
template <class Op, class Out, class Segments> struct segment_output {
  template <class Reference> struct reference {
    const Op& op;
    Reference to;
    std::int64_t begin;
    template <class A> __device__ void operator=(const A& value) const {
      put(const_cast<std::remove_const_t<Reference>&>(to), op.lower(value, begin));
    }
  };

  Op op;
  Out out;
  Segments segments;

  __device__ auto operator[](std::ptrdiff_t i) const {
    return reference<decltype(out[i])>{op, out[i], segments.span(i).begin};
  }
  /// The result of segment `i`, whose `begin` the caller knows, so it is not read again.
  __device__ auto of_segment(std::ptrdiff_t i, std::int64_t begin, std::int64_t) const {
    return reference<decltype(out[i])>{op, out[i], begin};
  }
};

}  // namespace warpfold::thread
