// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix of every segment: segmented_inclusive_scan, segmented_exclusive_scan, and their transform_ forms.
//
//   in                                3 1 4 | 1 | 5 9
//   segmented_inclusive_scan (plus)   3 4 8 | 1 | 5 14    out[i] = init op in[b] op … op in[i]
//   segmented_exclusive_scan (plus)   0 3 4 | 0 | 0 5     out[i] = init op in[b] op … op in[i - 1]
//                                                         b: the first item of i's segment
//
// | function                           | input           | segments             | output | then                    |
// |------------------------------------|-----------------|----------------------|--------|-------------------------|
// | segmented_inclusive_scan           | in; first, count| any form below       | out    | [op] [options]          |
// | segmented_exclusive_scan           | in; first, count| any form below       | out    | [op] [options]          |
// | transform_segmented_inclusive_scan | in; first, count| any form below       | out    | op, transform [options] |
// | transform_segmented_exclusive_scan | in; first, count| any form below       | out    | op, transform [options] |
//
// - `in`, `first`, `op`, `options`: as in scan.cuh. `out`: a range of as many items as the input, or more; or a device
//   pointer or an iterator (device_outputs), which is written by out[i] = value.
// - segments: offsets, bounds, fixed_length or owners, as in segmented_reduce.cuh. They must tell their number, since
//   `out` does not: offsets as a range; bounds of which one is a range at least; a positive fixed_length that divides
//   the number of items. Owners may be any ascending integers. Or first_segments of one of these but owners, or
//   first_items of owners.
// - Items that belong to no segment, between bounds or beyond offsets, are shown to no operator or transform. Their
//   results are not written: out[i] keeps what it holds.
//
// All functions of this header
// - fold strictly left to right with an operator that need only be associative. out[i] has the bits of reduce over the
//   items of its segment that it folds, with the same options: right-nested over the binary digits of their number.
//   So a segment's last inclusive result is segmented_reduce's, wherever the segment lies and whatever lies around
//   it, on every run, grid and GPU, and in the emulator;
// - enqueue one kernel on options.stream, never wait, and can be captured; the host need not know any length. Scratch
//   depends neither on the number of items nor on that of segments;
// - read each item once and write each result once, whatever the lengths: one giant segment, any number of empty ones,
//   or a mixture. Empty segments cost their offsets only, and have no result;
// - join options.init to each result on its left, once. The first result of each segment of an exclusive scan is init,
//   else the operator's identity: it needs one of them;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns, and convert each result
//   to the items of `out`, as scan.cuh says;
// - may write `out` onto `in`, if both begin at one address and have items of one type. Otherwise the output must be
//   apart from the input. It must be apart from the description of segments and from *options.init;
// - cost the operations of the binary digits: up to log2(length) an item, half of it on average; two or three an item
//   for exact operators (integers, extrema, bits);
// - throw std::invalid_argument, before anything is enqueued, as scan.cuh says, and for descriptions whose sizes do not
//   match.
//
// Segments must be in order, must not overlap, and must lie within the input; owners must ascend. Kernels in builds
// with WARPFOLD_CHECKS check this, and stop with a message before they read or write out of bounds; otherwise the
// behaviour is undefined.
//
// A piece of a long segment waits for the nodes of earlier pieces, whose warps run already. So the grid need not be
// cooperative.
#pragma once
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/segmented_scan/dispatch.cuh>
#include <warpfold/segments.hpp>
#include <warpfold/segments/arguments.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The number of segments of a scan; 0 of owners, which do not tell it.
template <class S> std::int64_t scanned_segments(const char* function, const S& segments, std::int64_t items) {
  if constexpr (std::is_same_v<S, fixed_length>) {
    const std::int64_t length = segments.items;
    if (items > 0 ? length <= 0 || items % length != 0 : length < 0)
      reject(function,
             {"fixed_length is ", length, "; it must be positive, and divide the ", items, " items of the input"});
    return items > 0 ? items / length : 0;
  } else if constexpr (requires { segments.ids; }) return 0;
  else {
    if constexpr (requires { segments.all.items; })
      if (segments.all.items <= 0) reject(function, {"fixed_length is ", segments.all.items, "; it must be positive"});
    return segment::count_of(function, segments, items);
  }
}

