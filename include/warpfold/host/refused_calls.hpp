// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that fit no overload, but nearly do. Overloads for them stand beside the others, and a static_assert says what
// is missing: compilers would list every overload instead. They must be cheap to reject, since each right call does.
#pragma once
#include <warpfold/item_count.hpp>
#include <warpfold/options.hpp>
#include <warpfold/segments.hpp>

namespace warpfold::detail {

/// Takes the value of any option, and stands for any result: so no other message follows.
struct any_value {
  int value = 0, index = 0;  // as of arg-reductions

  constexpr any_value() = default;
  template <class T> constexpr any_value(const T&) {}
  template <class T> constexpr operator T() const { return T{}; }
};
template <class A, class B>
concept either_is_any_value = std::is_same_v<A, any_value> || std::is_same_v<B, any_value>;
template <class A, class B>
  requires either_is_any_value<A, B>
constexpr any_value operator+(const A&, const B&) { return {}; }
template <class A, class B>
  requires either_is_any_value<A, B>
constexpr any_value operator-(const A&, const B&) { return {}; }
template <class A, class B>
  requires either_is_any_value<A, B>
constexpr any_value operator*(const A&, const B&) { return {}; }
template <class A, class B>
  requires either_is_any_value<A, B>
constexpr any_value operator/(const A&, const B&) { return {}; }
template <class A, class B>
  requires either_is_any_value<A, B>
constexpr bool operator==(const A&, const B&) { return true; }
template <class A, class B>
  requires either_is_any_value<A, B>
constexpr int operator<=>(const A&, const B&) { return 0; }

/// Takes any argument, by a conversion: so every overload that fits is better.
struct any_argument {
  constexpr any_argument() = default;
  template <class T> constexpr any_argument(const T&) {}
};
struct any_options {
  stream_argument stream = {};
  any_value init = {}, empty = {};
  workspace_ref workspace = {};
  int max_blocks = 0;
};

/// Whether a `Second` behind an iterator is neither a count nor an end.
template <class It, class Second>
concept no_count = !std::convertible_to<const std::remove_cvref_t<Second>&, item_count<It>> &&
                   !is_device_count<std::remove_cvref_t<Second>>;

template <class It> constexpr any_value refuse_missing_count() {
  static_assert(
      !item_iterator<It>,
      "warpfold: an iterator is followed by a count or an end: pass (first, count, ...), (first, last, ...) or "
      "a range");
  return {};
}

/// Whether arithmetic values stand where neither a count nor an operator can.
template <class In, class Second, class... More>
concept passes_value = (std::is_arithmetic_v<std::remove_cvref_t<More>> || ...) ||
                       (device_range<const In> && std::is_arithmetic_v<std::remove_cvref_t<Second>>);

template <class In> constexpr any_value refuse_value() {
  static_assert(
      std::is_void_v<In>,
      "warpfold: a value stands where the operator or the options go: pass {.init = value} as the last argument");
  return {};
}

/// The same behind one or two inputs with a transform: `Third` may be the count of two.
template <class In, class Second, class Third, class... More>
concept passes_value_to_transform = (std::is_arithmetic_v<std::remove_cvref_t<More>> || ...) ||
                                    (device_range<const In> && (std::is_arithmetic_v<std::remove_cvref_t<Second>> ||
                                                                std::is_arithmetic_v<std::remove_cvref_t<Third>>));

template <class Left> constexpr any_value refuse_two_inputs() {
  static_assert(std::is_void_v<Left>,
                "warpfold: two inputs have one count: pass (left, right, count, ...) or two ranges");
  return {};
}

template <class Keys> constexpr any_value refuse_keys_without_count() {
  static_assert(
      std::is_void_v<Keys>,
      "warpfold: keys and values have one count: pass (keys, values, count, ...), or at least one of them as a "
      "range");
  return {};
}

// What calls that fit nothing else are told. (Nothing takes braces that name an option which does not exist.)

template <class Call> constexpr any_value refuse_arguments() {
  static_assert(
      !std::is_void_v<Call>,
      "warpfold: these arguments fit no form of this function: pass a contiguous range of device memory, or an "
      "iterator that device code can index and a count or end; then what its header lists, in that order; "
      "options stand last, in braces: {.stream = s}");
  return {};
}
// ---- the bases of function objects ----

/// Of (in, out, [op] [options]).
struct refused_sequences {
  template <item_iterator It, class Out> void operator()(It, Out&&, const any_options& = {}) const {
    refuse_missing_count<It>();
  }
  template <item_iterator It, class Out, class Op>
    requires no_count<It, Out>
  void operator()(It, Out&&, Op, const any_options& = {}) const { refuse_missing_count<It>(); }
  template <class In, class Second, class... More>
    requires passes_value<In, Second, More...>
  void operator()(const In&, const Second&, const More&...) const { refuse_value<In>(); }
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_arguments<Call>();
  }
};

/// Of (in, out, op, transform, [options]).
struct refused_transforms {
  template <item_iterator It, class Out, class Op, class Transform>
    requires no_count<It, Out>
  void operator()(It, Out&&, Op, Transform, const any_options& = {}) const { refuse_missing_count<It>(); }
  template <class In, class Second, class Third, class... More>
    requires passes_value_to_transform<In, Second, Third, More...>
  void operator()(const In&, const Second&, const Third&, const More&...) const { refuse_value<In>(); }
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_arguments<Call>();
  }
};

/// Of (in, out, [options]).
struct refused_reductions {
  template <item_iterator It, class Out> void operator()(It, Out&&, const any_options& = {}) const {
    refuse_missing_count<It>();
  }
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_arguments<Call>();
  }
};
/// Of (in, [options]).
struct refused_values {
  template <item_iterator It> any_value operator()(It, const any_options& = {}) const {
    return refuse_missing_count<It>();
  }
  template <class Call = void>
  any_value operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                       any_argument = {}, any_argument = {}) const {
    return refuse_arguments<Call>();
  }
};

/// Of (in, out, predicate, [options]).
struct refused_predicates {
  template <item_iterator It, class Out, class Predicate>
    requires no_count<It, Out>
  void operator()(It, Out&&, Predicate, const any_options& = {}) const { refuse_missing_count<It>(); }
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_arguments<Call>();
  }
};
/// Of (in, predicate, [options]).
struct refused_predicate_values {
  template <item_iterator It, class Predicate>
  requires no_count<It, Predicate> any_value operator()(It, Predicate, const any_options& = {}) const {
    return refuse_missing_count<It>();
  }
  template <class Call = void>
  any_value operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                       any_argument = {}, any_argument = {}) const {
    return refuse_arguments<Call>();
  }
};

/// Of (in, segments, out, [op] [options]).
struct refused_segments {
  template <item_iterator It, segments Segments, class Out>
    requires no_count<It, Segments>
  void operator()(It, const Segments&, Out&&, const any_options& = {}) const { refuse_missing_count<It>(); }
  template <item_iterator It, segments Segments, class Out, class Op>
    requires no_count<It, Segments>
  void operator()(It, const Segments&, Out&&, Op, const any_options& = {}) const { refuse_missing_count<It>(); }
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_arguments<Call>();
  }
};

/// Of (keys, values, out, ...).
struct refused_keys {
  template <item_iterator Keys, item_iterator Values, item_iterator Third, class... More>
  void operator()(const Keys&, const Values&, const Third&, const More&...) const {
    refuse_keys_without_count<Keys>();
  }
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_arguments<Call>();
  }
};

/// Of (in, segments, out, op, transform, [options]).
struct refused_transformed_segments {
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_arguments<Call>();
  }
};

}  // namespace warpfold::detail
