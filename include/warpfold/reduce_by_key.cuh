// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal adjacent keys to a key and a value each: reduce_by_key and transform_reduce_by_key.
//
//   keys    7 7 7 | 3 | 7 7        out_keys     7 3 7
//   values  1 2 3 | 4 | 5 6        out_values   6 4 11        out_count  3
//
// | function                | inputs              | outputs                         | then                   |
// |-------------------------|---------------------|---------------------------------|------------------------|
// | reduce_by_key           | keys, values        | out_keys, out_values, out_count | [op[, equal]]          |
// |                         | keys, values, count | out_keys, out_values, out_count | [op[, equal]]          |
// | transform_reduce_by_key | keys, values        | out_keys, out_values, out_count | op, transform[, equal] |
// |                         | keys, values, count | out_keys, out_values, out_count | op, transform[, equal] |
//
// Each call may end with options: reduce_options, as {.stream = s}, say.
// - `keys`, `values`: without `count`, two ranges of the same size (device_range), or a range, whose size is the number
//   of items, and an iterator (item_iterator). With `count`, two iterators. An iterator that stands for a pointer is
//   read as a range is; any other is indexed by device code, item by item.
// - `out_keys`, `out_values`: a range, which has room for as many runs as its size; or a pointer or an iterator
//   (device_outputs), which the caller guarantees to have room for as many runs as the range beside it, or, if both are
//   without size, as there are items.
// - `out_count`: a pointer to an integer in device memory, or a range, whose first item is written.
// - `op`: an associative operator (operators.hpp); the sum without it.
// - `equal`: == without it, so that each NaN is a run of its own.
//
// Both functions
// - fold each run strictly left to right with an operator that need only be associative. The association is the
//   canonical tree over all items, restricted to the run's own (canonical_tree::replay_part): it depends on where the
//   run begins and ends, and on nothing else. The bits are the same on every run of the program, grid and GPU, and in
//   the emulator. (A run that begins at a multiple of the power of two that holds it has the bits of reduce over it
//   alone.)
// - enqueue one kernel on options.stream, never wait, and can be captured. The number of runs is known when it has
//   ended;
// - read each key and value once: by vectors from any alignment, but for keys or values of which a thread takes less
//   than 16 bytes (one byte beside eight), which are read one by one where they are misaligned. They are fastest where
//   keys and values begin at multiples of 16 bytes, since they are then copied to shared memory while earlier ones are
//   folded;
// - need scratch that does not depend on the number of items or runs;
// - do the same work for an item whatever the lengths of runs, and write each output once;
// - begin a run where equal(key before, key) is false. The run's key is the key of its first item. Equality is asked of
//   neighbours only;
// - join options.init to each run on its left, once. There are no empty runs;
// - accumulate in accumulator_t<Op, T>, T being the value type, or what the transform returns. A sum or product into
//   wider out_values does not compile: accumulate_in says which type is meant;
// - write *out_count, the number of runs, and as many of out_keys and out_values as there is room for. If *out_count is
//   more than the room, the rest is dropped, and everything else is right;
// - need the outputs apart from the inputs, from each other and from *options.init;
// - throw std::invalid_argument, before anything is enqueued, for ranges that differ in size, null pointers, outputs
//   that are not apart, an out_count that cannot hold the number of items, a workspace that is too small or misaligned
//   and, in builds with WARPFOLD_CHECKS, host memory where device memory is meant; cuda_error for what CUDA reports.
//
// A tile waits for the counts of earlier tiles, whose blocks run already. So the grid need not be cooperative.
#pragma once
#include <warpfold/by_key/dispatch.cuh>
#include <warpfold/by_key/type_checks.hpp>
#include <warpfold/equal_to.hpp>
#include <warpfold/host/keyed_items.hpp>
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Does what all overloads do. `count` is the number of items, and each output is as to_output says.
template <class Op, class Transform, class Equal, class A>
void reduce_runs(const char* function, const auto& keys, const auto& values, std::int64_t count, const auto& out_keys,
                 const auto& out_values, const auto& out_count, Op op, Transform transform, Equal equal,
                 const reduce_options<A>& options) {
  using key = iterator_item_t<std::remove_cvref_t<decltype(keys)>>;
  using value = iterator_item_t<std::remove_cvref_t<decltype(values)>>;
  if constexpr (!by_key::check_types<key, value, Op, Transform, Equal, A>()) {
  } else if constexpr (by_key::check_outputs<key, Op, A, decltype(out_keys.first), decltype(out_values.first),
                                             decltype(out_count.first)>()) {
    host_side::check_count(function, count);
    if (count > 0) {
      host_side::check_pointer(function, "keys", keys);
      host_side::check_pointer(function, "values", values);
    }
    if (out_keys.size >= 0 && out_values.size >= 0 && out_keys.size != out_values.size)
      reject(function, "out_keys has room for " + std::to_string(out_keys.size) + " runs, out_values for " +
                           std::to_string(out_values.size));
    host_side::check_equal_sizes(function, "out_values", out_values);
    if (out_count.size == 0) reject(function, "out_count has no items");
    const std::int64_t sized = out_keys.size >= 0 ? out_keys.size : out_values.size, room = sized >= 0 ? sized : count;
    if (room > 0) {
      host_side::check_pointer(function, "out_keys", out_keys.first);
      host_side::check_output_pointers(function, "out_values", out_values);
    }
    host_side::check_pointer(function, "out_count", out_count.first);
    const auto check_apart_from = [&](const char* argument, const auto& first, std::int64_t items) {
      host_side::check_apart(function, argument, first, items, "out_keys", out_keys.first, room);
      host_side::check_outputs_apart_from(function, argument, first, items, "out_values", out_values, room);
      host_side::check_apart(function, argument, first, items, "out_count", out_count.first, 1);
    };
    check_apart_from("keys", keys, count);
    check_apart_from("values", values, count);
    host_side::check_outputs_apart(function, "out_values", out_values, room);
    host_side::check_outputs_apart_from(function, "out_keys", out_keys.first, room, "out_values", out_values, room);
    host_side::check_apart(function, "out_keys", out_keys.first, room, "out_count", out_count.first, 1);
    host_side::for_each_output("out_values", out_values, [&](const char* name, const auto& first, std::int64_t) {
      host_side::check_apart(function, name, first, room, "out_count", out_count.first, 1);
    });
    host_side::check_initial_apart(function, "init", options.init, "out_keys", out_keys.first, room);
    host_side::check_outputs_apart_from(function, "init", options.init, "out_values", out_values, room);
    host_side::check_initial_apart(function, "init", options.init, "out_count", out_count.first, 1);

    constexpr int most = by_key::thread_items_of<key, value, A>;
    const auto lowered = lower_into<A>(op, out_values.first);
    using outputs =
        by_key::run_outputs<decltype(out_keys.first), std::remove_cv_t<decltype(lowered)>, decltype(out_count.first)>;
    by_key::enqueue(function, by_key::in_thread_chunks<most>(make_source(keys, count)),
                    make_leaves<A>(op, by_key::in_thread_chunks<most>(make_source(values, count)), transform), op,
                    equal, outputs{out_keys.first, lowered, out_count.first, room}, options);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// Reduces the runs of equal keys; the head of this file says what the arguments are.
template <class Keys, class Values, output_argument OutKeys, output_argument OutValues, output_argument OutCount,
          operator_argument Op, equality_argument Equal, class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, Op op, Equal equal,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
                      detail::common_size("reduce_by_key", keys, values), to_output(out_keys), to_output(out_values),
                      to_output(out_count), op, thread::no_transform{}, equal, options);
}

