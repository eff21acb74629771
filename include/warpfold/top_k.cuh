// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best k items and where they are, for any k up to 1024 that is known when the call is made. (For k up to 16 at
// compile time, the operators top_k<K> and bottom_k<K> go wherever operators go: top_k_operators.hpp. Along an axis of
// an array: top_k_axes.cuh.)
//
// | function                            | input               | segments          | then                            |
// |-------------------------------------|---------------------|-------------------|---------------------------------|
// | top_k_items, bottom_k_items         | in; or first, count |                   | k, values, indices [options]    |
// | segmented_top_k, segmented_bottom_k | in; or first, count | any but owners    | k, values, indices [options]    |
//
// - `in`, `first`, `count`: those of reduce. Items are numbers of up to 64 bits, half, bfloat16 and fp8 too. Iterators
//   that compute items are asked again for the items that are written.
// - `k`: 0 to 1024. `values`, `indices`: a device pointer, an iterator or a range each, of k items; of segments, of k
//   for each, one segment after another. A range must have that size. Indices are numbers of the input, or count from
//   the begin of the segment; any integers hold them.
// - Segments, as of segmented_reduce: fixed_length, as the rows of a matrix; offsets; bounds; the first of these, as
//   many as the device knows: then outputs have room for as many as there may be, and lists of others stay as they are.
//   If neither the segments nor a range among the outputs tell their number, the call does not compile.
// - `options`: call_options.
//
// Results are sorted, the best one first. Of equal items, those of the lowest indices are taken, and come first. -0 and
// +0 are equal. A NaN comes before all numbers; with nans::ignore, as in top_k_items<wf::nans::ignore>(...), after
// them. If there are fewer than k items, the other places have index -1 and the identity of the extremum as value (of
// segments alike): so operators top_k and bottom_k define it, and results agree with theirs.
//
// The order is total, so results are the same on every GPU and grid, and in the emulator. All functions enqueue one
// kernel on options.stream, never wait, and can be captured. Each item is read once, but for the results and some
// others that may be among the best. Scratch depends on k and the device alone. Segments of one length are fastest; a
// segment is read by one block if there are more segments than the device holds blocks, however long it is.
//
// They throw std::invalid_argument, before anything is enqueued, for k below 0 or above 1024, ranges whose sizes do not
// match, null pointers, outputs within an input or within each other, a workspace that is too small or misaligned, host
// memory where device memory is meant, and for a sequence or a segment of one length that has more than 2^32 - 1 items
// of 32 bits, or 2^37 others; cuda_error for what CUDA reports. What segments promise is checked as in
// segmented_reduce, and that no other segment has more items than that. A default wf::workspace suffices for any k.
#pragma once
#include <warpfold/call_options.hpp>
#include <warpfold/host/checked_source.cuh>
#include <warpfold/host/refused_calls.hpp>
#include <warpfold/item_count.hpp>
#include <warpfold/outputs.hpp>
#include <warpfold/segments/arguments.cuh>
#include <warpfold/top_k/dispatch.cuh>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Checks the types of a call over items of type `T`.
template <class T, class Values, class Indices> consteval bool check_top_k_types() {
  using V = typename promoted<T>::type;
  constexpr bool is_number = std::is_arithmetic_v<V> && sizeof(V) <= 8;
  static_assert(is_number, "warpfold: top_k_items takes numbers of up to 64 bits");
  return is_number && check_written<V, Values>() && check_written<std::int64_t, Indices>();
}

/// The items of a call, as messages name them.
template <class It> struct top_k_input {
  const char* function;
  const char* argument;
  const It& first;
  std::int64_t count;
};

/// Checks an output, called `name`, of `expected` items. It must not lie within the input.
template <class It, class Out>
void check_top_k_output(const top_k_input<It>& in, const char* name, const output<Out>& out, std::int64_t expected) {
  if (out.size >= 0 && out.size != expected)
    reject(in.function, {name, " has ", out.size, " items, not ", expected, ", k for each sequence or segment"});
  if (expected > 0) host_side::check_pointer(in.function, name, out.first);
  host_side::check_apart(in.function, in.argument, to_kernel_iterator(in.first), in.count, name, out.first, expected);
}

