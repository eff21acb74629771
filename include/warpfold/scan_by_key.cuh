// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix of every run of equal adjacent keys: inclusive_scan_by_key and exclusive_scan_by_key.
//
//   keys                           7 7 7 | 3 | 7 7
//   values                         1 2 3 | 4 | 5 6
//   inclusive_scan_by_key (plus)   1 3 6 | 4 | 5 11
//   exclusive_scan_by_key (plus)   0 1 3 | 0 | 0 5
//
// | function              | inputs              | output | then                     |
// |-----------------------|---------------------|--------|--------------------------|
// | inclusive_scan_by_key | keys, values        | out    | [op[, equal]] [options]  |
// |                       | keys, values, count | out    | [op[, equal]] [options]  |
// | exclusive_scan_by_key | as above            | out    | as above                 |
//
// Inputs, `op` and `equal` are those of reduce_by_key.cuh, `out` is that of scan.cuh, `options` are reduce_options.
//
// Both functions
// - fold strictly left to right with an operator that need only be associative. A result has the bits that
//   reduce_by_key would give the run if it ended there: the canonical tree over all items, restricted to the run
//   (canonical_tree::replay_part). So the last result of each run is reduce_by_key's, on every run of the program, grid
//   and GPU, and in the emulator;
// - enqueue one kernel on options.stream, never wait, and can be captured. Scratch does not depend on the count;
// - do the same work for an item whatever the lengths of runs;
// - join options.init to each result on its left, once. The first result of each run of an exclusive scan is init, else
//   the operator's identity: it needs one of them;
// - begin a run where equal(key before, key) is false, so that each NaN is a run of its own;
// - may write `out` onto the values, if both begin at one address and have items of one type; else the output must be
//   apart from the inputs, and from *options.init;
// - throw std::invalid_argument, before anything is enqueued, as the scans and reduce_by_key do.
#pragma once
#include <warpfold/equal_to.hpp>
#include <warpfold/host/keyed_items.hpp>
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/scan/dispatch.cuh>
#include <warpfold/scan/keyed.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether all types fit together, without which nothing else must be instantiated.
template <class Key, class Value, class Op, class Equal, class A, class Out> consteval bool check_keyed_scan() {
  if constexpr (!check_types<Op, thread::no_transform, A, Out, Value>()) return false;
  else if constexpr (!check_equality<Equal, Key>()) return false;
  else {
    constexpr bool is_key = std::is_trivially_copyable_v<Key>;
    static_assert(is_key, "warpfold: keys must be trivially copyable");
    return is_key;
  }
}

/// Enqueues a scan of as many items as the host knows.
template <scan::scan_kind Kind> struct enqueue_runs {
  static constexpr bool knows_count = true;

  template <scan::kernel_policy Policy>
  void operator()(const char* function, const auto& parts, const auto& to, const auto& op, const auto& options) const {
    scan::enqueue<Kind, Policy>(function, parts, to, op, options);
  }
};

/// All forms come here. `count` is the number of items, or as many as there may be.
template <class Enqueue, class KeyIt, class ValueIt, class Out, class Op, class A>
void scan_runs(const char* function, const KeyIt& keys, const ValueIt& values, std::int64_t count,
               const output<Out>& out, Op op, auto equal, const reduce_options<A>& options,
               const Enqueue& enqueue = {}) {
  using Equal = decltype(equal);
  using key = iterator_item_t<KeyIt>;
  using value = iterator_item_t<ValueIt>;
  if constexpr (check_keyed_scan<key, value, Op, Equal, A, Out>()) {
    host_side::check_count(function, count);
    host_side::check_output_sizes(function, out, count);
    if (count > 0) {
      host_side::check_pointer(function, "keys", keys);
      host_side::check_pointer(function, "values", values);
      host_side::check_output_pointers(function, "out", out);
    }
    if constexpr (Enqueue::knows_count) {  // else inputs may be shorter
      host_side::check_outputs_apart_from(function, "keys", keys, count, "out", out, count);
      host_side::check_outputs_apart_or_in_place(function, "values", values, "out", out, count);
    }
    host_side::check_outputs_apart_from(function, "init", options.init, "out", out, count);
    constexpr int items = least_of(thread::items_per_chunk(sizeof(key)), warp::chunk_items_of<value, Out>());
    const auto k = make_source_in_chunks<items>(keys, count);
    const auto leaves = make_leaves<A>(op, make_source_in_chunks<items>(values, count), thread::no_transform{});
    using source = scan::keyed_source<std::remove_cv_t<decltype(k)>, std::remove_cv_t<decltype(leaves.source)>>;
    const scan::keyed_leaves<source, std::remove_cv_t<decltype(leaves)>, Equal> parts{
        {k, leaves.source, count}, leaves, equal};
    const auto to = lower_into<A>(op, out.first);
    constexpr auto policy =
        scan::policy_of<std::remove_cv_t<decltype(parts)>, scan::join_parts<Op>, std::remove_cv_t<decltype(to)>>();
    enqueue.template operator()<policy>(function, parts, to, scan::join_parts<Op>{op}, options);
  }
}

