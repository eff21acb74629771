// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cell of the table of types: a function, a type of items, and a type of output. The function says for each cell
// whether it is accepted, or with which sentence it is refused; and the results of no item, one item and many.
//
// A function is a struct F:
//   static std::string name()
//   template <class T, class Kind> using output       the type that it writes, or none: there is no such cell
//   template <class T, class Out> static consteval refusal refused()
//   template <class T, class Out> static void run(const list<T>& items, outcomes<Out>& all)       calls the library
//   template <class T, class Out> static void expect(const list<T>& items, outcomes<Out>& all)    does not
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "common/device.cuh"
#include "types/oracle.hpp"

namespace types {

using wf_test::device_array;

/// The kinds of output: of the items' type, wider and narrower.
struct of_items {
  static constexpr const char* name = "same";
};
struct wider {
  static constexpr const char* name = "wider";
};
struct narrower {
  static constexpr const char* name = "narrower";
};
template <class T, class Kind>
using numbers_of = std::conditional_t<
    std::is_same_v<Kind, of_items>, T,
    std::conditional_t<std::is_same_v<Kind, wider>, typename item<T>::wider, typename item<T>::narrower>>;

/// The beginning of the sentence by which a cell is refused; nothing if it is accepted.
struct refusal {
  char words[64] = {};
  constexpr refusal() = default;
  consteval refusal(const char* sentence) {
    for (int i = 0; sentence[i] != 0; ++i) words[i] = sentence[i];
  }
  constexpr bool operator==(const refusal&) const = default;
};
inline constexpr refusal accepted{};
inline constexpr refusal no_operator{"the operator must be callable"};
inline constexpr refusal not_written{"results must be assignable to the items of out"};
inline constexpr refusal not_converted{"the items, or what the transform returns, must convert"};
inline constexpr refusal outgrown{"out is wider than the accumulator"};

/// Says what is wrong with `Op` over T, written as an Out.
template <class Op, class T, class Out> consteval refusal refused_of() {
  using R = result_t<Op, T>;
  if constexpr (!model<Op>::template takes<T>)
    return is_any_of<Op, wf::logical_and, wf::logical_or> ? not_converted : no_operator;
  else if constexpr (!is_written<Out, R>) return not_written;
  else return is_any_of<Op, wf::plus, wf::multiplies> && outgrows<Out, folded_t<Op, T>>() ? outgrown : accepted;
}

/// Whether .init and .empty can be plain values.
template <class Op, class T>
inline constexpr bool has_plain_values =
    model<Op>::template takes<T>&& std::is_same_v<wf::accumulator_t<Op, T>, folded_t<Op, T>>;

/// Results of several calls; nothing where a call threw std::invalid_argument.
template <class Out> class outcomes {
 public:
  template <class Call> void record(Call call) {
    try {
      all_.push_back(call());
    } catch (const std::invalid_argument&) {
      all_.push_back(std::nullopt);
    }
  }
  /// Which call differs first, and where; nothing if none does.
  template <class Same> std::string difference(const outcomes& expected, Same is_same) const {
    if (all_.size() != expected.all_.size()) return "another number of calls";
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::string call = "call " + std::to_string(i) + ": ";
      if (all_[i].has_value() != expected.all_[i].has_value())
        return call + (all_[i] ? "accepted, should throw" : "threw, should be accepted");
      if (!all_[i]) continue;
      if (all_[i]->size() != expected.all_[i]->size()) return call + "another number of results";
      for (std::size_t k = 0; k < all_[i]->size(); ++k)
        if (!is_same((*all_[i])[k], (*expected.all_[i])[k]))
          return call + "result " + std::to_string(k) + " is " + testing::PrintToString((*all_[i])[k]) + ", not " +
                 testing::PrintToString((*expected.all_[i])[k]);
    }
    return "";
  }

 private:
  std::vector<std::optional<list<Out>>> all_;
};

template <class T> list<T> to_host(const device_array<T>& from, std::int64_t count) {
  list<T> result(static_cast<std::size_t>(count));
  wf::check(cudaMemcpy(result.data(), from.data(), result.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return result;
}
template <class T> list<T> to_host(const device_array<T>& from) { return to_host(from, from.count()); }

/// Small whole numbers, the same for each type.
inline int number(int i) { return (i * 37 + 11) % 13 - 4; }
/// The same; factors of a product that stays finite and is not 0; and words whose upper bits are set.
template <class F, class T> T make_item(int i) {
  if constexpr (requires { F::are_words; } && is_integer<T>) return static_cast<T>(~static_cast<wf::uint128>(i % 5));
  else if constexpr (!requires { F::are_factors; }) return make<T>(number(i));
  else if constexpr (is_complex<T>) return i % 997 == 5 ? T(2) : i % 7 == 3 ? T(0, 1) : T(1);
  else return make<T>(i % 997 == 5 ? 2 : i % 7 == 3 ? -1 : 1);
}
template <class F, class T> list<T> make_items(int count) {
  list<T> items;
  for (int i = 0; i < count; ++i) items.push_back(make_item<F, T>(i));
  return items;
}
/// Enough for several tiles and blocks, and odd.
template <class T> inline constexpr int many = sizeof(T) <= 2 ? 9001 : 5001;

template <class F, class T, class Kind> struct cell {
  using output = typename F::template output<T, Kind>;
  static constexpr bool exists = !std::is_same_v<output, none>;
  static consteval refusal refused() {
    if constexpr (exists) return F::template refused<T, output>();
    else return accepted;
  }
  static constexpr bool is_accepted = exists && refused() == accepted;

  static std::string name() { return F::name() + "_of_" + item<T>::name + "_into_" + Kind::name; }

  /// The call alone: whether it compiles.
  static void call(const list<T>& items, outcomes<output>& to) { F::template run<T, output>(items, to); }
  static bool is_same(const output& a, const output& b) {
    if constexpr (requires { F::is_same(a, b); }) return F::is_same(a, b);
    else return same(a, b);
  }
  static void check() {
    for (const int count : {0, 1, many<T>}) {
      SCOPED_TRACE(name() + " of " + std::to_string(count) + " items");
      const list<T> items = make_items<F, T>(count);
      outcomes<output> got, expected;
      call(items, got);
      F::template expect<T, output>(items, expected);
      EXPECT_EQ(got.difference(expected, is_same), "");
    }
  }
};

}  // namespace types
