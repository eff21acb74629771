// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by the sources' algorithms, as named strategies. (strategies.cuh includes this header.)
//
//   wf::strategies::inclusive_scan<wf::scan_strategy<wf::block::up_down_sweep<>>>(in, out, op);
//
// How a CUDA-block of B threads scans a data-block of D items:
//
//   block::hillis_steele<B = 256>                   log2(D) steps of D operations; D = B
//   block::up_down_sweep<padding, B = 256>          2 log2(D) steps, 2 D operations in all; D = 2 B
//   block::matrix_scan<H = 32, W = 32, B = 256>     a thread scans a row of W items; 2 D operations; D = H W
//
// strategies::conflicts_of<Algorithm, A>() counts what lanes that meet in a bank of shared memory cost.
//
// Over blocks there is grid::multi_pass alone: the totals of the data-blocks are scanned in the same way, recursively,
// and joined to the results of the data-blocks to their right. Items are read once; results are written, read and
// written again: 4 times the size of the input in all, and 2 launches per level and 1, where one pass needs 2 times.
//
// All of these functions
// - keep order, for any associative operator. They need no identity, but for exclusive results without .init, the
//   first of which is the identity;
// - give the same bits on every run and device: the association depends on the strategy and an item's place alone;
// - write accumulators: `out` is a pointer to, or a range of, accumulator_t<Op, T>. It may be the input itself;
// - need scan_workspace_bytes<S, A>(count) bytes of scratch, which grow with the count;
// - throw std::invalid_argument, before anything is enqueued, where reduce does; if max_blocks is given; if `out` has
//   fewer items than the input, or lies within it but is not it, or within owners; if *init lies in `out`; and if an
//   exclusive scan has neither identity nor .init. An empty input writes nothing.
//
// Segments are given by owners, which ascend and are not negative, as for segmented_reduce. Each segment is scanned by
// itself, and .init joins each. In builds with WARPFOLD_CHECKS a kernel stops at an owner below the one before it.
#pragma once
#include <warpfold/host/leaves.cuh>
#include <warpfold/item_count.hpp>
#include <warpfold_strategies/matrix_scan.cuh>
#include <warpfold_strategies/scan_conflicts.hpp>
#include <warpfold_strategies/scan_dispatch.cuh>
#include <warpfold_strategies/up_down_sweep.cuh>

