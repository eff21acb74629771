// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of an array as accumulators.
#pragma once
#include <warpfold/axes/shape.hpp>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/fast_divisor.cuh>
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/fold_run.cuh>
#include <warpfold/thread/item_terms.cuh>
#include <warpfold/thread/lane_accumulator.cuh>
#include <warpfold/thread/lift.cuh>
#include <warpfold/thread/locate.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Items behind `data`, seen through `transform`, as accumulators of type `A`; `Items` adjacent ones a chunk. If
/// `TakesIndex`, the transform gets each item with its number among the items of its output.
template <class T, class Transform, class A, bool TakesIndex, int Items = 1> struct array_leaves {
  using item = T;
  using accumulator = A;
  static constexpr int chunk_items = Items;
  using chunk = thread::chunk<T, Items>;
  /// How arg-reductions read a chunk (thread/locate.cuh).
  struct source_type {
    using item = thread::indexed_item<T>;
    __device__ static item value(const chunk& from, int k) { return {from.item(k), 0}; }
  };

  const T* data;
  Transform transform;
  item_range readable;  ///< the first and the last item that exist, from data on

  __device__ A leaf(const chunk& from, int k, [[maybe_unused]] std::int64_t index) const {
    if constexpr (TakesIndex)
      return warpfold::detail::convert<A>(transform(thread::indexed_item<T>{from.item(k), index}));
    else return warpfold::detail::convert<A>(transform(from.item(k)));
  }
  /// The chunk at item `first`, which is aligned to vectors if it has several items.
  __device__ void load(chunk& to, std::int64_t first) const {
    if constexpr (Items > 1) to.load(data + first);
    else to.load(data + first, 1);
  }
  /// The first `count` items of the chunk at item `first`, which may be misaligned. By vectors if `inside`.
  __device__ void load(chunk& to, std::int64_t first, int count, [[maybe_unused]] bool inside) const {
    if constexpr (chunk::vector_bytes == 16)
      if (inside) return to.load_window(data + first, least_of(count, Items));
    to.load(data + first, least_of(count, Items));
  }
  /// Item k of a chunk, from its own place.
  __device__ void load_item(chunk& to, int k, std::int64_t place) const { to.load_item(k, data + place); }
  /// Whether the vectors of 16 bytes that hold items of [first, end) lie within the array.
  __device__ bool is_inside(std::int64_t first, std::int64_t end) const {
    constexpr int margin = thread::vector_margin(sizeof(T));
    return first - readable.first >= margin && readable.last + 1 - end >= margin;
  }
  template <int Count> constexpr array_leaves<T, Transform, A, TakesIndex, Count> in_chunks() const {
    return {data, transform, readable};
  }
};

