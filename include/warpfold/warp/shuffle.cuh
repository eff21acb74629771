// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles of any trivially copyable type, word by word.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/standard.hpp>

namespace warpfold::warp {

namespace detail {
template <class T, class ShuffleWord> __device__ T by_words(T value, ShuffleWord shuffle_word) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr int words = (sizeof(T) + 3) / 4;
  std::uint32_t word[words] = {};
  std::memcpy(word, &value, sizeof(T));
  WARPFOLD_UNROLL
  for (int i = 0; i < words; ++i) word[i] = shuffle_word(word[i]);
  T result = value;
  std::memcpy(&result, word, sizeof(T));
  return result;
}
}  // namespace detail

/// `value` of lane `source`. All lanes of `mask` must call it together; the same holds for the other shuffles.
template <class T> __device__ T shuffle(T value, int source, unsigned mask = full_warp) {
  return detail::by_words(value, [=](std::uint32_t word) { return __shfl_sync(mask, word, source); });
}

/// `value` of lane (own lane xor `distance`).
template <class T> __device__ T shuffle_xor(T value, int distance, unsigned mask = full_warp) {
  return detail::by_words(value, [=](std::uint32_t word) { return __shfl_xor_sync(mask, word, distance); });
}

/// `value` of lane (own lane + `distance`); where that is past the logical warp of `Width` lanes, the own value.
template <int Width = warp_lanes, class T> __device__ T shuffle_down(T value, int distance, unsigned mask = full_warp) {
  return detail::by_words(value, [=](std::uint32_t word) { return __shfl_down_sync(mask, word, distance, Width); });
}

/// `value` of lane (own lane - `distance`); where that is before the logical warp of `Width` lanes, the own value.
template <int Width = warp_lanes, class T> __device__ T shuffle_up(T value, int distance, unsigned mask = full_warp) {
  return detail::by_words(value, [=](std::uint32_t word) { return __shfl_up_sync(mask, word, distance, Width); });
}

}  // namespace warpfold::warp