template <bool IsExclusive, class It, class Out, class Op, class Transform, class A>
void scan_segments(const char* function, const char* argument, const It& given, std::int64_t count,
                   const auto& segments, output<Out> out, Op op, Transform transform,
                   const reduce_options<A>& options) {
  using T = iterator_item_t<It>;
  if constexpr (check_types<Op, Transform, A, Out, T>()) {
    const auto first = to_kernel_iterator(given);
    host_side::check_count(function, count);
    static_assert(!lowers_segments<Op, A>,
                  "warpfold: scans do not tell where a segment begins: use within_run instead of within_segment");
    host_side::check_output_sizes(function, out, count);
    out.size = count;
    if (count > 0) {
      host_side::check_pointer(function, argument, first);
      host_side::check_output_pointers(function, "out", out);
    }
    host_side::check_outputs_apart_or_in_place(function, argument, first, "out", out, count);
    host_side::check_outputs_apart_from(function, "init", options.init, "out", out, count);
    const auto described = segmented_scan::described(
        segment::checked_spans(function, segments, count, scanned_segments(function, segments, count), "begins", out));
    constexpr bool has_owners = requires { described.ids; };
    constexpr int most_items =
        segmented_scan::scanned_chunk_items(warp::chunk_items_of<T, Out>(), sizeof(A), has_owners);
    constexpr int items =
        segmented_scan::fitting_chunk_items<A, most_items, std::remove_const_t<decltype(described)>::has_gaps>();
    const auto leaves = make_leaves<A>(op, make_source_in_chunks<items>(first, count), transform);
    constexpr std::size_t chunk_bytes = sizeof(typename std::remove_cv_t<decltype(leaves)>::chunk);
    segmented_scan::enqueue<IsExclusive, segmented_scan::kernel_policy_for(items, chunk_bytes, sizeof(A))>(
        function, described, leaves, lower_into<A>(op, out.first), op, options);
  }
}

/// A scan of segments in all its forms. As an object, it is found by its name alone, never by the arguments'
/// namespaces.
// No default argument and no default template argument for Op: `{...}` would otherwise bind to it.
template <bool IsExclusive> struct segmented_scan_function : refused_segments {
  using refused_segments::operator();
  const char* name;

  /// Of the items of `in`, by `op`.
  template <device_range In, segments Segments, class Out, operator_argument Op,
            class A = accumulator_t<Op, item_t<const In>>>
  void operator()(const In& in, const Segments& segments, Out&& out, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_segments<IsExclusive>(name, "in", in.data(), static_cast<std::int64_t>(in.size()), segments, to_output(out),
                               op, thread::no_transform{}, options);
  }
  /// The sum.
  template <device_range In, segments Segments, class Out, class A = accumulator_t<plus, item_t<const In>>>
  void operator()(const In& in, const Segments& segments, Out&& out,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(in, segments, out, plus{}, options);
  }
  /// Of `count` items from `first` on, by `op`.
  template <item_iterator It, segments Segments, class Out, operator_argument Op,
            class A = accumulator_t<Op, iterator_item_t<It>>>
  void operator()(It first, const count_argument<It>& count, const Segments& segments, Out&& out, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_segments<IsExclusive>(name, "first", first, count.from(first), segments, to_output(out), op,
                               thread::no_transform{}, options);
  }
  /// The sum.
  template <item_iterator It, segments Segments, class Out, class A = accumulator_t<plus, iterator_item_t<It>>>
  void operator()(It first, const count_argument<It>& count, const Segments& segments, Out&& out,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(first, count, segments, out, plus{}, options);
  }
};

/// A scan of transformed items by segments. The accumulator follows what `transform` returns.
template <bool IsExclusive> struct transform_segmented_scan_function : refused_transformed_segments {
  using refused_transformed_segments::operator();
  const char* name;

  /// Of the items of `in`.
  template <device_range In, segments Segments, class Out, operator_argument Op, class Transform,
            class A = transformed_accumulator_t<Op, Transform, item_t<const In>>>
  void operator()(const In& in, const Segments& segments, Out&& out, Op op, Transform transform,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_segments<IsExclusive>(name, "in", in.data(), static_cast<std::int64_t>(in.size()), segments, to_output(out),
                               op, transform, options);
  }
  /// Of `count` items from `first` on.
  template <item_iterator It, segments Segments, class Out, operator_argument Op, class Transform,
            class A = transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
  void operator()(It first, const count_argument<It>& count, const Segments& segments, Out&& out, Op op,
                  Transform transform, const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_segments<IsExclusive>(name, "first", first, count.from(first), segments, to_output(out), op, transform,
                               options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[i] = init op in[b] op … op in[i], b being the first item of i's segment.
inline constexpr detail::segmented_scan_function<false> segmented_inclusive_scan{{}, "segmented_inclusive_scan"};
/// out[i] = init op in[b] op … op in[i - 1]; out[b] = init, or the operator's identity.
inline constexpr detail::segmented_scan_function<true> segmented_exclusive_scan{{}, "segmented_exclusive_scan"};

/// out[i] = init op transform(in[b]) op … op transform(in[i]), b being the first item of i's segment.
inline constexpr detail::transform_segmented_scan_function<false> transform_segmented_inclusive_scan{
    {}, "transform_segmented_inclusive_scan"};
/// out[i] = init op transform(in[b]) op … op transform(in[i - 1]); out[b] = init, or the operator's identity.
inline constexpr detail::transform_segmented_scan_function<true> transform_segmented_exclusive_scan{
    {}, "transform_segmented_exclusive_scan"};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
