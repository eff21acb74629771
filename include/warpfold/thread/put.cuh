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

/// Whether a result is some 64-bit words, two at least, and no long one.
template <class R>
inline constexpr bool is_some_words = std::is_trivially_copyable_v<R> && alignof(R) == 8 && sizeof(R) % 8 == 0 &&
                                      16 <= sizeof(R) && sizeof(R) <= 64;

/// Writes these words, two at a time where they are aligned so; of an odd number, the first or the last one is left
/// over. (Each store of a warp touches a sector or more for each lane. On an H200, statistics of 2^26 floats in
/// segments of 4 take 339 us so, and 384 member by member.)
template <int Count> __device__ void put_words(void* to, const std::uint64_t (&word)[Count]) {
  auto* const bytes = static_cast<unsigned char*>(to);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(to) % 16 == 0;
  if constexpr (Count % 2 == 0) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Count; i += 2) {
      if (is_aligned) arch::store_once<16>(bytes + 8 * i, word + i);
      else arch::store_once<8>(bytes + 8 * i, word + i), arch::store_once<8>(bytes + 8 * (i + 1), word + i + 1);
    }
  } else {
    WARPFOLD_UNROLL
    for (int i = 0; i + 1 < Count; i += 2) {
      const std::uint64_t two[2] = {choose(is_aligned, word[i], word[i + 1]),
                                    choose(is_aligned, word[i + 1], word[i + 2])};
      arch::store_once<16>(bytes + 8 * i + (is_aligned ? 0 : 8), two);
    }
    const std::uint64_t one = choose(is_aligned, word[Count - 1], word[0]);
    arch::store_once<8>(bytes + (is_aligned ? 8 * (Count - 1) : 0), &one);
  }
}

/// assign. For types with padding that specialise detail::padded, the bytes between the members become zero: memory
/// must read sectors that are not written whole, which costs as much as reading the results.
template <class To, class T> __device__ void put(To&& to, const T& value) {
  using R = std::remove_cvref_t<To>;
  if constexpr (std::is_same_v<To, R&> && requires { warpfold::detail::padded<R>::words(value); }) {
    put_words(&to, warpfold::detail::padded<R>::words(value).word);
  } else if constexpr (std::is_same_v<To, R&> && std::is_same_v<R, T> && is_some_words<R>) {
    std::uint64_t word[sizeof(R) / 8];
    std::memcpy(word, &value, sizeof(R));
    put_words(&to, word);
  } else assign(static_cast<To&&>(to), value);
}

}  // namespace warpfold::thread
