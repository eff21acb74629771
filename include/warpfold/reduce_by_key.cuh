// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal adjacent keys to a key and a value each: reduce_by_key and transform_reduce_by_key.
//
//   keys    7 7 7 | 3 | 7 7        out_keys     7 3 7
//   values  1 2 3 | 4 | 5 6        out_values   6 4 11        out_count  3
//
// Both functions
// - fold each run strictly left to right with an operator that need only be associative. The association is the
//   canonical tree over all items, of which only the run's take part (canonical_tree::replay_part): it depends on where
//   the run begins and ends, and on nothing else; the bits are the same on every run, grid and GPU, and in the
//   emulator. (A run that begins at a multiple of the power of two that holds it has the bits of reduce over it alone.)
// - enqueue one kernel on options.stream, never wait, and can be captured. The number of runs is known when it is done;
// - read each key and value once: by vectors from any alignment, but for keys or values of which a thread takes less
//   than 16 bytes (one byte beside eight), which are read one by one where they are misaligned; fastest where keys and
//   values begin at multiples of 16 bytes, since they are then copied to shared memory while earlier ones are folded;
// - need scratch that does not depend on the number of items or runs;
// - do the same work for an item whatever the runs' lengths, and write what there are runs;
// - begin a run where equal(key before, key) is false; its key is that of its first item. Equality is asked of
//   neighbours only. The default is ==, so that each NaN is a run of its own;
// - join options.init to each run on its left, once. There are no empty runs;
// - accumulate in accumulator_t<Op, T>, T being the value type, or what the transform returns;
// - write *out_count, the number of runs, and as many of out_keys and out_values as there is room for: if *out_count is
//   more than out_keys.size(), the rest has been dropped, and everything else is right. in.size() entries always
//   suffice;
// - need the outputs apart from the inputs;
// - throw std::invalid_argument, before anything is enqueued, for keys and values, or out_keys and out_values, that
//   differ in size, null pointers, outputs within inputs or each other, an out_count that cannot hold the number of
//   items, a workspace that is too small or misaligned and, in builds with WARPFOLD_CHECKS, host memory where device
//   memory is meant; cuda_error for what CUDA reports.
//
// Tiles wait for the counts of earlier ones, which have begun before them; so the grid needs no launch of its own kind.
#pragma once
#include <warpfold/by_key/dispatch.cuh>
#include <warpfold/host/leaves.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

/// The default equality of keys: ==.
struct equal_to {
  template <class T> __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a == b; }
};

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Throws if the `count` entries from `first` on and `out` share memory: blocks write while others still read.
template <class It, class Out>
void check_by_key_apart(const char* function, const char* argument, const It& first, std::int64_t count,
                        const char* out_argument, const Out* out, std::size_t out_count) {
  if constexpr (std::contiguous_iterator<It>) {
    const auto in = reinterpret_cast<std::uintptr_t>(to_pointer(first)), to = reinterpret_cast<std::uintptr_t>(out);
    if (count > 0 && out_count > 0 && to < in + static_cast<std::uintptr_t>(count) * sizeof(std::iter_value_t<It>) &&
        in < to + out_count * sizeof(Out))
      reject(function, std::string(out_argument) + " lies within " + argument);
  }
}

template <class KeyIt, class ValueIt, class OutKeys, class OutValues, class OutCount, class Op, class Transform,
          class Equal, class A>
void reduce_runs(const char* function, KeyIt keys, ValueIt values, std::int64_t count, const OutKeys& out_keys,
                 const OutValues& out_values, OutCount out_count, Op op, Transform transform, Equal equal,
                 const reduce_options<A>& options) {
  host::check_count(function, count);
  if (count > 0) {
    host::check_pointer(function, "keys", keys);
    host::check_pointer(function, "values", values);
  }
  if (out_keys.size() != out_values.size())
    reject(function, "out_keys has room for " + std::to_string(out_keys.size()) + " runs, out_values for " +
                         std::to_string(out_values.size()));
  if (out_keys.size() > 0) {
    host::check_pointer(function, "out_keys", out_keys.data());
    host::check_pointer(function, "out_values", out_values.data());
  }
  host::check_pointer(function, "out_count", out_count);
  using key = std::iter_value_t<KeyIt>;
  static_assert(std::is_trivially_copyable_v<key> && std::is_default_constructible_v<key>,
                "warpfold: keys must be trivially copyable and default constructible");
  const auto to_keys = to_pointer(out_keys.data());
  const auto to_values = to_pointer(out_values.data());
  const auto to_count = to_pointer(out_count);
  static_assert(
      std::is_assignable_v<decltype(*to_keys), const key&> && std::is_assignable_v<decltype(*to_values), const A&>,
      "warpfold: keys and results must be assignable to the items of out_keys and out_values: pass spans of "
      "items that are not const");
  const std::size_t room = out_keys.size();
  check_by_key_apart(function, "keys", keys, count, "out_keys", to_keys, room);
  check_by_key_apart(function, "keys", keys, count, "out_values", to_values, room);
  check_by_key_apart(function, "values", values, count, "out_keys", to_keys, room);
  check_by_key_apart(function, "values", values, count, "out_values", to_values, room);
  check_by_key_apart(function, "out_keys", to_keys, static_cast<std::int64_t>(room), "out_values", to_values, room);
  check_by_key_apart(function, "keys", keys, count, "out_count", to_count, 1);
  check_by_key_apart(function, "values", values, count, "out_count", to_count, 1);
  check_by_key_apart(function, "out_keys", to_keys, static_cast<std::int64_t>(room), "out_count", to_count, 1);
  check_by_key_apart(function, "out_values", to_values, static_cast<std::int64_t>(room), "out_count", to_count, 1);

  using chunks = by_key::by_key_chunks<std::iter_value_t<KeyIt>, std::iter_value_t<ValueIt>, A>;
  by_key::enqueue(function, chunks::source(keys, count), make_leaves<A>(chunks::source(values, count), transform), op,
                  equal, to_keys, to_values, static_cast<std::int64_t>(room), to_count, options);
}

