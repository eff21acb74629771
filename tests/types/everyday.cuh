// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everyday reductions, questions and statistics in the table of types.
#pragma once
#include <cmath>

#include "types/reductions.cuh"

namespace types {

/// A complex number's modulus is a real number.
template <class T> consteval auto magnitude_type() {
  if constexpr (is_complex<T>) return std::type_identity<typename T::value_type>{};
  else return std::type_identity<accumulator<T>>{};
}
template <class T> using magnitude_of = typename decltype(magnitude_type<T>())::type;
/// Norms, means and the like are float for float and narrower types, else double.
template <class T>
using real_of = std::conditional_t<is_any_of<T, double, complex_double> || is_integer<T>, double, float>;
inline constexpr refusal no_magnitude{"a magnitude is known of"};

template <class T> magnitude_of<T> magnitude(const T& value) {
  if constexpr (is_complex<T>) return std::hypot(value.real(), value.imag());
  else {
    const auto number = as<accumulator<T>>(value);
    return number < accumulator<T>(0) ? static_cast<accumulator<T>>(-number) : number;
  }
}
/// Complex items with whole moduli.
template <class T> list<T> with_whole_moduli(const list<T>& items) {
  if constexpr (!is_complex<T>) return items;
  else {
    list<T> whole;
    for (std::size_t i = 0; i < items.size(); ++i)
      whole.push_back(i % 3 == 0 ? T(3, -4) : i % 3 == 1 ? T(-5, 12) : T(0, static_cast<int>(i % 5)));
    return whole;
  }
}

/// A function of numbers: `F::write(in, out)` and its result `F::result<Out>(items)`, with items from F::items(…).
template <class F> struct everyday {
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    one_result<F>::template run<T, Out>(with_whole_moduli(items), all);
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    one_result<F>::template expect<T, Out>(with_whole_moduli(items), all);
  }
};

template <class Op> struct reduces_magnitudes : everyday<reduces_magnitudes<Op>> {
  static std::string name() { return std::is_same_v<Op, wf::plus> ? "asum" : "amax"; }
  template <class T, class Kind>
  using output =
      std::conditional_t<is_complex<T>, std::conditional_t<std::is_same_v<Kind, of_items>, magnitude_of<T>, none>,
                         numbers_of<T, Kind>>;
  template <class T, class Out> static consteval refusal refused() {
    if constexpr (!is_number<T> && !is_complex<T>) return no_magnitude;
    else return refused_of<Op, magnitude_of<T>, Out>();
  }
  template <class In, class Out> static void write(const In& in, Out* out) {
    if constexpr (std::is_same_v<Op, wf::plus>) wf::asum(in, out);
    else wf::amax(in, out);
  }
  template <class Out, class T> static Out result(std::span<const T> items) {
    list<magnitude_of<T>> magnitudes;
    for (const T& value : items) magnitudes.push_back(magnitude(value));
    return fold<Op, Out>(magnitudes.span());
  }
};

/// The number type of the outputs of norms and means.
template <class R, class Kind>
using reals_of = std::conditional_t<std::is_same_v<Kind, of_items>, R,
                                    std::conditional_t<std::is_same_v<Kind, wider>, double, __half>>;
template <class T, class R, class Out> consteval refusal refused_reals(bool is_taken) {
  return !is_taken ? no_operator : !is_written<Out, R> ? not_written : accepted;
}
template <class T> double squared(const T& value) {
  if constexpr (is_complex<T>)
    return double(value.real()) * double(value.real()) + double(value.imag()) * double(value.imag());
  else return static_cast<double>(as<accumulator<T>>(value)) * static_cast<double>(as<accumulator<T>>(value));
}

struct norms : everyday<norms> {
  static std::string name() { return "norm2"; }
  template <class T, class Kind> using output = reals_of<real_of<T>, Kind>;
  template <class T, class Out> static consteval refusal refused() {
    return refused_reals<T, real_of<T>, Out>(is_number<T> || is_complex<T>);
  }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::norm2(in, out); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    double sum = 0;
    for (const T& value : items) sum += squared(value);
    return as<Out>(static_cast<real_of<T>>(std::sqrt(sum)));
  }
};

struct means : everyday<means> {
  static std::string name() { return "mean"; }
  template <class T> using result_type = std::conditional_t<is_complex<T>, T, real_of<T>>;
  template <class T, class Kind>
  using output = std::conditional_t<is_complex<T>, numbers_of<T, Kind>, reals_of<real_of<T>, Kind>>;
  template <class T, class Out> static consteval refusal refused() {
    return refused_reals<T, result_type<T>, Out>(is_number<T> || is_complex<T>);
  }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::mean(in, out); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    const double count = static_cast<double>(items.size());
    if constexpr (is_complex<T>) {
      complex_double sum;
      for (const T& value : items) sum = sum_of(sum, as<complex_double>(value));
      return as<Out>(as<T>(complex_double(sum.real() / count, sum.imag() / count)));
    } else {
      double sum = 0;
      for (const T& value : items) sum += static_cast<double>(as<accumulator<T>>(value));
      return as<Out>(static_cast<real_of<T>>(sum / count));
    }
  }
};

