// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of an input, reduced to the list of its nodes (canonical_nodes.hpp). Lists of neighbouring parts join to the
// bits of `reduce` over all of them, however the input was split.
//
//   using nodes = wf::part_nodes<float, wf::plus>;                     // trivially copyable
//   nodes* out = …;                                                    // in device memory
//   wf::reduce_part(in, wf::part{.first = b}, out, wf::plus{});        // in[0] is item b of the whole input
//   …                                                                  // copy the lists to one place
//   left.append(right, wf::plus{});                                    // in any order of neighbours
//   float sum = left.value(wf::plus{});
//
// | function              | inputs, any of                                      | then                               |
// |-----------------------|-----------------------------------------------------|------------------------------------|
// | reduce_part           | in; first, count                                    | part, out, op [options]            |
// | transform_reduce_part | in; first, count; left, right; left, right, count   | part, out, op, transform [options] |
//
// Inputs, operators and transforms are those of reduce.cuh. So are order, errors and cost: one kernel on options.stream
// without waiting; each item is read once, whatever the part's first number. Writing the list takes a few microseconds.
// - `out` is device memory for one list; it is written when the stream gets there. Its size, about 124 accumulators,
//   does not depend on the part, and few of them are used: copy all of it.
// - Indices (argmax, top_k) count from item 0 of the input. The list of a part without items is empty.
// - An init is not the part's: canonical_nodes::value takes it.
// - Operators with kernels of their own (exact_plus of floating-point numbers; top_k and bottom_k of up to 32 bits)
//   write a list whose first node is the whole, and whose others are the identity.
// - They throw std::invalid_argument also for a part that begins before item 0 or ends beyond item 2^62, and for a null
//   `out`.
#pragma once
#include <warpfold/host/checked_source.cuh>
#include <warpfold/item_count.hpp>
#include <warpfold/reduce/part_dispatch.cuh>

namespace warpfold {

/// Which part of an input is meant.
struct part {
  std::int64_t first = 0;  ///< the number of the part's first item in the whole input
};

/// The list for items of type `T`.
template <class T, class Op> using part_nodes = canonical_nodes<accumulator_t<Op, T>, Op>;

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Source, class Op, class Transform, class A>
void reduce_part_of(const char* function, const Source& source, const part& of, canonical_nodes<A, Op>* out, Op op,
                    Transform transform, const call_options& options) {
  constexpr std::int64_t most = canonical_nodes<A, Op>::most_items;
  if (of.first < 0) reject(function, {"part.first is ", of.first, "; items are numbered from 0 on"});
  if (of.first > most - source.items)
    reject(function, {"part.first is ", of.first, " and count is ", source.items, "; items are numbered below ", most});
  host_side::check_pointer(function, "out", out);
  reduction::enqueue_part(function, make_leaves<A>(op, source, transform), of.first, out, op, options);
}

template <class It, class Op, class Transform, class A>
void reduce_part_items(const char* function, const char* argument, const It& first, std::int64_t count, const part& of,
                       canonical_nodes<A, Op>* out, Op op, Transform transform, const call_options& options) {
  if constexpr (check_types<Op, Transform, A, lowered_t<Op, A>*, iterator_item_t<It>>()) {
    reduce_part_of(function, checked_source(function, argument, first, count), of, out, op, transform, options);
  }
}

template <class Left, class Right, class Op, class Transform, class A>
void reduce_part_pairs(const char* function, const Left& left, const Right& right, std::int64_t count, const part& of,
                       canonical_nodes<A, Op>* out, Op op, Transform transform, const call_options& options) {
  if constexpr (check_types<Op, Transform, A, lowered_t<Op, A>*, iterator_item_t<Left>, iterator_item_t<Right>>()) {
    reduce_part_of(function, checked_pairs(function, left, right, count), of, out, op, transform, options);
  }
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = the nodes of in[0] … in[in.size() - 1], which are the items of.first … of the whole input.
template <device_range In, operator_argument Op, class A = accumulator_t<Op, item_t<const In>>>
void reduce_part(const In& in, part of, std::type_identity_t<canonical_nodes<A, Op>>* out, Op op,
                 const call_options& options = {}) {
  detail::reduce_part_items("reduce_part", "in", in.data(), static_cast<std::int64_t>(in.size()), of, out, op,
                            thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, operator_argument Op, class A = accumulator_t<Op, iterator_item_t<It>>>
void reduce_part(It first, const count_argument<It>& count, part of, std::type_identity_t<canonical_nodes<A, Op>>* out,
                 Op op, const call_options& options = {}) {
  detail::reduce_part_items("reduce_part", "first", first, count.from(first), of, out, op, thread::no_transform{},
                            options);
}

/// The nodes of transform(in[0]) …; the accumulator follows what `transform` returns.
template <device_range In, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const In>>>
void transform_reduce_part(const In& in, part of, std::type_identity_t<canonical_nodes<A, Op>>* out, Op op,
                           Transform transform, const call_options& options = {}) {
  detail::reduce_part_items("transform_reduce_part", "in", in.data(), static_cast<std::int64_t>(in.size()), of, out, op,
                            transform, options);
}
/// The same of `count` items from `first` on.
template <item_iterator It, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
void transform_reduce_part(It first, const count_argument<It>& count, part of,
                           std::type_identity_t<canonical_nodes<A, Op>>* out, Op op, Transform transform,
                           const call_options& options = {}) {
  detail::reduce_part_items("transform_reduce_part", "first", first, count.from(first), of, out, op, transform,
                            options);
}
/// The nodes of transform(left[0], right[0]) ….
template <device_range Left, device_range Right, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Left>, item_t<const Right>>>
void transform_reduce_part(const Left& left, const Right& right, part of,
                           std::type_identity_t<canonical_nodes<A, Op>>* out, Op op, Transform transform,
                           const call_options& options = {}) {
  const auto count = static_cast<std::int64_t>(left.size());
  host_side::check_equal_counts("transform_reduce_part", count, static_cast<std::int64_t>(right.size()));
  detail::reduce_part_pairs("transform_reduce_part", left.data(), right.data(), count, of, out, op, transform, options);
}
/// The same of `count` pairs.
template <item_iterator Left, item_iterator Right, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<Left>, iterator_item_t<Right>>>
void transform_reduce_part(Left left, Right right, std::int64_t count, part of,
                           std::type_identity_t<canonical_nodes<A, Op>>* out, Op op, Transform transform,
                           const call_options& options = {}) {
  detail::reduce_part_pairs("transform_reduce_part", left, right, count, of, out, op, transform, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
