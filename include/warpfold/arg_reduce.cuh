// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the smallest or the largest item lies: argmin, argmax, arg_minmax; of segments; of runs of equal keys.
//
// | function                                   | inputs              | outputs                         | then      |
// |--------------------------------------------|---------------------|---------------------------------|-----------|
// | argmin, argmax, arg_minmax                 | in; or first, count | out                             | [less]    |
// | argmin_value, argmax_value, ...            | in; or first, count | returned                        | [less]    |
// | segmented_argmin, _argmax, _arg_minmax     | in; or first, count | segments, then out              | [options] |
// | argmin_by_key, argmax_by_key, ...          | keys, values[, count] | out_keys, out_values, out_count | [options] |
//
// Each call may end with options. `less`, a strict weak order less(a, b) of items, stands for <; the value is then the
// item as it is, of its own type (arg_by_operators.hpp).
// Inputs, outputs and segments are those of reduce, segmented_reduce and reduce_by_key, which these functions call with
// the operators of arg_operators.hpp: their order, determinism, cost and errors hold. arg_operators.hpp says how ties,
// zeros and NaN are decided.
// - The result is an indexed_value<V> {value, index}, of arg_minmax an indexed_extrema<V> {minimum, maximum}. V is
//   accumulator_t<minimum, T>: the item type, but float for half, int for int8, and so on. It converts to an
//   indexed_value of other types: `out` may hold indexed_value<__half, int>, say.
// - An empty input or segment gives index -1.
// - Template arguments choose, first to last: for segments and keys what an index is relative to; which of several
//   equal items is taken; whether NaN wins or is ignored. As in argmin<wf::ties::last>(in, out), or
//   segmented_argmax<wf::relative_to::array, wf::ties::first, wf::nans::ignore>(in, offsets, out).
// - Options: reduce_options for one sequence, call_options for segments and keys. For .init, and for transforms, call
//   reduce, transform_reduce and their kin with the operator, as transform_reduce(in, out, arg_maximum{}, magnitude{}).
// - Cost: for 4- and 8-byte items, that of minimum. Accumulators have 16 bytes (arg_minmax: 32); 8 (16) in segments of
//   inputs below 2^31 items of 4 bytes or less, where a second kernel is compiled.
#pragma once
#include <warpfold/arg_operators.hpp>
#include <warpfold/arg_reduce_by.cuh>
#include <warpfold/call_options.hpp>
#include <warpfold/host/refused_arg_reductions.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/segmented_reduce.cuh>

