// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The results of segments through an iterator that need only take out[s] = value.
#pragma once
#include <cstddef>
#include <type_traits>
#include <warpfold/thread/counted_output.cuh>

namespace warpfold::segmented {

/// `out` from its item `first` on, with the arithmetic of pointers that kernels use.
template <class Out> struct indexed_output {
  static constexpr bool joins_initial_value = thread::joins_initial_value<Out>,
                        takes_lowered = thread::takes_lowered<Out>;

  Out out;
  std::int64_t first;

  __device__ decltype(auto) operator[](std::int64_t i) const { return out[static_cast<std::ptrdiff_t>(first + i)]; }
  /// The place of a segment of `items` items that begins at item `begin`.
  __device__ decltype(auto) of_segment(std::int64_t i, [[maybe_unused]] std::int64_t begin,
                                       [[maybe_unused]] std::int64_t items) const {
    if constexpr (requires { out.of_segment(i, begin, items); }) return out.of_segment(first + i, begin, items);
    else return (*this)[i];
  }
  __device__ decltype(auto) operator*() const { return (*this)[0]; }
  __device__ indexed_output operator+(std::int64_t items) const { return {out, first + items}; }
  __device__ indexed_output& operator+=(std::int64_t items) {
    first += items;
    return *this;
  }
};

/// Place `i` of `out`, of the result of a segment of `items` items that begins at item `begin`.
template <class Out>
__device__ decltype(auto) place_of(const Out& out, std::int64_t i, [[maybe_unused]] std::int64_t begin,
                                   [[maybe_unused]] std::int64_t items) {
  if constexpr (requires { out.of_segment(i, begin, items); }) return out.of_segment(i, begin, items);
  else return out[i];
}

/// A pointer as it is, any other iterator as an indexed_output.
template <class Out> auto to_indexed(const Out& out) {
  if constexpr (std::is_pointer_v<Out>) return out;
  else return indexed_output<Out>{out, 0};
}

}  // namespace warpfold::segmented
