// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions by key of as many items as the device knows (device_count.cuh):
//
//   wf::reduce_by_key(keys, values, wf::device_count(count, most), out_keys, out_values, out_count, [op[, equal]],
//                     [options]);
//   wf::transform_reduce_by_key(keys, values, wf::device_count(count, most), out_keys, out_values, out_count, op,
//                               transform[, equal], [options]);
//
// `keys` and `values` are pointers or iterators. All else is as reduce_by_key.cuh says of a call with that count: the
// bits, too. So one call's out_count can be the next one's count, with as many items at most as the first one has:
//
//   wf::reduce_by_key(keys, values, n, days, sums, runs);
//   wf::reduce_by_key(days, sums, wf::device_count(runs, n), months, totals, months_count, wf::plus{}, same_month{});
//
// Outputs without a size must have room for `most` runs. All outputs must be apart from the count, which each block
// reads. A count of 0 gives an *out_count of 0.
#pragma once
#include <warpfold/device_count.cuh>
#include <warpfold/reduce_by_key.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class N, class Op, class Transform, class Equal, class A>
void reduce_counted_runs(const char* function, const auto& keys, const auto& values, const device_count<N>& count,
                         const auto& out_keys, const auto& out_values, const auto& out_count, Op op,
                         Transform transform, Equal equal, const reduce_options<A>& options) {
  const auto number = count.checked(function);
  const auto check_apart = [&](const char* argument, const auto& out, std::int64_t most) {
    host_side::check_outputs_apart_from(function, "device_count", number.pointer, 1, argument, out,
                                        out.size >= 0 ? out.size : most);
  };
  check_apart("out_keys", out_keys, number.most);
  check_apart("out_values", out_values, number.most);
  check_apart("out_count", out_count, 1);
  const auto counted = [&]<class Outputs>(const Outputs& outputs) {
    return by_key::counted_outputs<Outputs, N>{outputs, number};
  };
  reduce_runs(function, to_kernel_iterator(keys), to_kernel_iterator(values), number.most, out_keys, out_values,
              out_count, op, transform, equal, options, counted);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// Reduces the runs of equal keys of the first `count` items; the head of this file says what the arguments are.
template <item_iterator KeyIt, item_iterator ValueIt, class N, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, const device_count<N>& count,
                   output_argument auto&& out_keys, output_argument auto&& out_values, output_argument auto&& out_count,
                   Op op, equality_argument auto equal, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_counted_runs("reduce_by_key", keys, values, count, to_output(out_keys), to_output(out_values),
                              to_output(out_count), op, thread::no_transform{}, equal, options);
}
/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, class N, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, const device_count<N>& count,
                   output_argument auto&& out_keys, output_argument auto&& out_values, output_argument auto&& out_count,
                   Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, equal_to{}, options);
}
/// The sum of each run, with ==.
template <item_iterator KeyIt, item_iterator ValueIt, class N, class A = accumulator_t<plus, iterator_item_t<ValueIt>>>
void reduce_by_key(const KeyIt& keys, const ValueIt& values, const device_count<N>& count,
                   output_argument auto&& out_keys, output_argument auto&& out_values, output_argument auto&& out_count,
                   const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce_by_key(keys, values, count, out_keys, out_values, out_count, plus{}, equal_to{}, options);
}

/// For each run init op transform(value) op …; else as reduce_by_key. The accumulator follows what `transform`
/// returns.
template <item_iterator KeyIt, item_iterator ValueIt, class N, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(const KeyIt& keys, const ValueIt& values, const device_count<N>& count,
                             output_argument auto&& out_keys, output_argument auto&& out_values,
                             output_argument auto&& out_count, Op op, Transform transform, equality_argument auto equal,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_counted_runs("transform_reduce_by_key", keys, values, count, to_output(out_keys),
                              to_output(out_values), to_output(out_count), op, transform, equal, options);
}
/// As above with ==.
template <item_iterator KeyIt, item_iterator ValueIt, class N, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<ValueIt>>>
void transform_reduce_by_key(const KeyIt& keys, const ValueIt& values, const device_count<N>& count,
                             output_argument auto&& out_keys, output_argument auto&& out_values,
                             output_argument auto&& out_count, Op op, Transform transform,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::transform_reduce_by_key(keys, values, count, out_keys, out_values, out_count, op, transform, equal_to{},
                                    options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