template <class Keys, class Values>
std::int64_t common_size(const char* function, const Keys& keys, const Values& values) {
  if (keys.size() != values.size())
    reject(function, "keys has " + std::to_string(keys.size()) + " items, values has " + std::to_string(values.size()));
  return static_cast<std::int64_t>(keys.size());
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

/// Anything that may say whether two keys are equal.
template <class E>
concept equality_argument = !is_options<E>;

/// Where the number of runs goes: a device pointer to an integer.
template <class O>
concept count_output =
    std::contiguous_iterator<O> && std::integral<std::iter_value_t<O>> && !std::same_as<std::iter_value_t<O>, bool>;

inline namespace WARPFOLD_HIDDEN_V1 {

/// Reduces the runs of equal keys among `count` items: keys from `keys` and values from `values` on, each a pointer to
/// device memory, or any trivially copyable object that device code can index with 64 bits.
template <item_iterator KeyIt, item_iterator ValueIt, device_range OutKeys, device_range OutValues,
          count_output OutCount, operator_argument Op, equality_argument Equal,
          class A = accumulator_t<Op, std::iter_value_t<ValueIt>>>
void reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, const OutKeys& out_keys, const OutValues& out_values,
                   OutCount out_count, Op op, Equal equal,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", keys, values, count, out_keys, out_values, out_count, op, thread::no_transform{},
                      equal, options);
}

/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, device_range OutKeys, device_range OutValues,
          count_output OutCount, operator_argument Op, class A = accumulator_t<Op, std::iter_value_t<ValueIt>>>
void reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, const OutKeys& out_keys, const OutValues& out_values,
                   OutCount out_count, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run.
template <item_iterator KeyIt, item_iterator ValueIt, device_range OutKeys, device_range OutValues,
          count_output OutCount, class A = accumulator_t<plus, std::iter_value_t<ValueIt>>>
void reduce_by_key(KeyIt keys, ValueIt values, std::int64_t count, const OutKeys& out_keys, const OutValues& out_values,
                   OutCount out_count, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, count, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// Reduces the runs of equal keys.
template <device_range Keys, device_range Values, device_range OutKeys, device_range OutValues, count_output OutCount,
          operator_argument Op, equality_argument Equal, class A = accumulator_t<Op, item_t<const Values>>>
void reduce_by_key(const Keys& keys, const Values& values, const OutKeys& out_keys, const OutValues& out_values,
                   OutCount out_count, Op op, Equal equal,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("reduce_by_key", to_pointer(keys.data()), to_pointer(values.data()),
                      detail::common_size("reduce_by_key", keys, values), out_keys, out_values, out_count, op,
                      thread::no_transform{}, equal, options);
}

/// As above with ==.
template <device_range Keys, device_range Values, device_range OutKeys, device_range OutValues, count_output OutCount,
          operator_argument Op, class A = accumulator_t<Op, item_t<const Values>>>
void reduce_by_key(const Keys& keys, const Values& values, const OutKeys& out_keys, const OutValues& out_values,
                   OutCount out_count, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, out_keys, out_values, out_count, op, equal_to{}, options);
}

/// The sum of each run.
template <device_range Keys, device_range Values, device_range OutKeys, device_range OutValues, count_output OutCount,
          class A = accumulator_t<plus, item_t<const Values>>>
void reduce_by_key(const Keys& keys, const Values& values, const OutKeys& out_keys, const OutValues& out_values,
                   OutCount out_count, const std::type_identity_t<reduce_options<A>>& options = {}) {
  reduce_by_key(keys, values, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// Of each run init op transform(value) op …. The accumulator follows what `transform` returns; of an extended
/// __device__ lambda without a declared return type it follows the value.
template <device_range Keys, device_range Values, device_range OutKeys, device_range OutValues, count_output OutCount,
          operator_argument Op, class Transform, equality_argument Equal,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Values>>>
void transform_reduce_by_key(const Keys& keys, const Values& values, const OutKeys& out_keys,
                             const OutValues& out_values, OutCount out_count, Op op, Transform transform, Equal equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_runs("transform_reduce_by_key", to_pointer(keys.data()), to_pointer(values.data()),
                      detail::common_size("transform_reduce_by_key", keys, values), out_keys, out_values, out_count, op,
                      transform, equal, options);
}

/// As above with ==.
template <device_range Keys, device_range Values, device_range OutKeys, device_range OutValues, count_output OutCount,
          operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, item_t<const Values>>>
void transform_reduce_by_key(const Keys& keys, const Values& values, const OutKeys& out_keys,
                             const OutValues& out_values, OutCount out_count, Op op, Transform transform,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  transform_reduce_by_key(keys, values, out_keys, out_values, out_count, op, transform, equal_to{}, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
