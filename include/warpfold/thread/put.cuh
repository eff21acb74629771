// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes results to global memory by whole words.
#pragma once
#include <warpfold/arch/vector_load.cuh>
#include <warpfold/operator_traits.hpp>
#include <warpfold/thread/choose.cuh>

namespace warpfold::thread {

/// Whether `assign` takes them.
template <class To, class T>
concept assigns = requires(To&& to, const T& value) {
  static_cast<To&&>(to) = value;
}
|| (warpfold::detail::is_storage_float<std::remove_reference_t<To>> &&
    std::is_constructible_v<std::remove_cvref_t<To>, T>);

/// to = value; to fp8 and narrower, which convert explicitly, the nearest such number.
template <class To, class T> __host__ __device__ void assign(To&& to, const T& value) {
  if constexpr (warpfold::detail::is_storage_float<std::remove_reference_t<To>>)
    to = warpfold::detail::convert<std::remove_cvref_t<To>>(value);
  else static_cast<To&&>(to) = value;
}

/// Whether a result is an odd number of 64-bit words, three at least, and no long one.
template <class R>
inline constexpr bool is_odd_words = std::is_trivially_copyable_v<R> && alignof(R) == 8 && sizeof(R) % 16 == 8 &&
                                     16 < sizeof(R) && sizeof(R) <= 64;

/// Writes such a result two words at a time, where they are aligned so: its first or its last word is left over. (Each
/// store of a warp touches a sector or more for each lane. On an H200, statistics of 2^26 floats in segments of 4 take
/// 339 us so, and 384 member by member.)
template <class R> __device__ void put_words(R& to, const R& value) {
  constexpr int count = sizeof(R) / 8;
  std::uint64_t word[count];
  std::memcpy(word, &value, sizeof(R));
  auto* const bytes = reinterpret_cast<unsigned char*>(&to);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(bytes) % 16 == 0;
  WARPFOLD_UNROLL
  for (int i = 0; i + 1 < count; i += 2) {
    const std::uint64_t two[2] = {choose(is_aligned, word[i], word[i + 1]),
                                  choose(is_aligned, word[i + 1], word[i + 2])};
    arch::store_once<16>(bytes + 8 * i + (is_aligned ? 0 : 8), two);
  }
  const std::uint64_t one = choose(is_aligned, word[count - 1], word[0]);
  arch::store_once<8>(bytes + (is_aligned ? 8 * (count - 1) : 0), &one);
}

/// assign. For types with padding that specialise detail::padded, the bytes between the members become zero: memory
/// must read sectors that are not written whole, which costs as much as reading the results.
template <class To, class T> __device__ void put(To&& to, const T& value) {
  using R = std::remove_cvref_t<To>;
  if constexpr (std::is_same_v<To, R&> && requires { warpfold::detail::padded<R>::words(value); }) {
    const auto all = warpfold::detail::padded<R>::words(value);
    WARPFOLD_UNROLL
    for (int i = 0; i < int{sizeof(R) / 8}; ++i)
      arch::store_once<8>(reinterpret_cast<unsigned char*>(&to) + 8 * i, &all.word[i]);
  } else if constexpr (std::is_same_v<To, R&> && std::is_same_v<R, T> && is_odd_words<R>) put_words(to, value);
  else assign(static_cast<To&&>(to), value);
}

}  // namespace warpfold::thread
