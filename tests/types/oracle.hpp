// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expected results of the table of types: operators and folds from left to right, written without the library's.
#pragma once
#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <warpfold/warpfold.cuh>

#include "types/items.hpp"

namespace types {

namespace wf = warpfold;

template <class A> A sum_of(const A& a, const A& b) {
  if constexpr (is_integer<A>) return static_cast<A>(static_cast<wf::uint128>(a) + static_cast<wf::uint128>(b));
  else if constexpr (is_complex<A>) return A(a.real() + b.real(), a.imag() + b.imag());
  else if constexpr (std::is_same_v<A, float2>) return float2{a.x + b.x, a.y + b.y};
  else return a + b;
}
template <class A> A product_of(const A& a, const A& b) {
  if constexpr (is_integer<A>) return static_cast<A>(static_cast<wf::uint128>(a) * static_cast<wf::uint128>(b));
  else if constexpr (is_complex<A>)
    return A(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  else return a * b;
}

/// The least and the greatest integer of 128 bits and fewer; infinities of real numbers.
template <class A> constexpr A least() {
  if constexpr (std::is_same_v<A, int128>) return static_cast<int128>(wf::uint128{1} << 127);
  else if constexpr (std::is_integral_v<A>) return std::numeric_limits<A>::min();
  else return -std::numeric_limits<A>::infinity();
}
template <class A> constexpr A greatest() {
  if constexpr (std::is_same_v<A, int128>) return static_cast<int128>(~(wf::uint128{1} << 127));
  else if constexpr (std::is_integral_v<A>) return std::numeric_limits<A>::max();
  else return std::numeric_limits<A>::infinity();
}
/// `value`, or the number of `Out` that is closest.
template <class Out, class A> Out clamped(const A& value) {
  if constexpr (!is_integer<A> || !is_integer<Out> || sizeof(A) > 8) {
    if constexpr (is_integer<A> && is_integer<Out> && !std::is_same_v<A, Out>)  // of 128 bits into 64
      return static_cast<Out>(std::clamp<A>(value, static_cast<A>(least<Out>()), static_cast<A>(greatest<Out>())));
    else return as<Out>(value);
  } else
    return static_cast<Out>(std::clamp<int128>(static_cast<int128>(value), static_cast<int128>(least<Out>()),
                                               static_cast<int128>(greatest<Out>())));
}

/// model<Op>: takes<T>, whether items of type T are accepted; folded<T>, the type in which they are folded; result<T>,
/// what is written; join; has_nothing<T>, and nothing<Out, A>(), the result of no items.
template <class Op> struct model;
struct arithmetic_model {
  template <class T> using folded = accumulator<T>;
  template <class T> using result = accumulator<T>;
};
template <> struct model<wf::plus> : arithmetic_model {
  static constexpr const char* name = "plus";
  template <class T> static constexpr bool takes = !std::is_same_v<T, colour>;
  template <class T> static constexpr bool has_nothing = takes<T> && !is_struct<T>;
  template <class A> static A join(const A& a, const A& b) { return sum_of(a, b); }
  template <class Out, class A> static Out nothing() { return as<Out>(A{}); }
};
template <> struct model<wf::multiplies> : arithmetic_model {
  static constexpr const char* name = "multiplies";
  template <class T> static constexpr bool takes = is_number<T> || is_complex<T>;
  template <class T> static constexpr bool has_nothing = takes<T>;
  template <class A> static A join(const A& a, const A& b) { return product_of(a, b); }
  template <class Out, class A> static Out nothing() { return as<Out>(A(1)); }
};
template <bool Smaller> struct extremum_model : arithmetic_model {
  template <class T> static constexpr bool takes = is_number<T> || is_struct<T> || std::is_same_v<T, colour>;
  template <class T> static constexpr bool has_nothing = is_number<T>;
  template <class A> static A join(const A& a, const A& b) { return Smaller ? (b < a ? b : a) : (a < b ? b : a); }
  template <class Out, class A> static Out nothing() { return clamped<Out>(Smaller ? greatest<A>() : least<A>()); }
};
template <> struct model<wf::minimum> : extremum_model<true> { static constexpr const char* name = "minimum"; };
template <> struct model<wf::maximum> : extremum_model<false> { static constexpr const char* name = "maximum"; };
template <bool Smaller> struct number_model : extremum_model<Smaller> {
  template <class Out, class A> static Out nothing() {
    if constexpr (std::is_floating_point_v<A>) return as<Out>(std::numeric_limits<A>::quiet_NaN());
    else return extremum_model<Smaller>::template nothing<Out, A>();
  }
};
template <> struct model<wf::minimum_number> : number_model<true> {
  static constexpr const char* name = "minimum_number";
};
template <> struct model<wf::maximum_number> : number_model<false> {
  static constexpr const char* name = "maximum_number";
};
template <char Kind> struct bits_model : arithmetic_model {
  template <class T> static constexpr bool takes = is_integer<T>;
  template <class T> static constexpr bool has_nothing = takes<T>;
  template <class A> static A join(A a, A b) {
    return static_cast<A>(Kind == '&' ? a & b : Kind == '|' ? a | b : a ^ b);
  }
  template <class Out, class A> static Out nothing() { return Kind == '&' ? static_cast<Out>(~A{}) : Out{}; }
};
template <> struct model<wf::bit_and> : bits_model<'&'> { static constexpr const char* name = "bit_and"; };
template <> struct model<wf::bit_or> : bits_model<'|'> { static constexpr const char* name = "bit_or"; };
template <> struct model<wf::bit_xor> : bits_model<'^'> { static constexpr const char* name = "bit_xor"; };
template <bool All> struct logical_model {
  template <class T> using folded = bool;
  template <class T> using result = bool;
  template <class T> static constexpr bool takes = is_number<T>;
  template <class T> static constexpr bool has_nothing = takes<T>;
  static bool join(bool a, bool b) { return All ? a && b : a || b; }
  template <class Out, class A> static Out nothing() { return as<Out>(All); }
};
template <> struct model<wf::logical_and> : logical_model<true> { static constexpr const char* name = "logical_and"; };
template <> struct model<wf::logical_or> : logical_model<false> { static constexpr const char* name = "logical_or"; };
template <bool First> struct choice_model {
  template <class T> using folded = T;
  template <class T> using result = T;
  template <class T> static constexpr bool takes = true;
  template <class T> static constexpr bool has_nothing = false;
  template <class A> static A join(const A& a, const A& b) { return First ? a : b; }
};
template <> struct model<wf::first> : choice_model<true> { static constexpr const char* name = "first"; };
template <> struct model<wf::last> : choice_model<false> { static constexpr const char* name = "last"; };
template <> struct model<wf::compensated_plus> : model<wf::plus> {
  static constexpr const char* name = "compensated_plus";
  template <class T> static constexpr bool takes = is_real<T>;
  template <class T> static constexpr bool has_nothing = takes<T>;
};
template <> struct model<wf::exact_plus> : model<wf::plus> {
  static constexpr const char* name = "exact_plus";
  template <class T> static constexpr bool takes = is_number<T>;
  template <class T> static constexpr bool has_nothing = takes<T>;
  template <class T> using folded = std::conditional_t<is_integer<T>, int128, accumulator<T>>;
  template <class T> using result = std::conditional_t<is_integer<T>, int128, std::conditional_t<is_fp8<T>, float, T>>;
};

template <class Op, class T> using folded_t = typename model<Op>::template folded<T>;
template <class Op, class T> using result_t = typename model<Op>::template result<T>;

/// The result that the function must write as an `Out`: init, if there is one, and the items, from left to right.
template <class Op, class Out, class T> Out fold(std::span<const T> items, std::optional<folded_t<Op, T>> init = {}) {
  using A = folded_t<Op, T>;
  std::optional<A> all = init;
  for (const T& value : items) all = all ? model<Op>::join(*all, as<A>(value)) : as<A>(value);
  if (all) return as<Out>(as<result_t<Op, T>>(*all));
  if constexpr (model<Op>::template has_nothing<T>) return model<Op>::template nothing<Out, A>();
  else throw std::invalid_argument("no items, no init and no identity");
}

/// Numbers wider than those of the accumulator, in which a sum would wrap or round.
template <class Out, class A> consteval bool outgrows() {
  if constexpr (is_complex<Out> && is_complex<A>) return sizeof(Out) > sizeof(A);
  else if constexpr (std::is_floating_point_v<Out> && is_integer<A>) return true;
  else if constexpr (is_integer<Out> && std::is_floating_point_v<A>) return false;
  else if constexpr ((is_integer<Out> || std::is_floating_point_v<Out>)&&(is_integer<A> || std::is_floating_point_v<A>))
    return sizeof(Out) > sizeof(A);
  else return false;
}

}  // namespace types
