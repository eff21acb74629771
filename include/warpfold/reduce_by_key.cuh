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
// | reduce_by_key_value     | keys, values[, count] | out_keys, out_values          | [op[, equal]]          |
//
// Each call may end with options: reduce_options, as {.stream = s}, say. reduce_by_key_value waits for the stream and
// returns the number of runs, also where it is more than there is room for; it cannot be captured.
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
//   that are not apart, an out_count that cannot hold the number of items, a workspace that is too small or
//   misaligned and host memory where device memory is meant; cuda_error for what CUDA reports.
//
// A tile waits for the counts of earlier tiles, whose blocks run already. So the grid need not be cooperative.
#pragma once
#include <warpfold/by_key/reduce_runs.cuh>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/workspace.cuh>

namespace warpfold {

inline namespace WARPFOLD_HIDDEN_V1 {

/// Reduces the runs of equal keys; the head of this file says what the arguments are.
template <class Keys, class Values, operator_argument Op, class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                   equality_argument auto equal, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
                      detail::common_size("reduce_by_key", keys, values), to_output(out_keys), to_output(out_values),
                      to_output(out_count), op, thread::no_transform{}, equal, options);
}

/// As above with ==.
template <class Keys, class Values, operator_argument Op, class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run, with ==.
template <class Keys, class Values, class A = accumulator_t<plus, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// The same over `count` items of two iterators.
template <item_iterator KeyIt, item_iterator ValueIt, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                   equality_argument auto equal, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", to_kernel_iterator(keys), to_kernel_iterator(values), count, to_output(out_keys),
                      to_output(out_values), to_output(out_count), op, thread::no_transform{}, equal, options);
}

/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run, with ==.
template <item_iterator KeyIt, item_iterator ValueIt, class A = accumulator_t<plus, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, count, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// For each run init op transform(value) op …; else as reduce_by_key. The accumulator follows what `transform`
/// returns.
template <class Keys, class Values, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void transform_reduce_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                             output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                             Transform transform, equality_argument auto equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  constexpr const char* function = "transform_reduce_by_key";
  detail::reduce_runs(function, detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
                      detail::common_size(function, keys, values), to_output(out_keys), to_output(out_values),
                      to_output(out_count), op, transform, equal, options);
}

/// As above with ==.
template <class Keys, class Values, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, items_argument_t<Values>>>
  requires counted_items<Keys, Values>
void transform_reduce_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                             output_argument auto&& out_values, output_argument auto&& out_count, Op op,
                             Transform transform, const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::transform_reduce_by_key(keys, values, out_keys, out_values, out_count, op, transform, equal_to{}, options);
}

/// The same over `count` items of two iterators.
template <item_iterator KeyIt, item_iterator ValueIt, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count,
                             output_argument auto&& out_keys, output_argument auto&& out_values,
                             output_argument auto&& out_count, Op op, Transform transform, equality_argument auto equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("transform_reduce_by_key", to_kernel_iterator(keys), to_kernel_iterator(values), count,
                      to_output(out_keys), to_output(out_values), to_output(out_count), op, transform, equal, options);
}

/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count,
                             output_argument auto&& out_keys, output_argument auto&& out_values,
                             output_argument auto&& out_count, Op op, Transform transform,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::transform_reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, transform, equal_to{},
                                    options);
}

// ---- waiting for the number of runs ----

/// reduce_by_key, waiting for the stream and returning the number of runs. Cannot be captured.
template <class Keys, class Values, operator_argument Op, class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values> std::int64_t reduce_by_key_value(
      const Keys& keys, const Values& values, output_argument auto&& out_keys, output_argument auto&& out_values, Op op,
      equality_argument auto equal, const std::type_identity_t<reduce_options<A>>& options = {}) {
    return detail::count_runs(detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
                              detail::common_size(detail::counting, keys, values), to_output(out_keys),
                              to_output(out_values), op, equal, options);
  }
/// As above with ==.
template <class Keys, class Values, operator_argument Op, class A = accumulator_t<Op, items_argument_t<Values>>>
  requires counted_items<Keys, Values> std::int64_t reduce_by_key_value(
      const Keys& keys, const Values& values, output_argument auto&& out_keys, output_argument auto&& out_values, Op op,
      const std::type_identity_t<reduce_options<A>>& options = {}) {
    return warpfold::reduce_by_key_value(keys, values, out_keys, out_values, op, equal_to{}, options);
  }
/// The sum of each run, with ==.
template <class Keys, class Values, class A = accumulator_t<plus, items_argument_t<Values>>>
  requires counted_items<Keys, Values> std::int64_t reduce_by_key_value(
      const Keys& keys, const Values& values, output_argument auto&& out_keys, output_argument auto&& out_values,
      const std::type_identity_t<reduce_options<A>>& options = {}) {
    return warpfold::reduce_by_key_value(keys, values, out_keys, out_values, plus{}, equal_to{}, options);
  }
/// The same over `count` items of two iterators.
template <item_iterator KeyIt, item_iterator ValueIt, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
std::int64_t reduce_by_key_value(const KeyIt& keys, const ValueIt& values, std::int64_t count,
                                 output_argument auto&& out_keys, output_argument auto&& out_values, Op op,
                                 equality_argument auto equal,
                                 const std::type_identity_t<reduce_options<A>>& options = {}) {
  return detail::count_runs(to_kernel_iterator(keys), to_kernel_iterator(values), count, to_output(out_keys),
                            to_output(out_values), op, equal, options);
}
/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
std::int64_t reduce_by_key_value(const KeyIt& keys, const ValueIt& values, std::int64_t count,
                                 output_argument auto&& out_keys, output_argument auto&& out_values, Op op,
                                 const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::reduce_by_key_value(keys, values, count, out_keys, out_values, op, equal_to{}, options);
}
/// The sum of each run, with ==.
template <item_iterator KeyIt, item_iterator ValueIt, class A = accumulator_t<plus, iterator_item_t<ValueIt>>>
std::int64_t reduce_by_key_value(const KeyIt& keys, const ValueIt& values, std::int64_t count,
                                 output_argument auto&& out_keys, output_argument auto&& out_values,
                                 const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::reduce_by_key_value(keys, values, count, out_keys, out_values, plus{}, equal_to{}, options);
}

// ---- what is refused (host/refused_calls.hpp) ----

template <item_iterator Keys, item_iterator Values, item_iterator Third, class... More>
void reduce_by_key(const Keys&, const Values&, const Third&, const More&...) {
  detail::refuse_keys_without_count<Keys>();
}
template <item_iterator Keys, item_iterator Values, item_iterator Third, class... More>
detail::any_value reduce_by_key_value(const Keys&, const Values&, const Third&, const More&...) {
  return detail::refuse_keys_without_count<Keys>();
}
template <item_iterator Keys, item_iterator Values, item_iterator Third, class... More>
void transform_reduce_by_key(const Keys&, const Values&, const Third&, const More&...) {
  detail::refuse_keys_without_count<Keys>();
}

template <class Call = void>
void reduce_by_key(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <class Call = void>
detail::any_value reduce_by_key_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                                      detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                                      detail::any_argument = {}, detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}
template <class Call = void>
void transform_reduce_by_key(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                             detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                             detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
