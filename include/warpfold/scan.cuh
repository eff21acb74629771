// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix of a sequence: inclusive_scan, exclusive_scan, and their transform_ forms.
//
//   in                      3  1  4  1  5
//   inclusive_scan (plus)   3  4  8  9 14      out[i] = init op in[0] op … op in[i]
//   exclusive_scan (plus)   0  3  4  8  9      out[i] = init op in[0] op … op in[i - 1]
//
// | function                 | input            | output | then                    |
// |--------------------------|------------------|--------|-------------------------|
// | inclusive_scan           | in; first, count | out    | [op] [options]          |
// | exclusive_scan           | in; first, count | out    | [op] [options]          |
// | transform_inclusive_scan | in; first, count | out    | op, transform [options] |
// | transform_exclusive_scan | in; first, count | out    | op, transform [options] |
//
// - `in`: a contiguous range of device memory (device_range). `first`: an iterator (item_iterator). An iterator that
//   stands for a pointer is read as a range is; any other is indexed by device code, item by item, with 64 bits.
// - `out`: a range of as many items, or more; or a device pointer or an iterator (device_outputs), which is written by
//   out[i] = value.
// - `op`: an associative operator (operators.hpp); the sum without it. `options`: reduce_options, {.stream = s} say.
//
// All functions of this header
// - fold strictly left to right with an operator that need only be associative. out[i] has the bits of reduce over the
//   items that it folds, with the same options: right-nested over the binary digits of their number. So a running total
//   agrees with a total, on every run, grid and GPU, and in the emulator. (An exclusive scan's first result is init,
//   else the identity, as far as `out` can hold it.)
// - enqueue one kernel on options.stream, never wait, and can be captured. Scratch does not depend on the count;
// - read each item once and write each result once, by vectors from and to any alignment, but for the ends;
// - join options.init to each result on its left, once. An exclusive scan without init needs an operator with identity;
// - accumulate in accumulator_t<Op, T>, T being the item type, or what the transform returns, and convert each result
//   to the items of `out`. A sum or product into a wider type does not compile: accumulate_in says which type is meant;
// - return nothing. The end of what they write is out + count, or out.begin() + in.size(); but it is written when the
//   stream gets there, and a returned end would look as if it were there already;
// - may write `out` onto `in`, if both begin at one address and have items of one type. Otherwise the output must be
//   apart from the input. It must be apart from *options.init;
// - cost the operations of the binary digits: up to log2(count) an item, half of it on average; two or three an item
//   for exact operators (integers, extrema, bits);
// - throw std::invalid_argument, before anything is enqueued, for a negative count, a null pointer with items, an
//   output that is too small or overlaps, an exclusive scan without init and identity, a workspace that is too small or
//   misaligned, a negative max_blocks and host memory where device memory is meant;
//   cuda_error for what CUDA reports.
//
// A tile waits for the nodes of earlier tiles, whose blocks run already. So the grid need not be cooperative. On sm_90,
// the kernel is launched while the one before it in the stream ends (a programmatic dependent launch), and waits for
// that before it touches memory.
#pragma once
#include <warpfold/host/leaves.cuh>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/scan/dispatch.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <scan::scan_kind Kind, class It, class Out, class Op, class Transform, class A>
void scan_items(const char* function, const char* argument, const It& given, std::int64_t count, const output<Out>& out,
                const Op& op, const Transform& transform, const reduce_options<A>& options) {
  using T = iterator_item_t<It>;
  if constexpr (check_types<Op, Transform, A, Out, T>()) {
    const auto first = to_kernel_iterator(given);
    host_side::check_count(function, count);
    host_side::check_output_sizes(function, out, count);
    if (count > 0) {
      host_side::check_pointer(function, argument, first);
      host_side::check_output_pointers(function, "out", out);
    }
    host_side::check_outputs_apart_or_in_place(function, argument, first, "out", out, count);
    host_side::check_outputs_apart_from(function, "init", options.init, "out", out, count);
    constexpr int items = warp::chunk_items_of<T, Out>();
    const auto leaves = make_leaves<A>(op, make_source_in_chunks<items>(first, count), transform);
    const auto to = lower_into<A>(op, out.first);
    constexpr auto policy = scan::policy_of<std::remove_cv_t<decltype(leaves)>, Op, std::remove_cv_t<decltype(to)>>();
    scan::enqueue<Kind, policy>(function, leaves, to, op, options);
  }
}

/// Inputs in host memory are scanned by host_memory_scan.cuh, which specialises this.
template <class In> struct host_scan { static constexpr bool exists = false; };

/// Parts that lie on ranks are scanned by ranks_scan.cuh, which specialises this.
template <class Ranks> struct rank_scan { static constexpr bool exists = false; };

/// Counts that the device knows are taken by device_count_scan.cuh, which specialises this.
template <class Count> struct counted_scan { static constexpr bool exists = false; };