/// Counts that the device knows are taken by device_count_scan_by_key.cuh, which specialises this.
template <class Count> struct counted_keyed_scan { static constexpr bool exists = false; };

/// A scan of runs in all its forms. As an object, it is found by its name alone, never by the arguments' namespaces.
// No default argument and no default template argument for Op: `{...}` would otherwise bind to it.
template <scan::scan_kind Kind> struct keyed_scan_function : refused_keys {
  using refused_keys::operator();
  const char* name;

  /// Of keys and values, ranges or a range and an iterator, by `op`. Keys that are `equal` side by side are a run.
  template <class Keys, class Values, output_argument Out, operator_argument Op, equality_argument Equal,
            class A = accumulator_t<Op, items_argument_t<Values>>>
    requires counted_items<Keys, Values>
  void operator()(const Keys& keys, const Values& values, Out&& out, Op op, Equal equal,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_runs<enqueue_runs<Kind>>(name, items_of<Keys>::first(keys), items_of<Values>::first(values),
                                  common_size(name, keys, values), to_output(out), op, equal, options);
  }
  /// With ==.
  template <class Keys, class Values, output_argument Out, operator_argument Op,
            class A = accumulator_t<Op, items_argument_t<Values>>>
    requires counted_items<Keys, Values>
  void operator()(const Keys& keys, const Values& values, Out&& out, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(keys, values, out, op, equal_to{}, options);
  }
  /// The sum, with ==.
  template <class Keys, class Values, output_argument Out, class A = accumulator_t<plus, items_argument_t<Values>>>
    requires counted_items<Keys, Values>
  void operator()(const Keys& keys, const Values& values, Out&& out,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(keys, values, out, plus{}, equal_to{}, options);
  }
  /// Of `count` items of two iterators, by `op`.
  template <item_iterator KeyIt, item_iterator ValueIt, output_argument Out, operator_argument Op,
            equality_argument Equal, class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
  void operator()(const KeyIt& keys, const ValueIt& values, std::int64_t count, Out&& out, Op op, Equal equal,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_runs<enqueue_runs<Kind>>(name, to_kernel_iterator(keys), to_kernel_iterator(values), count, to_output(out), op,
                                  equal, options);
  }
  /// With ==.
  template <item_iterator KeyIt, item_iterator ValueIt, output_argument Out, operator_argument Op,
            class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
  void operator()(const KeyIt& keys, const ValueIt& values, std::int64_t count, Out&& out, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(keys, values, count, out, op, equal_to{}, options);
  }
  /// The sum, with ==.
  template <item_iterator KeyIt, item_iterator ValueIt, output_argument Out,
            class A = accumulator_t<plus, iterator_item_t<ValueIt>>>
  void operator()(const KeyIt& keys, const ValueIt& values, std::int64_t count, Out&& out,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(keys, values, count, out, plus{}, equal_to{}, options);
  }
  /// Of as many items as the device knows, by `op`, where device_count_scan_by_key.cuh is included.
  template <item_iterator KeyIt, item_iterator ValueIt, class Count, operator_argument Op, equality_argument Equal,
            class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
    requires(counted_keyed_scan<Count>::exists)
  void operator()(const KeyIt& keys, const ValueIt& values, const Count& count, output_argument auto&& out, Op op,
                  Equal equal, const std::type_identity_t<reduce_options<A>>& options = {}) const {
    counted_keyed_scan<Count>::template scan<Kind>(name, to_kernel_iterator(keys), to_kernel_iterator(values), count,
                                                   to_output(out), op, equal, options);
  }
  /// With ==.
  template <item_iterator KeyIt, item_iterator ValueIt, class Count, operator_argument Op,
            class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
    requires(counted_keyed_scan<Count>::exists)
  void operator()(const KeyIt& keys, const ValueIt& values, const Count& count, output_argument auto&& out, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(keys, values, count, out, op, equal_to{}, options);
  }
  /// The sum, with ==.
  template <item_iterator KeyIt, item_iterator ValueIt, class Count,
            class A = accumulator_t<plus, iterator_item_t<ValueIt>>>
    requires(counted_keyed_scan<Count>::exists)
  void operator()(const KeyIt& keys, const ValueIt& values, const Count& count, output_argument auto&& out,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(keys, values, count, out, plus{}, equal_to{}, options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[i] = init op values[b] op … op values[i], b being the first item of i's run.
inline constexpr detail::keyed_scan_function<scan::scan_kind::inclusive> inclusive_scan_by_key{{},
                                                                                               "inclusive_scan_by_key"};
/// out[i] = init op values[b] op … op values[i - 1]; out[b] = init, or the operator's identity.
inline constexpr detail::keyed_scan_function<scan::scan_kind::exclusive> exclusive_scan_by_key{{},
                                                                                               "exclusive_scan_by_key"};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
