// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal adjacent keys to a key and a value each: reduce_by_key and transform_reduce_by_key.
//
//   keys    7 7 7 | 3 | 7 7        out_keys     7 3 7
//   values  1 2 3 | 4 | 5 6        out_values   6 4 11        out_count  3
//
// | function                | inputs                        | outputs                         | then                   |
// |-------------------------|-------------------------------|---------------------------------|------------------------|
// | reduce_by_key           | keys, values; or with a count | out_keys, out_values, out_count | [op[, equal]]          |
// | transform_reduce_by_key | keys, values; or with a count | out_keys, out_values, out_count | op, transform[, equal] |
//
// Each call may end with options: reduce_options, {.stream = s} say.
//
// - `keys` and `values`: each a contiguous range of device memory (device_range) or an iterator (item_iterator). If one
//   is a range, it tells the number of items; if both are, they have the same size; if none is, `count` tells it. An
//   iterator that stands for a pointer is read as a range is; any other is indexed by device code, item by item, with
//   64 bits.
// - `out_keys` and `out_values`: each a range, or a device pointer or an iterator that device code can index and assign
//   (device_outputs), thrust::discard_iterator say. A range's size is its capacity: runs past it are dropped, from both
//   outputs. A pointer or an iterator has no size: the caller guarantees room for as many runs as there are items, or,
//   if the other output is a range, for as many as that has.
// - `out_count`: a device pointer to an integer, an iterator, or a range, whose first item is written (device_output).
// - `op`: an associative operator (operators.hpp); the sum without it. `equal`: == without it.
//
// Both functions
// - fold each run strictly left to right with an operator that need only be associative. The association is the
//   canonical tree over all items, of which only the run's take part (canonical_tree::replay_part): it depends on where
//   the run begins and ends, and on nothing else; the bits are the same on every run, grid and GPU, and in the
//   emulator. (A run that begins at a multiple of the power of two that holds it has the bits of reduce over it alone.)
// - enqueue one kernel on options.stream, never wait, and can be captured. The number of runs is known when it is done;
// - read each key and value once, by vectors from any alignment. There is one exception: misaligned items of which a
//   thread takes fewer than 16 bytes (one byte beside eight) are read one by one. It is fastest if keys and values
//   begin at multiples of 16 bytes: they are then copied to shared memory while earlier ones are folded;
// - need scratch that does not depend on the number of items or runs;
// - do the same work for an item whatever the runs' lengths;
// - begin a run where equal(key before, key) is false; its key is that of its first item. Only neighbours are compared.
//   With == each NaN is a run of its own;
// - join options.init to each run on its left, once. There are no empty runs;
// - accumulate in accumulator_t<Op, T>, T being the value type, or what the transform returns;
// - write to *out_count the number of runs, also of those that were dropped for want of capacity;
// - need the outputs apart from the inputs, from one another and from options.init;
// - throw std::invalid_argument, before anything is enqueued, for sizes that differ, a negative count, null pointers,
//   outputs within inputs or each other, init within an output, an out_count that cannot hold the number of items, a
//   workspace that is too small or misaligned and, in builds with WARPFOLD_CHECKS, host memory where device memory is
//   meant; cuda_error for what CUDA reports.
//
// Algorithm: by_key/kernel.cuh. Tiles wait for the counts of earlier ones, which have begun before them: the grid needs
// no cooperative launch.
#pragma once
#include <warpfold/by_key/argument_checks.cuh>
#include <warpfold/by_key/dispatch.cuh>
#include <warpfold/host/leaves.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

/// The default equality of keys: ==.
struct equal_to {
  template <class T>
    requires requires(const T& a, const T& b) { bool(a == b); }
  __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a == b; }
};

/// Keys or values: a range or an iterator.
template <class In>
concept by_key_input = device_range<const In> || item_iterator<In>;

/// Keys and values that tell the number of items.
template <class Keys, class Values>
concept sized_by_key_inputs = by_key_input<Keys> && by_key_input<Values> &&
    (device_range<const Keys> || device_range<const Values>);

/// Anything that may say whether two keys are equal.
template <class E>
concept equality_argument = !is_options<E>;

/// Where the number of runs goes: a device pointer to an integer, an iterator, or the first item of a range.
template <class O>
concept count_output =
    device_output<O, std::int64_t> && std::integral<by_key::run_count_t<std::remove_cvref_t<output_iterator_t<O>>>> &&
    !std::same_as<by_key::run_count_t<std::remove_cvref_t<output_iterator_t<O>>>, bool>;

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Keys, class Values, class OutKeys, class OutValues, class OutCount, class Op, class Transform,
          class Equal, class A>