/// A scan in all its forms. As an object, it is found by its name alone, never by the arguments' namespaces.
// No default argument and no default template argument for Op: `{...}` would otherwise bind to it.
template <scan::scan_kind Kind> struct scan_function : refused_sequences {
  using refused_sequences::operator();
  const char* name;

  /// Of the items of `in`, by `op`.
  template <device_range In, class Out, operator_argument Op, class A = accumulator_t<Op, item_t<const In>>>
  void operator()(const In& in, Out&& out, Op op, const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_items<Kind>(name, "in", in.data(), static_cast<std::int64_t>(in.size()), to_output(out), op,
                     thread::no_transform{}, options);
  }
  /// The sum.
  template <device_range In, class Out, class A = accumulator_t<plus, item_t<const In>>>
  void operator()(const In& in, Out&& out, const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(in, out, plus{}, options);
  }
  /// Of `count` items from `first` on, by `op`.
  template <item_iterator It, class Out, operator_argument Op, class A = accumulator_t<Op, iterator_item_t<It>>>
  void operator()(It first, const count_argument<It>& count, Out&& out, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_items<Kind>(name, "first", first, count.from(first), to_output(out), op, thread::no_transform{}, options);
  }
  /// The sum.
  template <item_iterator It, class Out, class A = accumulator_t<plus, iterator_item_t<It>>>
  void operator()(It first, const count_argument<It>& count, Out&& out,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(first, count, out, plus{}, options);
  }
  /// Of as many items as the device knows, where device_count_scan.cuh is included.
  template <item_iterator It, class Count, class Out, operator_argument Op,
            class A = accumulator_t<Op, iterator_item_t<It>>>
    requires(counted_scan<Count>::exists)
  void operator()(It first, const Count& count, Out&& out, Op op,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    counted_scan<Count>::template scan<Kind>(name, first, count, to_output(out), op, thread::no_transform{}, options);
  }
  /// The sum.
  template <item_iterator It, class Count, class Out, class A = accumulator_t<plus, iterator_item_t<It>>>
    requires(counted_scan<Count>::exists)
  void operator()(It first, const Count& count, Out&& out,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    (*this)(first, count, out, plus{}, options);
  }
  /// Of input in host memory, where host_memory_scan.cuh is included.
  template <class In, class Out, operator_argument Op>
    requires(host_scan<In>::exists)
  void operator()(const In& in, Out&& out, Op op,
                  const typename host_scan<In>::template options<Op>& options = {}) const {
    host_scan<In>::template scan<Kind>(name, in, out, op, options);
  }
  /// Of the items of all ranks, of which `in` is the part `of`, where ranks_scan.cuh is included.
  template <class Ranks, device_range In, class Part, class Out, operator_argument Op,
            class A = accumulator_t<Op, item_t<const In>>>
    requires(rank_scan<Ranks>::exists)
  void operator()(Ranks& ranks, const In& in, Part of, Out&& out, Op op,
                  const typename rank_scan<Ranks>::template options<A>& options = {}) const {
    rank_scan<Ranks>::template scan<Kind, A>(name, ranks, in, of, out, op, options);
  }
};

/// A scan of transformed items. The accumulator follows what `transform` returns.
template <scan::scan_kind Kind> struct transform_scan_function : refused_transforms {
  using refused_transforms::operator();
  const char* name;

  /// Of the items of `in`.
  template <device_range In, class Out, operator_argument Op, class Transform,
            class A = transformed_accumulator_t<Op, Transform, item_t<const In>>>
  void operator()(const In& in, Out&& out, Op op, Transform transform,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_items<Kind>(name, "in", in.data(), static_cast<std::int64_t>(in.size()), to_output(out), op, transform,
                     options);
  }
  /// Of `count` items from `first` on.
  template <item_iterator It, class Out, operator_argument Op, class Transform,
            class A = transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
  void operator()(It first, const count_argument<It>& count, Out&& out, Op op, Transform transform,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    scan_items<Kind>(name, "first", first, count.from(first), to_output(out), op, transform, options);
  }
  /// Of as many items as the device knows, where device_count_scan.cuh is included.
  template <item_iterator It, class Count, class Out, operator_argument Op, class Transform,
            class A = transformed_accumulator_t<Op, Transform, iterator_item_t<It>>>
    requires(counted_scan<Count>::exists)
  void operator()(It first, const Count& count, Out&& out, Op op, Transform transform,
                  const std::type_identity_t<reduce_options<A>>& options = {}) const {
    counted_scan<Count>::template scan<Kind>(name, first, count, to_output(out), op, transform, options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// out[i] = init op in[0] op … op in[i].
inline constexpr detail::scan_function<scan::scan_kind::inclusive> inclusive_scan{{}, "inclusive_scan"};
/// out[i] = init op in[0] op … op in[i - 1]; out[0] = init, or the operator's identity.
inline constexpr detail::scan_function<scan::scan_kind::exclusive> exclusive_scan{{}, "exclusive_scan"};

/// out[i] = init op transform(in[0]) op … op transform(in[i]).
inline constexpr detail::transform_scan_function<scan::scan_kind::inclusive> transform_inclusive_scan{
    {}, "transform_inclusive_scan"};
/// out[i] = init op transform(in[0]) op … op transform(in[i - 1]); out[0] = init, or the operator's identity.
inline constexpr detail::transform_scan_function<scan::scan_kind::exclusive> transform_exclusive_scan{
    {}, "transform_exclusive_scan"};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
