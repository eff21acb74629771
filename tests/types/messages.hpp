// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For compilations whose messages are read by messages.py. Each cell names itself in a warning, with the sentence that
// it expects; errors name the cell from whose call they come.
#pragma once
#include <algorithm>
#include "types/table.cuh"

namespace types {

/// Cells by number, in ascending order: those of a later round of messages.py. Nothing: all.
#if defined(CELLS)
inline constexpr int chosen[] = {CELLS};
#endif
consteval bool is_chosen([[maybe_unused]] int cell) {
#if defined(CELLS)
  return std::binary_search(std::begin(chosen), std::end(chosen), cell);
#else
  return true;
#endif
}

template <int Number, refusal Expected> [[deprecated]] constexpr void announce() {}
/// `Refused`: the cells that must be refused; else those that must compile.
template <class F, class T, class Kind> struct written {
  template <int Number> static void announced() { announce<Number, cell<F, T, Kind>::refused()>(); }
  static void called(const list<T>& items, outcomes<typename cell<F, T, Kind>::output>& to) {
    cell<F, T, Kind>::call(items, to);
  }
};
template <bool Refused, int Number, class F, class T, class Kind> void write() {
  using C = cell<F, T, Kind>;
  if constexpr (C::exists && is_chosen(Number))
    if constexpr (C::is_accepted != Refused) {
      written<F, T, Kind>::template announced<Number>();
      written<F, T, Kind>::called(list<T>{}, *static_cast<outcomes<typename C::output>*>(nullptr));
    }
}
template <bool Refused, int Row, class F, class... Ts, std::size_t... Is>
void write_function(of<Ts...>, std::index_sequence<Is...>) {
  ((write<Refused, Row * 100 + int{Is} * 3, F, Ts, of_items>(),
    write<Refused, Row * 100 + int{Is} * 3 + 1, F, Ts, wider>(),
    write<Refused, Row * 100 + int{Is} * 3 + 2, F, Ts, narrower>()),
   ...);
}
template <bool Refused, class... Fs, class Types, std::size_t... Is>
void write_rows(of<Fs...>, Types all, std::index_sequence<Is...>) {
  (write_function<Refused, int{Is}, Fs>(all, std::make_index_sequence<Types::size>{}), ...);
}
/// Writes the cells of a list of functions and a list of types.
template <bool Refused, class Functions, class Types> void write_all(Functions functions, Types all) {
  write_rows<Refused>(functions, all, std::make_index_sequence<Functions::size>{});
}

}  // namespace types