namespace warpfold {

template <device_range Ids> struct owners;  // segmented_reduce.cuh

namespace strategies {

/// A pointer to accumulators, or a range of them.
template <class Out, class A>
concept scan_output = std::is_same_v<output_iterator_t<Out>, A*>;

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The output's address, if it has room for `count` results.
template <class Out> auto checked_scan_output(const char* function, Out&& out, std::int64_t count) {
  const auto to = to_output(out);
  if (to.size >= 0 && to.size < count)
    reject(function, "out has " + std::to_string(to.size) + " items, not " + std::to_string(count));
  if (count > 0) host_side::check_pointer(function, "out", to.first);
  return to.first;
}

template <class Op, class A, class T> consteval bool check_scan_types() {
  check_operator<Op, A>();
  if constexpr (!is_operator_for<Op, A>) return false;
  else return warpfold::detail::check_transform<Op, thread::no_transform, A, T>();
}

template <scan_kind Kind, class S, class A, class It, class Out, class Op>
void scan_items(const char* function, const char* argument, const It& first, std::int64_t count, Out&& out, Op op,
                const reduce_options<A>& options) {
  if constexpr (check_scan_types<Op, A, iterator_item_t<It>>()) {
    const auto from = to_kernel_iterator(first);
    host_side::check_count(function, count);
    if (count > 0) host_side::check_pointer(function, argument, from);
    scan_leaves<Kind, S>(
        function,
        warpfold::detail::make_leaves<A>(op, warpfold::detail::make_source(from, count), thread::no_transform{}),
        checked_scan_output(function, out, count), op, options);
  }
}

template <scan_kind Kind, class S, class A, class In, class Ids, class Op>
void scan_owned(const char* function, const In& in, const owners<Ids>& segments, auto&& out, Op op,
                const reduce_options<A>& options) {
  if constexpr (check_scan_types<Op, A, item_t<const In>>()) {
    const auto count = static_cast<std::int64_t>(in.size());
    const auto ids = to_pointer(segments.ids.data());
    const auto from = to_pointer(in.data());
    if (static_cast<std::int64_t>(segments.ids.size()) != count)
      reject(function, "owners has " + std::to_string(segments.ids.size()) + " entries, not " + std::to_string(count) +
                           ", one for each item");
    if (count > 0) {
      host_side::check_pointer(function, "in", from);
      host_side::check_pointer(function, "owners", ids);
    }
    using id = item_t<const Ids>;
    scan_segments<Kind, S, id>(
        function, ids,
        warpfold::detail::make_leaves<A>(op, warpfold::detail::make_source(from, count), thread::no_transform{}),
        checked_scan_output(function, out, count), op, options);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[i] = init op in[0] op … op in[i].
template <scanning_strategy S, device_range In, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires scan_output<Out, A>
void inclusive_scan(const In& in, Out&& out, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::scan_items<scan_kind::inclusive, S, A>("inclusive_scan", "in", in.data(),
                                                 static_cast<std::int64_t>(in.size()), out, op, options);
}

/// The same of `count` items from `first` on, a pointer or an iterator that device code can index.
template <scanning_strategy S, item_iterator It, class Out, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
  requires scan_output<Out, A>
void inclusive_scan(It first, const count_argument<It>& count, Out&& out, Op op,
                    const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::scan_items<scan_kind::inclusive, S, A>("inclusive_scan", "first", first, count.from(first), out, op, options);
}

/// out[i] = init op in[0] op … op in[i - 1]; out[0] is init, or, without it, the operator's identity, which joins no
/// other result.
template <scanning_strategy S, device_range In, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires scan_output<Out, A>
void exclusive_scan(const In& in, Out&& out, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::scan_items<scan_kind::exclusive, S, A>("exclusive_scan", "in", in.data(),
                                                 static_cast<std::int64_t>(in.size()), out, op, options);
}

/// The same of `count` items from `first` on.
template <scanning_strategy S, item_iterator It, class Out, operator_argument Op,
          class A = accumulator_t<Op, iterator_item_t<It>>>
  requires scan_output<Out, A>
void exclusive_scan(It first, const count_argument<It>& count, Out&& out, Op op,
                    const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::scan_items<scan_kind::exclusive, S, A>("exclusive_scan", "first", first, count.from(first), out, op, options);
}

/// inclusive_scan of each segment. Items and owners are read side by side, and owners once more for results that
/// another data-block's total joins. With block::matrix_scan this is the segmented MatrixScan of Dotsenko 2008.
template <scanning_strategy S, device_range In, class Ids, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires scan_output<Out, A>
void segmented_inclusive_scan(const In& in, owners<Ids> segments, Out&& out, Op op,
                              const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::scan_owned<scan_kind::inclusive, S, A>("segmented_inclusive_scan", in, segments, out, op, options);
}

/// exclusive_scan of each segment.
template <scanning_strategy S, device_range In, class Ids, class Out, operator_argument Op,
          class A = accumulator_t<Op, item_t<const In>>>
  requires scan_output<Out, A>
void segmented_exclusive_scan(const In& in, owners<Ids> segments, Out&& out, Op op,
                              const std::type_identity_t<reduce_options<A>>& options = {}) {
  detail::scan_owned<scan_kind::exclusive, S, A>("segmented_exclusive_scan", in, segments, out, op, options);
}

/// Bytes of scratch, aligned to 128, that are enough for these functions with `count` items, accumulators of type `A`
/// and owners of any type.
template <scanning_strategy S, class A> std::size_t scan_workspace_bytes(std::int64_t count) {
  return scan_scratch<S, thread::piece<A, std::int64_t>>(count).workspace_bytes();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace strategies
}  // namespace warpfold