/// Stands for the segments of a sequence: all items are one.
struct whole_input {};

/// The number of lists of k > 0 results: that of segments, as the outputs tell it if they are sized, or else the
/// segments; if the device knows it, as many as there may be. `both` are the outputs.
template <bool IsSized, class Segments, class Out>
std::int64_t count_of_lists(const char* function, const Segments& segments, std::int64_t count, std::int64_t k,
                            const Out& both) {
  if constexpr (std::is_same_v<Segments, whole_input>) return 1;
  else if constexpr (!IsSized || requires { segments.count.checked(function); })
    return segment::count_of(function, segments, count);
  else {
    if (both.size % k != 0) reject(function, {"an output has ", both.size, " items, no multiple of k, which is ", k});
    return both.size / k;
  }
}

/// Enqueues a call of any function here.
template <bool Smallest, nans Nans, class It, class Segments, class Values, class Indices>
void enqueue_top_k(const top_k_input<It>& in, const Segments& segments, std::int64_t k, Values&& values,
                   Indices&& indices, const call_options& options) {
  using T = iterator_item_t<It>;
  using order = selection::item_order<Smallest, Nans, T>;
  const char* const function = in.function;
  constexpr bool tells_begins = !requires { segments.ids; };
  static_assert(tells_begins,
                "warpfold: owners do not tell where a segment begins: pass offsets, bounds or fixed_length");
  if constexpr (tells_begins && check_top_k_types<T, output_iterator_t<Values>, output_iterator_t<Indices>>()) {
    if (k < 0 || k > selection::most_k) reject(function, {"k is ", k, "; it must be 0 to ", selection::most_k});
    const auto source = checked_source(function, in.argument, in.first, in.count);
    const auto frame = selection::frame_of<order>(function, static_cast<int>(k), options);
    auto both = outputs(values, indices).all;
    const auto to_values = to_output(values);
    const auto to_indices = to_output(indices);
    constexpr bool is_sized = is_sized_output<Values> || is_sized_output<Indices>;
    const std::int64_t lists = k == 0 ? 0 : count_of_lists<is_sized>(function, segments, in.count, k, both);
    both.size = lists * k;
    check_top_k_output(in, "values", to_values, both.size);
    check_top_k_output(in, "indices", to_indices, both.size);
    host_side::check_apart(function, "values", to_values.first, both.size, "indices", to_indices.first, both.size);
    if (lists == 0) return;
    constexpr bool is_whole = std::is_same_v<Segments, whole_input>;
    const auto enqueue = [&](const auto& spans) {
      selection::enqueue<order, !is_whole>(frame, source, spans, static_cast<int>(k), to_values.first,
                                           to_indices.first);
    };
    if constexpr (is_whole) enqueue(segment::fixed_length_spans{in.count, 1});
    else enqueue(segment::checked_spans(function, segments, in.count, lists, is_sized ? "out" : "begins", both));
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// values[i], indices[i] = the i-th largest item of `in` and its number, for i < k.
template <nans Nans = nans::propagate, device_range In, class Values, class Indices>
void top_k_items(const In& in, std::int64_t k, Values&& values, Indices&& indices, const call_options& options = {}) {
  const auto first = in.data();
  detail::enqueue_top_k<false, Nans>(
      detail::top_k_input<std::remove_const_t<decltype(first)>>{"top_k_items", "in", first,
                                                                static_cast<std::int64_t>(in.size())},
      detail::whole_input{}, k, values, indices, options);
}
/// The same of the `count` items from `first` on.
template <nans Nans = nans::propagate, item_iterator It, class Values, class Indices>
void top_k_items(It first, const count_argument<It>& count, std::int64_t k, Values&& values, Indices&& indices,
                 const call_options& options = {}) {
  detail::enqueue_top_k<false, Nans>(detail::top_k_input<It>{"top_k_items", "first", first, count.from(first)},
                                     detail::whole_input{}, k, values, indices, options);
}

/// values[i], indices[i] = the i-th smallest item of `in` and its number, for i < k.
template <nans Nans = nans::propagate, device_range In, class Values, class Indices>
void bottom_k_items(const In& in, std::int64_t k, Values&& values, Indices&& indices,
                    const call_options& options = {}) {
  const auto first = in.data();
  detail::enqueue_top_k<true, Nans>(
      detail::top_k_input<std::remove_const_t<decltype(first)>>{"bottom_k_items", "in", first,
                                                                static_cast<std::int64_t>(in.size())},
      detail::whole_input{}, k, values, indices, options);
}
/// The same of the `count` items from `first` on.
template <nans Nans = nans::propagate, item_iterator It, class Values, class Indices>
void bottom_k_items(It first, const count_argument<It>& count, std::int64_t k, Values&& values, Indices&& indices,
                    const call_options& options = {}) {
  detail::enqueue_top_k<true, Nans>(detail::top_k_input<It>{"bottom_k_items", "first", first, count.from(first)},
                                    detail::whole_input{}, k, values, indices, options);
}

/// values[s * k + i], indices[s * k + i] = the i-th largest item of segment s of `in`, and its number in the segment.
template <nans Nans = nans::propagate, device_range In, segments Segments, class Values, class Indices>
void segmented_top_k(const In& in, const Segments& segments, std::int64_t k, Values&& values, Indices&& indices,
                     const call_options& options = {}) {
  const auto first = in.data();
  detail::enqueue_top_k<false, Nans>(
      detail::top_k_input<std::remove_const_t<decltype(first)>>{"segmented_top_k", "in", first,
                                                                static_cast<std::int64_t>(in.size())},
      segments, k, values, indices, options);
}
/// The same of the `count` items from `first` on.
template <nans Nans = nans::propagate, item_iterator It, segments Segments, class Values, class Indices>
void segmented_top_k(It first, const count_argument<It>& count, const Segments& segments, std::int64_t k,
                     Values&& values, Indices&& indices, const call_options& options = {}) {
  detail::enqueue_top_k<false, Nans>(detail::top_k_input<It>{"segmented_top_k", "first", first, count.from(first)},
                                     segments, k, values, indices, options);
}

/// values[s * k + i], indices[s * k + i] = the i-th smallest item of segment s of `in`, and its number in the segment.
template <nans Nans = nans::propagate, device_range In, segments Segments, class Values, class Indices>
void segmented_bottom_k(const In& in, const Segments& segments, std::int64_t k, Values&& values, Indices&& indices,
                        const call_options& options = {}) {
  const auto first = in.data();
  detail::enqueue_top_k<true, Nans>(
      detail::top_k_input<std::remove_const_t<decltype(first)>>{"segmented_bottom_k", "in", first,
                                                                static_cast<std::int64_t>(in.size())},
      segments, k, values, indices, options);
}
/// The same of the `count` items from `first` on.
template <nans Nans = nans::propagate, item_iterator It, segments Segments, class Values, class Indices>
void segmented_bottom_k(It first, const count_argument<It>& count, const Segments& segments, std::int64_t k,
                        Values&& values, Indices&& indices, const call_options& options = {}) {
  detail::enqueue_top_k<true, Nans>(detail::top_k_input<It>{"segmented_bottom_k", "first", first, count.from(first)},
                                    segments, k, values, indices, options);
}

// ---- what is refused (host/refused_calls.hpp) ----

template <nans Nans = nans::propagate, class Call = void>
void top_k_items(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                 detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                 detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

template <nans Nans = nans::propagate, class Call = void>
void bottom_k_items(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                    detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

template <nans Nans = nans::propagate, class Call = void>
void segmented_top_k(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                     detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                     detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

template <nans Nans = nans::propagate, class Call = void>
void segmented_bottom_k(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                        detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                        detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
