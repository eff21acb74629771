// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of 8-bit integers, four items an instruction. Every association of them has the same bits as the canonical tree.
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

template <class Chunk> inline constexpr bool holds_bytes = false;
template <class T, int Items>
inline constexpr bool holds_bytes<chunk<T, Items>> = std::is_integral_v<T> && sizeof(T) == 1 &&
                                                     !std::is_same_v<T, bool> && Items % 4 == 0;

/// Whether `Op` over these leaves is the sum of plain 8-bit integers in 32 bits.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
inline constexpr bool sums_bytes =
    holds_bytes<typename Leaves::chunk>&& std::is_same_v<warpfold::detail::plain_operator_t<Op>, plus>&&
        std::is_same_v<typename Leaves::transform_type, no_transform>&& std::is_integral_v<A> &&
    sizeof(A) == 4;

/// The sum of the first `count` items of a chunk of `T`: 0 if `count` is not positive, all items if it exceeds them.
/// `count` is converted to bits, so it is 2^27 at most.
template <class A, class T, int Items> __device__ A sum_bytes(const chunk<T, Items>& from, int count) {
  static_assert(sizeof(T) == 1 && Items % 4 == 0);
  using word = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
  word sum = 0;
  WARPFOLD_UNROLL
  for (int i = 0; i < chunk<T, Items>::words; ++i) {
    // Bits of this word that do not count; the number may exceed 32 or be negative.
    const int left_out = 8 * (4 * (i + 1) - count);
    const unsigned ones = __funnelshift_rc(0x01010101u, 0u, static_cast<unsigned>(greatest_of(left_out, 0)));
    sum = __dp4a(static_cast<word>(from.word[i]), static_cast<word>(ones), sum);
  }
  return static_cast<A>(sum);
}

}  // namespace warpfold::thread