namespace warpfold {

/// Whether indices count from the first item of the array, or from that of the item's segment or run.
enum class relative_to { array, segment };

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The options of a call that reduces the items of `In`, a range or an iterator, by `Op`.
template <class Op, class In> using arg_options = reduce_options<accumulator_t<Op, items_argument_t<In>>>;

/// `Op` with indices as `R` and the form of segments ask.
template <relative_to R, class S, class Op> struct arg_of_segments { using type = Op; };
template <class S, class Op> struct arg_of_segments<relative_to::segment, S, Op> { using type = within_segment<Op>; };
template <class Ids, class Op> struct arg_of_segments<relative_to::segment, owners<Ids>, Op> {
  using type = within_run<Op>;
};

/// The arg-reduction `Op` with indices of type `Index`.
template <class Op, class Index> struct with_index;
template <template <ties, nans, class> class Arg, ties T, nans N, class Old, class Index>
struct with_index<Arg<T, N, Old>, Index> {
  using type = Arg<T, N, Index>;
};

/// Indices of 32 bits suffice for inputs below 2^31 items; accumulators are half as large then.
template <relative_to R, class Arg, class It, class S, class Out>
void reduce_arg_segments(const char* function, const char* argument, const It& first, std::int64_t count,
                         const S& segments, Out&& out, const call_options& options) {
  const auto call = [&]<class Op>(Op op) {
    const segmented_options<accumulator_t<Op, iterator_item_t<It>>> all{
        options.stream, {}, {}, options.workspace, options.max_blocks};
    reduce_segments<automatic>(function, argument, first, count, segments, out, op, thread::no_transform{}, all);
  };
  if constexpr (sizeof(iterator_item_t<It>) <= 4)
    if (count <= std::numeric_limits<std::int32_t>::max())
      return call(typename arg_of_segments<R, S, typename with_index<Arg, std::int32_t>::type>::type{});
  call(typename arg_of_segments<R, S, Arg>::type{});
}

template <relative_to R, class Arg, class KeyIt, class ValueIt, class... Outs>
void reduce_arg_runs(const char* function, const call_options& options, const KeyIt& keys, const ValueIt& values,
                     std::int64_t count, Outs&&... outs) {
  using op = std::conditional_t<R == relative_to::array, Arg, within_run<Arg>>;
  const arg_options<op, ValueIt> all{options.stream, {}, options.workspace, options.max_blocks};
  reduce_runs(function, keys, values, count, to_output(outs)..., op{}, thread::no_transform{}, equal_to{}, all);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

// ---- the smallest item ----

/// *out = the smallest item of `in` and its index.
template <ties T = ties::first, nans N = nans::propagate, device_range In, class Out>
void argmin(const In& in, Out&& out, const detail::arg_options<arg_minimum<T, N>, In>& options = {}) {
  detail::reduce_range<automatic>("argmin", in, out, arg_minimum<T, N>{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, nans N = nans::propagate, item_iterator It, class Out>
void argmin(It first, const count_argument<It>& count, Out&& out,
            const detail::arg_options<arg_minimum<T, N>, It>& options = {}) {
  detail::reduce_items<automatic>("argmin", "first", first, count.from(first), out, arg_minimum<T, N>{},
                                  thread::no_transform{}, options);
}
/// argmin, waiting for the stream and returning the result.
template <ties T = ties::first, nans N = nans::propagate, device_range In>
[[nodiscard]] auto argmin_value(const In& in, const detail::arg_options<arg_minimum<T, N>, In>& options = {}) {
  return detail::value_of_range<automatic>("argmin_value", in, arg_minimum<T, N>{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, nans N = nans::propagate, item_iterator It>
[[nodiscard]] auto argmin_value(It first, const count_argument<It>& count,
                                const detail::arg_options<arg_minimum<T, N>, It>& options = {}) {
  return detail::value_of_items<automatic>("argmin_value", "first", first, count.from(first), arg_minimum<T, N>{},
                                           options);
}
/// argmin of each segment: segmented_reduce. Indices count from the segment's begin, or as `R` says.
template <relative_to R = relative_to::segment, ties T = ties::first, nans N = nans::propagate, device_range In,
          segments Segments, class Out>
void segmented_argmin(const In& in, const Segments& segments, Out&& out, const call_options& options = {}) {
  detail::reduce_arg_segments<R, arg_minimum<T, N>>("segmented_argmin", "in", in.data(),
                                                    static_cast<std::int64_t>(in.size()), segments, out, options);
}
/// The same of the `count` items from `first` on.
template <relative_to R = relative_to::segment, ties T = ties::first, nans N = nans::propagate, item_iterator It,
          segments Segments, class Out>
void segmented_argmin(It first, const count_argument<It>& count, const Segments& segments, Out&& out,
                      const call_options& options = {}) {
  detail::reduce_arg_segments<R, arg_minimum<T, N>>("segmented_argmin", "first", first, count.from(first), segments,
                                                    out, options);
}
/// argmin of each run of equal keys: reduce_by_key. Indices count from the begin of the array, or as `R` says.
template <relative_to R = relative_to::array, ties T = ties::first, nans N = nans::propagate, class Keys, class Values>
  requires counted_items<Keys, Values>
void argmin_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count,
                   const call_options& options = {}) {
  detail::reduce_arg_runs<R, arg_minimum<T, N>>(
      "argmin_by_key", options, detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
      detail::common_size("argmin_by_key", keys, values), out_keys, out_values, out_count);
}
/// The same over `count` items of two iterators.
template <relative_to R = relative_to::array, ties T = ties::first, nans N = nans::propagate, item_iterator KeyIt,
          item_iterator ValueIt>
void argmin_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count,
                   const call_options& options = {}) {
  detail::reduce_arg_runs<R, arg_minimum<T, N>>("argmin_by_key", options, to_kernel_iterator(keys),
                                                to_kernel_iterator(values), count, out_keys, out_values, out_count);
}

// ---- the largest item ----

/// *out = the largest item of `in` and its index.
template <ties T = ties::first, nans N = nans::propagate, device_range In, class Out>
void argmax(const In& in, Out&& out, const detail::arg_options<arg_maximum<T, N>, In>& options = {}) {
  detail::reduce_range<automatic>("argmax", in, out, arg_maximum<T, N>{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, nans N = nans::propagate, item_iterator It, class Out>
void argmax(It first, const count_argument<It>& count, Out&& out,
            const detail::arg_options<arg_maximum<T, N>, It>& options = {}) {
  detail::reduce_items<automatic>("argmax", "first", first, count.from(first), out, arg_maximum<T, N>{},
                                  thread::no_transform{}, options);
}
/// argmax, waiting for the stream and returning the result.
template <ties T = ties::first, nans N = nans::propagate, device_range In>
[[nodiscard]] auto argmax_value(const In& in, const detail::arg_options<arg_maximum<T, N>, In>& options = {}) {
  return detail::value_of_range<automatic>("argmax_value", in, arg_maximum<T, N>{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, nans N = nans::propagate, item_iterator It>
[[nodiscard]] auto argmax_value(It first, const count_argument<It>& count,
                                const detail::arg_options<arg_maximum<T, N>, It>& options = {}) {
  return detail::value_of_items<automatic>("argmax_value", "first", first, count.from(first), arg_maximum<T, N>{},
                                           options);
}
/// argmax of each segment: segmented_reduce. Indices count from the segment's begin, or as `R` says.
template <relative_to R = relative_to::segment, ties T = ties::first, nans N = nans::propagate, device_range In,
          segments Segments, class Out>
void segmented_argmax(const In& in, const Segments& segments, Out&& out, const call_options& options = {}) {
  detail::reduce_arg_segments<R, arg_maximum<T, N>>("segmented_argmax", "in", in.data(),
                                                    static_cast<std::int64_t>(in.size()), segments, out, options);
}
/// The same of the `count` items from `first` on.
template <relative_to R = relative_to::segment, ties T = ties::first, nans N = nans::propagate, item_iterator It,
          segments Segments, class Out>
void segmented_argmax(It first, const count_argument<It>& count, const Segments& segments, Out&& out,
                      const call_options& options = {}) {
  detail::reduce_arg_segments<R, arg_maximum<T, N>>("segmented_argmax", "first", first, count.from(first), segments,
                                                    out, options);
}
/// argmax of each run of equal keys: reduce_by_key. Indices count from the begin of the array, or as `R` says.
template <relative_to R = relative_to::array, ties T = ties::first, nans N = nans::propagate, class Keys, class Values>
  requires counted_items<Keys, Values>
void argmax_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count,
                   const call_options& options = {}) {
  detail::reduce_arg_runs<R, arg_maximum<T, N>>(
      "argmax_by_key", options, detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
      detail::common_size("argmax_by_key", keys, values), out_keys, out_values, out_count);
}
/// The same over `count` items of two iterators.
template <relative_to R = relative_to::array, ties T = ties::first, nans N = nans::propagate, item_iterator KeyIt,
          item_iterator ValueIt>
void argmax_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, output_argument auto&& out_keys,
                   output_argument auto&& out_values, output_argument auto&& out_count,
                   const call_options& options = {}) {
  detail::reduce_arg_runs<R, arg_maximum<T, N>>("argmax_by_key", options, to_kernel_iterator(keys),
                                                to_kernel_iterator(values), count, out_keys, out_values, out_count);
}

// ---- both ----

/// *out = the smallest and the largest item of `in` and their indices.
template <ties T = ties::first, nans N = nans::propagate, device_range In, class Out>
void arg_minmax(const In& in, Out&& out, const detail::arg_options<arg_extrema<T, N>, In>& options = {}) {
  detail::reduce_range<automatic>("arg_minmax", in, out, arg_extrema<T, N>{}, thread::no_transform{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, nans N = nans::propagate, item_iterator It, class Out>
void arg_minmax(It first, const count_argument<It>& count, Out&& out,
                const detail::arg_options<arg_extrema<T, N>, It>& options = {}) {
  detail::reduce_items<automatic>("arg_minmax", "first", first, count.from(first), out, arg_extrema<T, N>{},
                                  thread::no_transform{}, options);
}
/// arg_minmax, waiting for the stream and returning the result.
template <ties T = ties::first, nans N = nans::propagate, device_range In>
[[nodiscard]] auto arg_minmax_value(const In& in, const detail::arg_options<arg_extrema<T, N>, In>& options = {}) {
  return detail::value_of_range<automatic>("arg_minmax_value", in, arg_extrema<T, N>{}, options);
}
/// The same of `count` items from `first` on.
template <ties T = ties::first, nans N = nans::propagate, item_iterator It>
[[nodiscard]] auto arg_minmax_value(It first, const count_argument<It>& count,
                                    const detail::arg_options<arg_extrema<T, N>, It>& options = {}) {
  return detail::value_of_items<automatic>("arg_minmax_value", "first", first, count.from(first), arg_extrema<T, N>{},
                                           options);
}
/// arg_minmax of each segment: segmented_reduce. Indices count from the segment's begin, or as `R` says.
template <relative_to R = relative_to::segment, ties T = ties::first, nans N = nans::propagate, device_range In,
          segments Segments, class Out>
void segmented_arg_minmax(const In& in, const Segments& segments, Out&& out, const call_options& options = {}) {
  detail::reduce_arg_segments<R, arg_extrema<T, N>>("segmented_arg_minmax", "in", in.data(),
                                                    static_cast<std::int64_t>(in.size()), segments, out, options);
}
/// The same of the `count` items from `first` on.
template <relative_to R = relative_to::segment, ties T = ties::first, nans N = nans::propagate, item_iterator It,
          segments Segments, class Out>
void segmented_arg_minmax(It first, const count_argument<It>& count, const Segments& segments, Out&& out,
                          const call_options& options = {}) {
  detail::reduce_arg_segments<R, arg_extrema<T, N>>("segmented_arg_minmax", "first", first, count.from(first), segments,
                                                    out, options);
}
/// arg_minmax of each run of equal keys: reduce_by_key. Indices count from the begin of the array, or as `R` says.
template <relative_to R = relative_to::array, ties T = ties::first, nans N = nans::propagate, class Keys, class Values>
  requires counted_items<Keys, Values>
void arg_minmax_by_key(const Keys& keys, const Values& values, output_argument auto&& out_keys,
                       output_argument auto&& out_values, output_argument auto&& out_count,
                       const call_options& options = {}) {
  detail::reduce_arg_runs<R, arg_extrema<T, N>>(
      "arg_minmax_by_key", options, detail::items_of<Keys>::first(keys), detail::items_of<Values>::first(values),
      detail::common_size("arg_minmax_by_key", keys, values), out_keys, out_values, out_count);
}
/// The same over `count` items of two iterators.
template <relative_to R = relative_to::array, ties T = ties::first, nans N = nans::propagate, item_iterator KeyIt,
          item_iterator ValueIt>
void arg_minmax_by_key(const KeyIt& keys, const ValueIt& values, std::int64_t count, output_argument auto&& out_keys,
                       output_argument auto&& out_values, output_argument auto&& out_count,
                       const call_options& options = {}) {
  detail::reduce_arg_runs<R, arg_extrema<T, N>>("arg_minmax_by_key", options, to_kernel_iterator(keys),
                                                to_kernel_iterator(values), count, out_keys, out_values, out_count);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