struct extremes : one_result<extremes> {
  static std::string name() { return "minmax"; }
  template <class T, class Kind> struct output_of { using type = none; };
  template <class T, class Kind>
    requires(!std::is_same_v<numbers_of<T, Kind>, none>)
  struct output_of<T, Kind> {
    using type = wf::extrema<numbers_of<T, Kind>>;
  };
  template <class T, class Kind> using output = typename output_of<T, Kind>::type;
  template <class T, class Out> static consteval refusal refused() {
    using U = decltype(Out::minimum);
    if (!model<wf::minimum>::takes<T>) return no_operator;
    return requires(const accumulator<T>& value) { static_cast<U>(value); }
    ? accepted : not_written;
  }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::minmax(in, out); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    using U = decltype(Out::minimum);
    return {fold<wf::minimum, U>(items), fold<wf::maximum, U>(items)};
  }
};

struct log_sums : one_result<log_sums> {
  static std::string name() { return "logsumexp"; }
  template <class T, class Kind> using output = reals_of<real_of<T>, Kind>;
  template <class T, class Out> static consteval refusal refused() {
    return refused_reals<T, real_of<T>, Out>(is_number<T>);
  }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::logsumexp(in, out); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    double sum = 0;
    for (const T& value : items) sum += std::exp(static_cast<double>(as<accumulator<T>>(value)));
    return as<Out>(static_cast<real_of<T>>(std::log(sum)));
  }
  /// Its header bounds the error.
  template <class Out> static bool is_same(const Out& a, const Out& b) {
    const auto x = as<double>(a), y = as<double>(b);
    constexpr double u = std::is_same_v<Out, __half> ? 0x1p-11 : std::is_same_v<Out, double> ? 0x1p-22 : 0x1p-24;
    return std::isinf(y) ? x == y : std::fabs(x - y) <= u * (20 + std::fabs(y));
  }
};

struct dots : one_result<dots> {
  static std::string name() { return "dot"; }
  template <class T, class Kind> using output = numbers_of<T, Kind>;
  template <class T, class Out> static consteval refusal refused() {
    if constexpr (!model<wf::multiplies>::takes<T>) return "the items have no product a * b";
    else return refused_of<wf::plus, accumulator<T>, Out>();
  }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::dot(in, in, out); }
  template <class Out, class T> static Out result(std::span<const T> items) {
    list<accumulator<T>> products;
    for (const T& value : items) {
      const auto factor = as<accumulator<T>>(value);
      products.push_back(product_of(factor, factor));
    }
    return fold<wf::plus, Out>(products.span());
  }
};

// ---- questions ----

/// Whether an item is that which stands for `Number`.
template <int Number> struct is_made_of {
  template <class T> __host__ __device__ int operator()(const T& value) const {
    if constexpr (is_any_of<T, __half, __nv_bfloat16>) return as<float>(value) == Number ? -4 : 0;
    else if constexpr (is_fp8<T>) return static_cast<float>(value) == Number ? -4 : 0;
    else if constexpr (is_complex<T>) return value.real() == Number ? -4 : 0;
    else if constexpr (std::is_same_v<T, float2>) return value.x == Number ? -4 : 0;
    else if constexpr (is_struct<T>) return value == T(Number) ? -4 : 0;
    else return value == static_cast<T>(Number) ? -4 : 0;
  }
};
enum class question { any_of, all_of, none_of, count_if };
template <question Asked> struct asks : one_result<asks<Asked>> {
  static constexpr bool counts = Asked == question::count_if;
  static std::string name() {
    constexpr const char* names[] = {"any_of", "all_of", "none_of", "count_if"};
    return names[static_cast<int>(Asked)];
  }
  template <class T, class Kind>
  using output =
      std::conditional_t<counts, numbers_of<std::int64_t, Kind>,
                         std::conditional_t<std::is_same_v<Kind, of_items>, bool,
                                            std::conditional_t<std::is_same_v<Kind, wider>, std::int64_t, none>>>;
  template <class T, class Out> static consteval refusal refused() {
    return counts && sizeof(Out) < 8 ? "out cannot hold a count of items" : accepted;
  }
  template <class In, class Out> static void write(const In& in, Out* out) {
    constexpr is_made_of<1> holds{};
    if constexpr (Asked == question::any_of) wf::any_of(in, out, holds);
    else if constexpr (Asked == question::all_of) wf::all_of(in, out, holds);
    else if constexpr (Asked == question::none_of) wf::none_of(in, out, holds);
    else wf::count_if(in, out, holds);
  }
  template <class Out, class T> static Out result(std::span<const T> items) {
    std::size_t count = 0;
    for (const T& value : items) count += is_made_of<1>{}(value) != 0;
    if (Asked == question::any_of) return count > 0;
    if (Asked == question::all_of) return count == items.size();
    if (Asked == question::none_of) return count == 0;
    return static_cast<Out>(count);
  }
};

}  // namespace types
