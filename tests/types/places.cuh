// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the smallest and largest items are, the best few, moments and statistics, in the table of types.
#pragma once
#include <algorithm>
#include "types/everyday.cuh"
#include "types/segments.cuh"

namespace types {

/// The first item that no other one of the `items` precedes; index -1 if there is none.
template <bool Smaller, class Out, class T> Out place_of(std::span<const T> items) {
  using A = accumulator<T>;
  using V = decltype(Out::value);
  std::int64_t best = -1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto at = [&](std::size_t k) { return as<A>(items[k]); };
    const auto b = static_cast<std::size_t>(best);
    if (best < 0 || (Smaller ? at(i) < at(b) : at(b) < at(i))) best = static_cast<std::int64_t>(i);
  }
  using I = decltype(Out::index);
  if (best >= 0) return {as<V>(as<A>(items[static_cast<std::size_t>(best)])), static_cast<I>(best)};
  if constexpr (!is_number<T>) return {as<V>(A{}), I{-1}};
  else return {model<std::conditional_t<Smaller, wf::minimum, wf::maximum>>::template nothing<V, A>(), I{-1}};
}

/// indexed_value of the items' type, with a wider or narrower one, and an int as index.
template <class T, class Kind> struct place_output { using type = none; };
template <class T, class Kind>
  requires(!std::is_same_v<numbers_of<T, Kind>, none>)
struct place_output<T, Kind> {
  using type = wf::indexed_value<numbers_of<T, Kind>,
                                 std::conditional_t<std::is_same_v<Kind, narrower>, std::int32_t, std::int64_t>>;
};
template <class T, class Kind> struct both_output { using type = none; };
template <class T, class Kind>
  requires(!std::is_same_v<numbers_of<T, Kind>, none>)
struct both_output<T, Kind> {
  using type = wf::indexed_extrema<numbers_of<T, Kind>>;
};
template <class T, class V> consteval refusal refused_place() {
  if (!model<wf::minimum>::takes<T>) return no_operator;
  return requires(const accumulator<T>& value) { static_cast<V>(value); }
  ? accepted : not_written;
}

enum class form { sequence, segments, keys };
/// argmin, argmax, and their forms for segments and keys.
template <bool Smaller, form Form> struct finds {
  static std::string name() {
    return std::string(Form == form::segments ? "segmented_" : "") + (Smaller ? "argmin" : "argmax") +
           (Form == form::keys ? "_by_key" : "");
  }
  template <class T, class Kind> using output = typename place_output<T, Kind>::type;
  template <class T, class Out> static consteval refusal refused() {
    const refusal why = refused_place<T, decltype(Out::value)>();
    if (why == accepted && Form == form::keys && alignof(T) > 16)
      return "reduce_by_key takes accumulators that are aligned to 16 bytes";
    return why;
  }
  static std::vector<int> bounds(std::size_t items) {
    if (Form == form::sequence) return {0, static_cast<int>(items)};
    return Form == form::segments ? offsets_of(items) : heads_of(keys_of(items));
  }
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    const auto results = static_cast<std::int64_t>(bounds(items.size()).size()) - 1;
    const device_array<Out> out(Form == form::keys ? in.count() : results);
    all.record([&] {
      if constexpr (Form == form::sequence) {
        if constexpr (Smaller) wf::argmin(in.items(), out.data());
        else wf::argmax(in.items(), out.data());
      } else if constexpr (Form == form::segments) {
        const device_array<int> offsets(offsets_of(items.size()));
        if constexpr (Smaller) wf::segmented_argmin(in.items(), offsets.items(), out.data());
        else wf::segmented_argmax(in.items(), offsets.items(), out.data());
      } else {
        const device_array<int> keys(keys_of(items.size())), out_keys(keys.count()), count(1);
        constexpr auto from = wf::relative_to::segment;
        if constexpr (Smaller)
          wf::argmin_by_key<from>(keys.items(), in.items(), out_keys.data(), out.data(), count.data());
        else wf::argmax_by_key<from>(keys.items(), in.items(), out_keys.data(), out.data(), count.data());
      }
      return to_host(out, results);
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    list<Out> results;
    for_segments(items, bounds(items.size()),
                 [&](std::span<const T> segment) { results.push_back(place_of<Smaller, Out>(segment)); });
    all.record([&] { return results; });
  }
};

struct finds_both : one_result<finds_both> {
  static std::string name() { return "arg_minmax"; }
  template <class T, class Kind> using output = typename both_output<T, Kind>::type;
  template <class T, class Out> static consteval refusal refused() {
    return refused_place<T, decltype(Out::minimum.value)>();
  }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::arg_minmax(in, out); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    using place = decltype(Out::minimum);
    return {place_of<true, place>(items), place_of<false, place>(items)};
  }
};

/// The three largest items.
struct finds_top : one_result<finds_top> {
  static std::string name() { return "top_k"; }
  template <class T, class Kind>
  using output = std::conditional_t<std::is_same_v<Kind, of_items>, wf::best_items<accumulator<T>, 3>, none>;
  template <class T, class> static consteval refusal refused() {
    return model<wf::maximum>::takes<T> ? accepted : no_operator;
  }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::reduce(in, out, wf::top_k<3>{}); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < items.size(); ++i) order.push_back(static_cast<std::int64_t>(i));
    const auto at = [&](std::int64_t i) { return as<accumulator<T>>(items[static_cast<std::size_t>(i)]); };
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return at(b) < at(a); });
    Out best{};
    for (std::size_t k = 0; k < 3; ++k)
      if (k < order.size()) best.item[k] = {at(order[k]), order[k]};
      else best.item[k] = place_of<false, wf::indexed_value<accumulator<T>>>(std::span<const T>{});
    return best;
  }
};

/// Moments of order 2. Their powers are close, their sums exact.
struct has_two_moments : one_result<has_two_moments> {
  static std::string name() { return "moments"; }
  template <class T, class Kind>
  using output = std::conditional_t<std::is_same_v<Kind, of_items>, wf::moments_of<2>, none>;
  template <class T, class> static consteval refusal refused() { return is_number<T> ? accepted : no_operator; }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::reduce(in, out, wf::moments{}); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    Out all{};
    for (const T& value : items) ++all.count, all.sum += static_cast<double>(as<accumulator<T>>(value));
    const double mean = all.sum / static_cast<double>(all.count);
    for (const T& value : items) all.power[0] += std::pow(static_cast<double>(as<accumulator<T>>(value)) - mean, 2);
    return all;
  }
};
struct has_statistics : one_result<has_statistics> {
  static std::string name() { return "statistics"; }
  template <class T, class Kind>
  using output = std::conditional_t<std::is_same_v<Kind, of_items>, wf::statistics_of<accumulator<T>>, none>;
  template <class T, class> static consteval refusal refused() { return is_number<T> ? accepted : no_operator; }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::reduce(in, out, wf::statistics{}); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    using A = accumulator<T>;
    return {has_two_moments::result<wf::moments_of<2>>(items), fold<wf::minimum_number, A>(items),
            fold<wf::maximum_number, A>(items), 0};
  }
};

}  // namespace types
