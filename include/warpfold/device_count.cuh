// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts that only the device knows: an earlier kernel wrote how many items there are, and nobody waits for it.
//
//   wf::reduce(first, wf::device_count(count, most), out);               // of first[0] … first[*count - 1]
//   wf::transform_reduce(first, wf::device_count(count, most), out, op, transform);
//
// | function               | inputs, any of                                 | output   | then                    |
// |------------------------|------------------------------------------------|----------|-------------------------|
// | reduce                 | first, device_count                            | out      | [op] [options]          |
// | reduce_value           | first, device_count                            | returned | [op] [options]          |
// | transform_reduce       | first, device_count; left, right, device_count | out      | op, transform [options] |
// | transform_reduce_value | first, device_count                            | returned | op, transform [options] |
//
// Elsewhere:
//   scans, and their transform_ forms         device_count_scan.cuh
//   reduce_by_key, transform_reduce_by_key    device_count_by_key.cuh
//   reduce_columns, reduce_axes               device_count_axes.cuh: the outermost axis, reduced or not
//   scans by key                              device_count_scan_by_key.cuh
//   scans along axes                          device_count_scan_axes.cuh: the outermost axis, scanned or not
//   all functions of segments                 first_segments{all, device_count} instead of the segments (segments.hpp);
//                                             rows of a matrix are first_segments{fixed_length{columns}, device_count}
//                                             first_items{owners, device_count} if the device knows how many items
//
// - The kernel reads the count when it runs, so each replay of a graph sees its own. Results have the bits of a call
//   with that count (reduce.cuh, which says all else).
// - The grid is planned for `most` items; blocks without work leave at once. `first` need not hold more items than the
//   count says. `out` must not be the count.
// - A count of 0 gives .init, else the operator's identity: one of these must exist.
// - A count that is negative or above `most` stops the kernel with a message where kernels check (WARPFOLD_CHECKS).
//   Elsewhere it is taken for 0 or `most`, and 1 is written to `status`, if it is given; nothing else ever is.
// - The operator may be any, as arg_maximum or fuse(...), but exact_plus, which does not take such counts.
#pragma once
#include <warpfold/reduce.cuh>
#include <warpfold/reduce/counted_dispatch.cuh>

namespace warpfold {

/// How many items there are, at most `most`: *pointer, an integer in device memory. `status`, an int in device memory,
/// tells of a wrong one.
template <class N> class device_count {
 public:
  static_assert(std::integral<N>, "warpfold: a device_count is an integer in device memory");

  /// The count that the kernel reads from `pointer`.
  constexpr device_count(const N* pointer, std::int64_t most, int* status = nullptr)
      : pointer_(pointer), most_(most), status_(status) {}

  /// Throws std::invalid_argument if `most` is negative, or the device cannot reach the count.
  grid::device_items<N> checked(const char* function) const {
    if (most_ < 0) reject(function, {"a device_count may be at most ", most_});
    if (pointer_ == nullptr) reject(function, "the device_count's pointer is null");
    host_side::check_device_pointer(function, "device_count", pointer_);
    if (status_ != nullptr) host_side::check_device_pointer(function, "status", status_);
    return {pointer_, most_, status_};
  }

 private:
  const N* pointer_;
  std::int64_t most_;
  int* status_;
};

template <class N> inline constexpr bool is_device_count<device_count<N>> = true;

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {
template <class It, class N, class Out, class Op, class Transform, class A>
void reduce_counted(const char* function, const It& first, const device_count<N>& given, Out&& out, const Op& op,
                    const Transform& transform, const reduce_options<A>& options) {
  if constexpr (std::integral<N> &&
                check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<Out>>, iterator_item_t<It>>()) {
    const auto count = given.checked(function);
    const auto source = checked_source(function, "first", first, count.most);
    reduction::enqueue_counted(function, make_leaves<A>(op, source, transform),
                               lower_into<A>(op, checked_output(function, out)), op, count, options);
  }
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// *out = init op first[0] op … op first[count - 1].
template <item_iterator It, class N, class Out, operator_argument Op, class A = accumulator_t<Op, iterator_item_t<It>>>
void reduce(It first, const device_count<N>& count, Out&& out, Op op,
            const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_counted("reduce", first, count, out, op, thread::no_transform{}, options);
}
/// The sum: reduce with plus.
template <item_iterator It, class N, class Out, class A = accumulator_t<plus, iterator_item_t<It>>>
void reduce(It first, const device_count<N>& count, Out&& out,
            const std::type_identity_t<reduce_options<A>>& options = {}) {
  warpfold::reduce(first, count, out, plus{}, options);
}

/// reduce, waiting for the stream and returning the value. Cannot be captured.
template <item_iterator It, class N, operator_argument Op, class A = accumulator_t<Op, iterator_item_t<It>>>
[[nodiscard]] lowered_t<Op, A> reduce_value(It first, const device_count<N>& count, Op op,
                                            const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host_side::wait_for_value<lowered_t<Op, A>>("reduce_value", options.stream, [&](lowered_t<Op, A>* out) {
    detail::reduce_counted("reduce_value", first, count, out, op, thread::no_transform{}, options);
  });
}
/// The sum: reduce_value with plus.
template <item_iterator It, class N, class A = accumulator_t<plus, iterator_item_t<It>>>
[[nodiscard]] A reduce_value(It first, const device_count<N>& count,
                             const std::type_identity_t<reduce_options<A>>& options = {}) {
  return warpfold::reduce_value(first, count, plus{}, options);
}

/// *out = init op transform(first[0]) op …. The accumulator follows what `transform` returns.
template <item_iterator It, class N, class Out, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
void transform_reduce(It first, const device_count<N>& count, Out&& out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::reduce_counted("transform_reduce", first, count, out, op, transform, options);
}
/// *out = init op transform(left[0], right[0]) op ….
template <item_iterator Left, item_iterator Right, class N, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<Left>, iterator_item_t<Right>>>
void transform_reduce(Left left, Right right, const device_count<N>& given, auto&& out, Op op, Transform transform,
                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  if constexpr (std::integral<N> &&
                detail::check_types<Op, Transform, A, std::remove_cvref_t<output_iterator_t<decltype(out)>>,
                                    iterator_item_t<Left>, iterator_item_t<Right>>()) {
    const auto count = given.checked("transform_reduce");
    const auto source = detail::checked_pairs("transform_reduce", left, right, count.most);
    reduction::enqueue_counted("transform_reduce", detail::make_leaves<A>(op, source, transform),
                               detail::lower_into<A>(op, detail::checked_output("transform_reduce", out)), op, count,
                               options);
  }
}
/// transform_reduce, waiting for the stream and returning the value. Cannot be captured.
template <item_iterator It, class N, operator_argument Op, class Transform,
          class A = detail::transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
[[nodiscard]] lowered_t<Op, A> transform_reduce_value(It first, const device_count<N>& count, Op op,
                                                      Transform transform,
                                                      const std::type_identity_t<reduce_options<A>>& options = {}) {
  return host_side::wait_for_value<lowered_t<Op, A>>(
      "transform_reduce_value", options.stream, [&](lowered_t<Op, A>* out) {
        detail::reduce_counted("transform_reduce_value", first, count, out, op, transform, options);
      });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
