// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of all overloads of reduce_by_key: they check the arguments, then enqueue the kernel.
#pragma once
#include <warpfold/by_key/dispatch.cuh>
#include <warpfold/by_key/type_checks.hpp>
#include <warpfold/equal_to.hpp>
#include <warpfold/host/keyed_items.hpp>
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/host/wait_for_value.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Checks the arguments of a reduction by key, and returns how many runs its outputs have room for. `count` is the
/// number of items, and each output is as to_output says.
template <class A>
std::int64_t check_runs(const char* function, const auto& keys, const auto& values, std::int64_t count,
                        const auto& out_keys, const auto& out_values, const auto& out_count, const initial<A>& init) {
  host_side::check_count(function, count);
  if (count > 0) {
    host_side::check_pointer(function, "keys", keys);
    host_side::check_pointer(function, "values", values);
  }
  if (out_keys.size >= 0 && out_values.size >= 0 && out_keys.size != out_values.size)
    reject(function, {"out_keys has room for ", out_keys.size, " runs, out_values for ", out_values.size});
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
  host_side::check_initial_apart(function, "init", init, "out_keys", out_keys.first, room);
  host_side::check_outputs_apart_from(function, "init", init, "out_values", out_values, room);
  host_side::check_initial_apart(function, "init", init, "out_count", out_count.first, 1);
  return room;
}

/// The outputs of a call whose items the host counts.
struct plain_outputs {
  template <class Outputs> const Outputs& operator()(const Outputs& outputs) const { return outputs; }
};

/// Does what all overloads do. The kernel takes what `of_kernel` makes of the outputs.
template <class Op, class Transform, class Equal, class A, class OfKernel = plain_outputs>
void reduce_runs(const char* function, const auto& keys, const auto& values, std::int64_t count, const auto& out_keys,
                 const auto& out_values, const auto& out_count, Op op, Transform transform, Equal equal,
                 const reduce_options<A>& options, OfKernel of_kernel = {}) {
  using key = iterator_item_t<std::remove_cvref_t<decltype(keys)>>;
  using value = iterator_item_t<std::remove_cvref_t<decltype(values)>>;
  if constexpr (!by_key::check_types<key, value, Op, Transform, Equal, A>()) {
  } else if constexpr (by_key::check_outputs<key, Op, A, decltype(out_keys.first), decltype(out_values.first),
                                             decltype(out_count.first)>()) {
    const std::int64_t room = check_runs(function, keys, values, count, out_keys, out_values, out_count, options.init);
    constexpr int most = by_key::thread_items_of<key, value, A>;
    const auto lowered = lower_into<A>(op, out_values.first);
    using outputs =
        by_key::run_outputs<decltype(out_keys.first), std::remove_cv_t<decltype(lowered)>, decltype(out_count.first)>;
    by_key::enqueue(function, by_key::in_thread_chunks<most>(make_source(keys, count)),
                    make_leaves<A>(op, by_key::in_thread_chunks<most>(make_source(values, count)), transform), op,
                    equal, of_kernel(outputs{out_keys.first, lowered, out_count.first, room}), options);
  }
}

inline constexpr const char* counting = "reduce_by_key_value";

/// Reduces runs, waits, and returns their number.
template <class Op, class Equal, class A>
std::int64_t count_runs(const auto& keys, const auto& values, std::int64_t count, const auto& out_keys,
                        const auto& out_values, Op op, Equal equal, const reduce_options<A>& options) {
  return host_side::wait_for_value<std::int64_t>(counting, options.stream, [&](std::int64_t* out_count) {
    reduce_runs(counting, keys, values, count, out_keys, out_values, to_output(out_count), op, thread::no_transform{},
                equal, options);
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail
}  // namespace warpfold