void reduce_runs(const char* function, const Keys& keys, const Values& values, std::int64_t count, OutKeys& out_keys,
                 OutValues& out_values, OutCount& out_count, Op op, Transform transform, Equal equal,
                 const reduce_options<A>& options) {
  using key = by_key::item_of_t<Keys>;
  using value = by_key::item_of_t<Values>;
  if constexpr (by_key::check_types<Op, Transform, Equal, A, key, value, OutKeys&, OutValues&>()) {
    const auto from_keys = by_key::to_kernel_input(keys);
    const auto from_values = by_key::to_kernel_input(values);
    host::check_count(function, count);
    if (count > 0) {
      host::check_pointer(function, "keys", from_keys);
      host::check_pointer(function, "values", from_values);
    }
    const auto to_keys = to_output(out_keys);
    const auto to_values = to_output(out_values);
    const auto to_count = to_output(out_count);
    const std::int64_t room = by_key::common_capacity(function, to_keys, to_values, count);
    if (room > 0) {
      host::check_pointer(function, "out_keys", to_keys.first);
      host::check_pointer(function, "out_values", to_values.first);
    }
    if (to_count.size == 0) reject(function, "out_count has no items");
    host::check_pointer(function, "out_count", to_count.first);
    by_key::check_apart(function, from_keys, from_values, count, to_keys.first, to_values.first, room, to_count.first,
                        options.init);

    using chunks = by_key::by_key_chunks<key, value, A>;
    by_key::enqueue(function, chunks::source(from_keys, count),
                    make_leaves<A>(chunks::source(from_values, count), transform), op, equal, to_keys.first,
                    to_values.first, room, to_count.first, options);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

// No default argument for Op and Equal below: `{...}` would otherwise bind to them.

/// Reduces the runs of equal keys: out_values[r] = init op the values of run r, and out_keys[r] is its first key.
/// `keys` or `values` or both are ranges.
template <class Keys, class Values, class OutKeys, class OutValues, count_output OutCount, operator_argument Op,
          equality_argument Equal, class A = accumulator_t<Op, by_key::item_of_t<Values>>>
  requires sized_by_key_inputs<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, Op op, Equal equal,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", keys, values, by_key::common_size("reduce_by_key", keys, values), out_keys,
                      out_values, out_count, op, thread::no_transform{}, equal, options);
}

/// The same with ==.
template <class Keys, class Values, class OutKeys, class OutValues, count_output OutCount, operator_argument Op,
          class A = accumulator_t<Op, by_key::item_of_t<Values>>>
  requires sized_by_key_inputs<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run: the same with plus and ==.
template <class Keys, class Values, class OutKeys, class OutValues, count_output OutCount,
          class A = accumulator_t<plus, by_key::item_of_t<Values>>>
  requires sized_by_key_inputs<Keys, Values>
void reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// Reduces the runs of equal keys among `count` items, keys from `keys` and values from `values` on, as above.
template <item_iterator KeyIt, item_iterator ValueIt, class OutKeys, class OutValues, count_output OutCount,
          operator_argument Op, equality_argument Equal, class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, Op op, Equal equal,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", keys, values, count, out_keys, out_values, out_count, op, thread::no_transform{},
                      equal, options);
}

/// The same with ==.
template <item_iterator KeyIt, item_iterator ValueIt, class OutKeys, class OutValues, count_output OutCount,
          operator_argument Op, class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run: the same with plus and ==.
template <item_iterator KeyIt, item_iterator ValueIt, class OutKeys, class OutValues, count_output OutCount,
          class A = accumulator_t<plus, iterator_item_t<ValueIt>>>
void reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, OutKeys&& out_keys, OutValues&& out_values,
                   OutCount&& out_count, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, count, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// Reduces the runs of equal keys: out_values[r] = init op transform(value) op ... over the values of run r, and
/// out_keys[r] is its first key. The accumulator follows what `transform` returns. `keys` or `values` or both are
/// ranges.
template <class Keys, class Values, class OutKeys, class OutValues, count_output OutCount, operator_argument Op,
          class Transform, equality_argument Equal,
          class A = detail::transformed_accumulator_t<Op, Transform, by_key::item_of_t<Values>>>
  requires sized_by_key_inputs<Keys, Values>
void transform_reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                             OutCount&& out_count, Op op, Transform transform, Equal equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("transform_reduce_by_key", keys, values,
                      by_key::common_size("transform_reduce_by_key", keys, values), out_keys, out_values, out_count, op,
                      transform, equal, options);
}

/// The same with ==.
template <class Keys, class Values, class OutKeys, class OutValues, count_output OutCount, operator_argument Op,
          class Transform, class A = detail::transformed_accumulator_t<Op, Transform, by_key::item_of_t<Values>>>
  requires sized_by_key_inputs<Keys, Values>
void transform_reduce_by_key(const Keys& keys, const Values& values, OutKeys&& out_keys, OutValues&& out_values,
                             OutCount&& out_count, Op op, Transform transform,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  transform_reduce_by_key(keys, values, out_keys, out_values, out_count, op, transform, equal_to{}, options);
}

/// The same among `count` items, keys from `keys` and values from `values` on.
template <item_iterator KeyIt, item_iterator ValueIt, class OutKeys, class OutValues, count_output OutCount,
          operator_argument Op, class Transform, equality_argument Equal,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, OutKeys&& out_keys, OutValues&& out_values,
                             OutCount&& out_count, Op op, Transform transform, Equal equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("transform_reduce_by_key", keys, values, count, out_keys, out_values, out_count, op, transform,
                      equal, options);
}

/// The same with ==.
template <item_iterator KeyIt, item_iterator ValueIt, class OutKeys, class OutValues, count_output OutCount,
          operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, OutKeys&& out_keys, OutValues&& out_values,
                             OutCount&& out_count, Op op, Transform transform,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  transform_reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, transform, equal_to{}, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