/// As above with ==.
template <class Keys, class Values, output_argument OutKeys, output_argument OutValues, output_argument OutCount,
          operator_argument Op, class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run, with ==.
template <class Keys, class Values, output_argument OutKeys, output_argument OutValues, output_argument OutCount,
          class A = accumulator_t<plus, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// The same over `count` items of two iterators.
template <item_iterator KeyIt, item_iterator ValueIt, output_argument OutKeys, output_argument OutValues,
          output_argument OutCount, operator_argument Op, equality_argument Equal,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, OutKeys&& out_keys,
                   OutValues&& out_values, OutCount&& out_count, Op op, Equal equal,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", to_kernel_iterator(keys), to_kernel_iterator(values), count, to_output(out_keys),
                      to_output(out_values), to_output(out_count), op, thread::no_transform{}, equal, options);
}

/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, output_argument OutKeys, output_argument OutValues,
          output_argument OutCount, operator_argument Op, class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, OutKeys&& out_keys,
                   OutValues&& out_values, OutCount&& out_count, Op op,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run, with ==.
template <item_iterator KeyIt, item_iterator ValueIt, output_argument OutKeys, output_argument OutValues,
          output_argument OutCount, class A = accumulator_t<plus, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, OutKeys&& out_keys,
                   OutValues&& out_values, OutCount&& out_count,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, count, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// For each run init op transform(value) op …; else as reduce_by_key. The accumulator follows what `transform`
/// returns.
template <class Keys, class Values, output_argument OutKeys, output_argument OutValues, output_argument OutCount,
          operator_argument Op, class Transform, equality_argument Equal,
          class A = detail::transformed_accumulator_t<Op, Transform, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void transform_reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                             OutCount&& out_count, Op op, Transform transform, Equal equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  constexpr const char* function = "transform_reduce_by_key";
  detail::reduce_runs(function, detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
                      detail::common_size(function, keys, values), to_output(out_keys), to_output(out_values),
                      to_output(out_count), op, transform, equal, options);
}

/// As above with ==.
template <class Keys, class Values, output_argument OutKeys, output_argument OutValues, output_argument OutCount,
          operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void transform_reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                             OutCount&& out_count, Op op, Transform transform,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::transform_reduce_by_key(keys, values, out_keys, out_values, out_count, op, transform, equal_to{}, options);
}

/// The same over `count` items of two iterators.
template <item_iterator KeyIt, item_iterator ValueIt, output_argument OutKeys, output_argument OutValues,
          output_argument OutCount, operator_argument Op, class Transform, equality_argument Equal,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, OutKeys&& out_keys,
                             OutValues&& out_values, OutCount&& out_count, Op op, Transform transform, Equal equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("transform_reduce_by_key", to_kernel_iterator(keys), to_kernel_iterator(values), count,
                      to_output(out_keys), to_output(out_values), to_output(out_count), op, transform, equal, options);
}

/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, output_argument OutKeys, output_argument OutValues,
          output_argument OutCount, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, OutKeys&& out_keys,
                             OutValues&& out_values, OutCount&& out_count, Op op, Transform transform,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::transform_reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, transform, equal_to{},
                                    options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
