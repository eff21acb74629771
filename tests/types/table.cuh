// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of types: every public function, type of items and kind of output. A cell compiles and is right, or is
// refused by a sentence. sequences_test.cu and parts_test.cu have a diagonal; CMakeLists.txt says how to run all.
#pragma once
#include "types/everyday.cuh"
#include "types/places.cuh"
#include "types/scans.cuh"

namespace types {

/// A list of types.
template <class... Ts> struct of { static constexpr std::size_t size = sizeof...(Ts); };

using items = of<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                 std::uint32_t, std::uint64_t, int128, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2, float,
                 double, complex_float, complex_double, float2, colour, bytes3, bytes24, aligned32>;

using reductions =
    of<reduces<wf::plus>, reduces<wf::maximum>, reduces_product, reduces_to_result<wf::minimum>,
       reduces_to_result<wf::minimum_number>, reduces_to_result<wf::maximum_number>, of_words<reduces<wf::bit_and>>,
       reduces_to_result<wf::bit_or>, of_words<reduces_to_result<wf::bit_xor>>, reduces_to_result<wf::logical_and>,
       reduces<wf::logical_or>, reduces<wf::first>, reduces_to_result<wf::last>, reduces<wf::compensated_plus>,
       reduces<wf::exact_plus>>;
using forms = of<transform_reduces<wf::plus>, transform_reduces<wf::minimum>, reduces_to_value<wf::plus>,
                 reduces_to_value<wf::maximum>, reduces_to_value<wf::logical_and>, fuses,
                 reduces_from<wf::plus, init::item>, reduces_from<wf::plus, init::literal>,
                 reduces_from<wf::plus, init::negative>, reduces_from<wf::plus, init::wider>,
                 reduces_from<wf::maximum, init::item>, reduces_from<wf::maximum, init::negative>>;
using segments = of<reduces_segments<wf::plus>, reduces_segments<wf::maximum>, reduces_segments<wf::logical_or>,
                    reduces_segments<wf::exact_plus>>;
using keyed =
    of<reduces_by_key<wf::plus>, reduces_by_key<wf::minimum>, reduces_by_key<wf::logical_and>, counts_equal_keys>;
using rows = of<reduces_axes<wf::plus>, reduces_axes<wf::maximum>, reduces_axes<wf::logical_and>>;
using sequence_scans =
    of<scans_sequence<wf::plus, false>, scans_sequence<wf::plus, true>, scans_sequence<wf::maximum, true>,
       scans_sequence<wf::logical_or, false>, of_words<scans_sequence<wf::bit_and, false>>>;
using keyed_scans = of<scans_by_key<wf::plus, false>, scans_by_key<wf::plus, true>, scans_by_key<wf::minimum, true>,
                       scans_by_key<wf::logical_or, false>>;
using segment_scans =
    of<scans_segments<wf::plus, false>, scans_segments<wf::plus, true>, scans_segments<wf::minimum, true>,
       scans_segments<wf::logical_and, false>, scans_axis<wf::plus, false>, scans_axis<wf::minimum, true>>;
using everydays =
    of<reduces_magnitudes<wf::plus>, reduces_magnitudes<wf::maximum>, norms, means, extremes, log_sums, dots,
       asks<question::any_of>, asks<question::all_of>, asks<question::none_of>, asks<question::count_if>>;
using places =
    of<finds<true, form::sequence>, finds<false, form::sequence>, finds<true, form::segments>,
       finds<false, form::segments>, finds<false, form::keys>, finds_both, finds_top, has_two_moments, has_statistics>;

template <class... Lists> struct join_lists;
template <class... As, class... Bs, class... Rest>
struct join_lists<of<As...>, of<Bs...>, Rest...> : join_lists<of<As..., Bs...>, Rest...> {};
template <class... Ts> struct join_lists<of<Ts...>> { using type = of<Ts...>; };
/// The functions in two halves, about as long to compile.
using of_sequences = typename join_lists<reductions, forms, everydays, places>::type;
using of_parts = typename join_lists<segments, keyed, rows, sequence_scans, keyed_scans, segment_scans>::type;
using functions = typename join_lists<of_sequences, of_parts>::type;

template <std::size_t I, class List> struct nth;
template <class T, class... Ts> struct nth<0, of<T, Ts...>> { using type = T; };
template <std::size_t I, class T, class... Ts> struct nth<I, of<T, Ts...>> : nth<I - 1, of<Ts...>> {};
template <std::size_t I, class List> using nth_t = typename nth<I, List>::type;

// ---- programs of cells ----

/// Makes the cell a test, if it is accepted: types/function_of_type_into_kind.
template <class C> void register_cell() {
  if constexpr (C::is_accepted) {
    struct checks : testing::Test {
      void TestBody() override { C::check(); }
    };
    testing::RegisterTest("types", C::name().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          []() -> testing::Test* { return new checks; });
  }
}
template <class F, class... Ts> void register_function(of<Ts...>) {
  ((register_cell<cell<F, Ts, of_items>>(), register_cell<cell<F, Ts, wider>>(),
    register_cell<cell<F, Ts, narrower>>()),
   ...);
}
/// All cells of some functions and types.
template <class... Fs, class Types> bool register_all(of<Fs...>, Types all) {
  (register_function<Fs>(all), ...);
  return true;
}

// ---- the diagonal ----

using some_of_sequences =
    of<reduces<wf::plus>, reduces<wf::maximum>, reduces_product, of_words<reduces<wf::bit_and>>,
       reduces<wf::logical_or>, reduces<wf::first>, reduces<wf::compensated_plus>, reduces<wf::exact_plus>,
       transform_reduces<wf::minimum>, reduces_to_value<wf::plus>, fuses, reduces_from<wf::plus, init::negative>,
       reduces_from<wf::maximum, init::item>, reduces_magnitudes<wf::plus>, reduces_magnitudes<wf::maximum>, norms,
       means, extremes, log_sums, dots, asks<question::any_of>, asks<question::all_of>, asks<question::none_of>,
       asks<question::count_if>, finds<true, form::sequence>, finds<false, form::segments>, finds<false, form::keys>,
       finds_top, has_statistics>;
using some_of_parts =
    of<reduces_segments<wf::plus>, reduces_segments<wf::maximum>, reduces_by_key<wf::minimum>, counts_equal_keys,
       reduces_axes<wf::maximum>, scans_sequence<wf::plus, false>, scans_sequence<wf::maximum, true>,
       scans_by_key<wf::plus, false>, scans_by_key<wf::minimum, true>, scans_segments<wf::plus, false>,
       scans_segments<wf::minimum, true>>;

/// The first type, from number `First` on, of which the function accepts items; of the kinds of output, the cell takes
/// that of its number, or the first one.
template <class F, std::size_t First> consteval auto accepted_cell() {
  using T = nth_t<First % items::size, items>;
  using other = cell<F, T, nth_t<First % 3, of<of_items, wider, narrower>>>;
  using first = cell<F, T, of_items>;
  if constexpr (other::is_accepted) return std::type_identity<other>{};
  else if constexpr (first::is_accepted) return std::type_identity<first>{};
  else return accepted_cell<F, First + 1>();
}
template <class Functions, std::size_t... Is> void register_diagonal(std::index_sequence<Is...>) {
  (register_cell<typename decltype(accepted_cell<nth_t<Is, Functions>, Is * 5>())::type>(), ...);
}
template <class Functions> bool register_diagonal(Functions) {
  register_diagonal<Functions>(std::make_index_sequence<Functions::size>{});
  return true;
}

}  // namespace types