/// The items behind `data`, of which those in `readable` exist, seen through `transform` and through op.lift.
template <class A, class Op, class T, class Transform>
auto leaves_of(const Op& op, const T* data, const Transform& transform, const item_range& readable) {
  using source = thread::pointer_source<T>;
  constexpr bool takes_index = thread::lifts_source_indexed<Op, Transform, source>;
  if constexpr (thread::lifts_source<Op, Transform, source>)
    return array_leaves<T, thread::lifted<Op, Transform>, A, takes_index>{data, {op, transform}, readable};
  else return array_leaves<T, Transform, A, takes_index>{data, transform, readable};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction

namespace warpfold::thread::detail {
/// Arg-reductions of an array of numbers locate extrema: leaves need not be accumulators with indices.
template <class T, class Op, class Transform, class A, int Items>
struct located_items<axis_reduction::array_leaves<T, lifted<Op, Transform>, A, true, Items>> {
  using value =
      typename warpfold::detail::promoted<std::remove_cvref_t<std::invoke_result_t<Transform&, const T&>>>::type;
  struct plain_leaves {
    struct source_type {
      using item = T;
    };
    using chunk = thread::chunk<T, Items>;
    using accumulator = value;
    using transform_type = Transform;
  };
  static constexpr bool exist = std::is_arithmetic_v<value> && requires { typename Op::located; };
};
}  // namespace warpfold::thread::detail

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

namespace detail {
template <class Leaves> struct lane_accumulator_of { static constexpr bool exists = false; };
template <class T, class Op, class Transform, class A, int Items>
struct lane_accumulator_of<array_leaves<T, thread::lifted<Op, Transform>, A, false, Items>>
    : thread::lane_accumulator<Op, A> {};
}  // namespace detail
/// Whether lanes sum their items in a form of their own (thread/lane_accumulator.cuh).
template <class Leaves> inline constexpr bool sums_in_lanes = detail::lane_accumulator_of<Leaves>::exists;
/// Whether they have one for few items, too, which the operator lowers.
template <class Leaves> WARPFOLD_JIT consteval bool find_sums_few() {
  using of = detail::lane_accumulator_of<Leaves>;
  if constexpr (requires { typename of::few; }) {
    using operation = std::remove_cvref_t<decltype(std::declval<const Leaves&>().transform.op)>;
    return std::is_same_v<typename Leaves::item, float> && requires(const operation& op, const typename of::few& sum) {
      op.lower(sum);
    };
  } else return false;
}
template <class Leaves> inline constexpr bool sums_few = find_sums_few<Leaves>();
/// The sum of a lane, `Items` items at a time.
template <class Leaves, int Items> using lane_sum = typename detail::lane_accumulator_of<Leaves>::template sum<Items>;
/// Item k of a chunk as such a sum takes it; one that does not `exist` changes nothing.
template <class Leaves>
__device__ auto summed_item(const Leaves& leaves, const typename Leaves::chunk& from, int k, bool exists) {
  using of = detail::lane_accumulator_of<Leaves>;
  using number = typename of::number;
  return exists ? warpfold::detail::convert<number>(leaves.transform.transform(from.item(k))) : of::nothing;
}

namespace detail {
template <class Leaves> struct loaded_leaves { static constexpr bool exist = false; };
template <class T, class Transform, class A, int Items>
struct loaded_leaves<array_leaves<T, Transform, A, false, Items>> {
  static constexpr bool exist = true;
  template <int Loaded> using type = thread::leaves<thread::pointer_source<T, Loaded>, Transform, A>;
};
}  // namespace detail
/// The leaves of chunks of `Items` items that have been loaded, as the folds of threads and warps know them. Numbered
/// items have none.
template <class Leaves> inline constexpr bool is_as_loaded = detail::loaded_leaves<Leaves>::exist;
template <class Leaves, int Items> using as_loaded = typename detail::loaded_leaves<Leaves>::template type<Items>;
template <int Items, class Leaves> __device__ as_loaded<Leaves, Items> loaded_from(const Leaves& leaves) {
  return {{leaves.data, 0}, leaves.transform};
}

namespace detail {
template <class Leaves> inline constexpr bool folds_parts_by_runs = false;
template <class T, class Op, class Transform, class A, int Items>
inline constexpr bool folds_parts_by_runs<array_leaves<T, thread::lifted<Op, Transform>, A, false, Items>> =
    thread::is_fused<Op>&& thread::tells_wide_full_nodes<Op>();
template <class Leaves> inline constexpr bool folds_runs = false;
template <class T, class Op, class Transform, class A, int Items>
inline constexpr bool folds_runs<array_leaves<T, thread::lifted<Op, Transform>, A, false, Items>> =
    thread::tells_wide_full_nodes<Op>();
}  // namespace detail
/// Whether lanes fold runs of many items: the operator has full nodes.
template <class Leaves> inline constexpr bool folds_runs = detail::folds_runs<Leaves>;
/// The most adjacent items that a lane takes of a row: a vector, or a run of 64 bytes.
template <class Leaves> consteval int row_chunk_items() {
  constexpr int vector = thread::items_per_chunk(sizeof(typename Leaves::item));
  return folds_runs<Leaves> && vector > 1 ? 4 * vector : vector;
}

/// Bytes that a thread holds for each item while it folds a batch: arg-reductions keep no indices.
template <class Leaves> consteval std::size_t leaf_bytes() {
  if constexpr (thread::locates<Leaves>) return sizeof(thread::located_value<Leaves>);
  else return sizeof(typename Leaves::accumulator);
}
/// The same of a lane that folds batch after batch.
template <class Leaves> consteval std::size_t lane_leaf_bytes() {
  if constexpr (sums_in_lanes<Leaves>) return sizeof(typename detail::lane_accumulator_of<Leaves>::number);
  else return leaf_bytes<Leaves>();
}

/// The node over the first `count` of `Rows` items, item `first` of an output and those that follow it: item k is item
/// `column` of chunk k.
template <class Leaves, int Rows, class Op, class A = typename Leaves::accumulator>
__device__ A fold_rows(const Leaves& leaves, const typename Leaves::chunk (&chunks)[Rows], int column,
                       std::int64_t first, int count, Op op) {
  if constexpr (thread::locates<Leaves>) {
    thread::located_value<Leaves> values[Rows] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k)
      if (k < count) values[k] = thread::value_of(leaves, chunks[k], column);
    return leaves.transform.op.assemble(
        [&](auto part) {
          const auto found = thread::locate_among<decltype(part)>(values, count);
          return thread::located<decltype(found.value)>{found.value, first + found.position};
        },
        first);
  } else {
    A items[Rows] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k)
      if (k < count) items[k] = leaves.leaf(chunks[k], column, first + k);
    return thread::fold(items, op, count);
  }
}

