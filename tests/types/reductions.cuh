// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sequence to one value, in the table of types: each operator, transforms, values, fused results, initial values.
#pragma once
#include "types/cell.cuh"

namespace types {

/// Common to functions with an operator. If the operator does not take the items, one output says so.
template <class Op> struct with_operator {
  template <class T, class Kind>
  using output = std::conditional_t<model<Op>::template takes<T>, numbers_of<T, Kind>,
                                    std::conditional_t<std::is_same_v<Kind, of_items>, result_t<Op, T>, none>>;
  template <class T, class Out> static consteval refusal refused() { return refused_of<Op, T, Out>(); }
};
/// Functions with one result: `F::result<Out>(items)` is what `F::write(items, out)` must write.
template <class F> struct one_result {
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    const device_array<Out> out(1);
    all.record([&] { return F::write(in.items(), out.data()), to_host(out); });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    all.record([&] {
      list<Out> results;
      results.push_back(F::template result<Out>(items.span()));
      return results;
    });
  }
};

template <class Op> struct reduces : with_operator<Op>, one_result<reduces<Op>> {
  static std::string name() { return std::string("reduce_") + model<Op>::name; }
  template <class In, class Out> static void write(const In& in, Out* out) { wf::reduce(in, out, Op{}); }
  template <class Out, class T> static Out result(std::span<const T> items) { return fold<Op, Out>(items); }
};
/// reduce whose output is of the type of the results: how others are written does not depend on the operator.
template <class Op> struct reduces_to_result : reduces<Op> {
  template <class T, class Kind> struct result_or_none { using type = none; };
  template <class T> struct result_or_none<T, of_items> { using type = result_t<Op, T>; };
  template <class T, class Kind> using output = typename result_or_none<T, Kind>::type;
};

struct reduces_product : reduces_to_result<wf::multiplies> {
  static constexpr bool are_factors = true;
};

template <class Base> struct of_words : Base { static constexpr bool are_words = true; };

struct as_it_is {
  template <class T> __host__ __device__ T operator()(const T& value) const { return value; }
};
template <class Op> struct transform_reduces : with_operator<Op>, one_result<transform_reduces<Op>> {
  static std::string name() { return std::string("transform_reduce_") + model<Op>::name; }
  template <class In, class Out> static void write(const In& in, Out* out) {
    wf::transform_reduce(in, out, Op{}, as_it_is{});
  }
  template <class Out, class T> static Out result(std::span<const T> items) { return fold<Op, Out>(items); }
};

/// The _value form returns what is written elsewhere.
template <class Op> struct reduces_to_value : with_operator<Op> {
  static std::string name() { return std::string("reduce_value_") + model<Op>::name; }
  template <class T, class Kind> using output = typename reduces_to_result<Op>::template output<T, Kind>;
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    all.record([&] {
      list<Out> results;
      results.push_back(wf::reduce_value(in.items(), Op{}));
      return results;
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    one_result<reduces<Op>>::template expect<T, Out>(items, all);
  }
};

/// The sum and the largest item, in two outputs; and, without outputs, side by side.
struct fuses {
  static std::string name() { return "fuse"; }
  template <class T, class Kind> using output = numbers_of<T, Kind>;
  using sum = wf::plus;
  using most = wf::maximum;
  template <class T, class Out> static consteval refusal refused() {
    if constexpr (!model<sum>::takes<T> || !model<most>::takes<T>) return no_operator;
    else return refused_of<sum, T, Out>();
  }
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    const device_array<Out> sums(1), largest(1);
    all.record([&] {
      wf::reduce(in.items(), wf::outputs(sums.data(), largest.data()), wf::fuse(sum{}, most{}));
      list<Out> results = to_host(sums);
      results.push_back(to_host(largest)[0]);
      return results;
    });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    all.record([&] {
      list<Out> results;
      results.push_back(fold<sum, Out>(items.span()));
      results.push_back(fold<most, Out>(items.span()));
      return results;
    });
  }
};

// ---- initial values ----

/// Initial values, which join on the left: of the items' type, an int, a negative int, one of the wider type.
enum class init { item, literal, negative, wider };
template <class Op, init Kind> struct reduces_from : with_operator<Op> {
  static std::string name() {
    constexpr const char* names[] = {"item", "literal", "negative", "wider"};
    return std::string("init_") + names[static_cast<int>(Kind)] + "_" + model<Op>::name;
  }
  template <class T, class Kinds> struct output_or_none { using type = none; };
  template <class T>
    requires(model<Op>::template takes<T> && (Kind != init::wider || is_number<T> || is_complex<T>))
  struct output_or_none<T, of_items> {
    using type = result_t<Op, T>;
  };
  template <class T, class Kinds> using output = typename output_or_none<T, Kinds>::type;

  template <class T, class Out> static consteval refusal refused() {
    using A = folded_t<Op, T>;
    if constexpr (Kind == init::wider && outgrows<decltype(value<T>()), A>())
      return ".init is wider than the accumulator";
    else if (Kind == init::item || is_number<T> || is_complex<T>) return accepted;
    else return ".init must convert to the accumulator type";
  }
  template <class T> static auto value() {
    if constexpr (Kind == init::item) return make<T>(7);
    else if constexpr (Kind == init::wider && !std::is_same_v<typename item<T>::wider, none>)
      return static_cast<typename item<T>::wider>(7);
    else return Kind == init::negative ? -1 : 7;
  }
  template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all) {
    const device_array<T> in(items.span());
    const device_array<Out> out(1);
    all.record([&] { return wf::reduce(in.items(), out.data(), Op{}, {.init = value<T>()}), to_host(out); });
  }
  template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all) {
    using A = folded_t<Op, T>;
    all.record([&] {
      const bool is_lost =
          Kind == init::negative && is_integer<A> && !std::is_signed_v<A> && !std::is_same_v<A, int128>;
      if (is_lost && !is_any_of<Op, wf::plus, wf::multiplies>) throw std::invalid_argument("-1 is no such number");
      list<Out> results;
      results.push_back(fold<Op, Out>(items.span(), as<A>(value<T>())));
      return results;
    });
  }
};

}  // namespace types