namespace detail {
template <class Leaves> inline constexpr bool has_terms = false;
template <class T, class Op, class Transform, class A, int Items>
inline constexpr bool has_terms<array_leaves<T, thread::lifted<Op, Transform>, A, false, Items>> =
    thread::detail::makes_terms<Op, std::remove_cvref_t<std::invoke_result_t<Transform&, const T&>>, A>;

/// The node over the first `count` items, at most `Rows`, by the operator's own joins. Not inlined: it is rare where
/// items can be plain terms. (On an H200, logsumexp of columns takes up to 4 % less so; of 77 columns 2 % more.)
template <class A, class Transform, class T, int Rows, class Op>
WARPFOLD_NO_INLINE __device__ A fold_items_apart(Transform transform, thread::array<T, Rows> items, int count, Op op) {
  A values[Rows] = {};
  WARPFOLD_UNROLL
  for (int k = 0; k < Rows; ++k)
    if (k < count) values[k] = warpfold::detail::convert<A>(transform(items[k]));
  return thread::fold(values, op, count);
}
}  // namespace detail

/// fold_rows of a batch, which mostly is whole. Items are added as plain terms, if they can be.
template <class Leaves, int Rows, class Op, class A = typename Leaves::accumulator>
__device__ A fold_batch_rows(const Leaves& leaves, const typename Leaves::chunk (&chunks)[Rows], int column,
                             std::int64_t first, int count, Op op) {
  if constexpr (detail::has_terms<Leaves>) {
    const auto item = [&](int k) { return leaves.transform.transform(chunks[k].item(column)); };
    if (A value; count >= Rows && thread::fold_terms<decltype(leaves.transform.op), Rows>(item, value)) return value;
    thread::array<typename Leaves::item, Rows> items;
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k) items[k] = chunks[k].item(column);
    return detail::fold_items_apart<A>(leaves.transform, items, count, op);
  } else if (count >= Rows) return fold_rows(leaves, chunks, column, first, Rows, op);
  else return fold_rows(leaves, chunks, column, first, count, op);
}

/// `Lift` of items that are numbered within their rows, which begin `pitch` items apart.
template <class Lift> struct row_lift {
  Lift lift;
  std::int64_t pitch;
  bool is_narrow;
  thread::fast_divisor divisor;

  row_lift(const Lift& by, std::int64_t apart, std::int64_t items)
      : lift(by), pitch(apart), is_narrow(items <= std::int64_t{1} << 31), divisor(is_narrow ? apart : 1) {}

  template <class T> __device__ auto operator()(const thread::indexed_item<T>& of) const {
    const std::int64_t row = is_narrow ? divisor.quotient(static_cast<std::uint32_t>(of.index)) : of.index / pitch;
    return lift(thread::indexed_item<T>{of.item, of.index - row * pitch});
  }
};

/// The node over the first `count` items of a chunk, whose first one is number `index`; the whole chunk if `Whole`.
template <bool Whole, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_chunk(const Leaves& leaves, const typename Leaves::chunk& from, std::int64_t index, int count,
                        Op op) {
  if constexpr (sums_in_lanes<Leaves>) {
    lane_sum<Leaves, Leaves::chunk_items> sum;
    typename decltype(sum)::number items[Leaves::chunk_items];
    WARPFOLD_UNROLL
    for (int k = 0; k < Leaves::chunk_items; ++k) items[k] = summed_item(leaves, from, k, Whole || k < count);
    sum.add(items);
    return sum.total();
  }
  A items[Leaves::chunk_items] = {};
  WARPFOLD_UNROLL
  for (int k = 0; k < Leaves::chunk_items; ++k)
    if (Whole || k < count) items[k] = leaves.leaf(from, k, index + k);
  if constexpr (Whole) return thread::fold(items, op);
  else return thread::fold(items, op, count);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
