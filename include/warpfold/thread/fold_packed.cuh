// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of 8- and 16-bit integers, two or four items per instruction. The bits are those of the canonical tree, since
// every association of such items has the same bits.
#pragma once
#include <warpfold/thread/missing_items.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

namespace detail {
/// The item of a chunk of whole words.
struct no_item {};
template <class Chunk> struct word_item { using type = no_item; };
template <class T, int Items> struct word_item<chunk<T, Items>> {
  using type = std::conditional_t<sizeof(T) * Items % 4 == 0, T, no_item>;
};
template <class T>
inline constexpr bool is_narrow_integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 2;
}  // namespace detail

/// Whether `Op` folds plain 8- or 16-bit integers in 32 bits, and can fold whole words: sums, bits, and extrema in the
/// order of the items.
template <class Leaves, class Op, class A> WARPFOLD_JIT consteval bool find_folds_packed() {
  using T = typename detail::word_item<typename Leaves::chunk>::type;
  constexpr hardware_operation operation = hardware_operation_v<Op>;
  if constexpr (!detail::is_narrow_integer<T> || !std::is_integral_v<A> || sizeof(A) != 4 ||
                !std::is_same_v<typename Leaves::transform_type, no_transform>)
    return false;
  else if constexpr (operation == hardware_operation::minimum || operation == hardware_operation::maximum)
    return std::is_signed_v<A> || !std::is_signed_v<T>;
  else return operation != hardware_operation::none;
}
template <class Leaves, class Op, class A = typename Leaves::accumulator>
inline constexpr bool folds_packed = find_folds_packed<Leaves, Op, A>();
template <class Leaves, class Op>
inline constexpr bool sums_packed = folds_packed<Leaves, Op>&& hardware_operation_v<Op> == hardware_operation::add;

namespace detail {

/// `all`, which has ItemBits bits for each item of word `index`, without the bits of the chunk's items from `count` on.
/// `count` may be negative; it is converted to bits, so it is 2^26 at most.
template <int WordItems, int ItemBits> __device__ unsigned present_bits(unsigned all, int index, int count) {
  const int left_out = ItemBits * (WordItems * (index + 1) - count);
  return __funnelshift_rc(all, 0u, static_cast<unsigned>(greatest_of(left_out, 0)));
}

/// sum + the items of `word`, each times its byte of `factors`.
template <class T> __device__ unsigned add_items(unsigned word, unsigned factors, unsigned sum) {
  using number = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
  const auto items = static_cast<number>(word), bytes = static_cast<number>(factors), before = static_cast<number>(sum);
  if constexpr (sizeof(T) == 1) return static_cast<unsigned>(__dp4a(items, bytes, before));
  else return static_cast<unsigned>(__dp2a_lo(items, bytes, before));
}

/// The extrema of two pairs of 16-bit integers.
template <class T, hardware_operation Operation> __device__ unsigned extremum_of_pairs(unsigned a, unsigned b) {
  if constexpr (Operation == hardware_operation::minimum) return std::is_signed_v<T> ? __vmins2(a, b) : __vminu2(a, b);
  else return std::is_signed_v<T> ? __vmaxs2(a, b) : __vmaxu2(a, b);
}

template <hardware_operation Operation> __device__ unsigned join_bits(unsigned a, unsigned b) {
  if constexpr (Operation == hardware_operation::bit_and) return a & b;
  else if constexpr (Operation == hardware_operation::bit_or) return a | b;
  else return a ^ b;
}

/// The extremum of all items of all words, each item of a word at its place.
template <class T, hardware_operation Operation, int Words>
__device__ T extremum_of_words(const unsigned (&word)[Words]) {
  unsigned high = word[0], low = word[0] << 8;
  WARPFOLD_UNROLL
  for (int i = 1; i < Words; ++i) {
    high = extremum_of_pairs<T, Operation>(high, word[i]);
    // Pairs compare by their upper bytes first: what the lower bytes hold does not matter.
    if constexpr (sizeof(T) == 1) low = extremum_of_pairs<T, Operation>(low, word[i] << 8);
  }
  if constexpr (sizeof(T) == 1) high = extremum_of_pairs<T, Operation>(high, low);
  high = extremum_of_pairs<T, Operation>(high, high << 16);
  return static_cast<T>(high >> (32 - 8 * sizeof(T)));
}

template <class T, hardware_operation Operation, int Words> __device__ T bits_of_words(const unsigned (&word)[Words]) {
  unsigned all = word[0];
  WARPFOLD_UNROLL
  for (int i = 1; i < Words; ++i) all = join_bits<Operation>(all, word[i]);
  all = join_bits<Operation>(all, all >> 16);
  if constexpr (sizeof(T) == 1) all = join_bits<Operation>(all, all >> 8);
  return static_cast<T>(all);
}

}  // namespace detail

/// The fold of the first `count` items of a chunk, or of all items if there are fewer. If `count` is not positive, the
/// result is 0 for sums, and means nothing for other operators.
template <class A, class Op, class T, int Items> __device__ A fold_packed(const chunk<T, Items>& from, int count) {
  constexpr hardware_operation operation = hardware_operation_v<Op>;
  constexpr int words = chunk<T, Items>::words, bits = 8 * int{sizeof(T)}, word_items = 32 / bits;
  if constexpr (operation == hardware_operation::add) {
    unsigned sum = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < words; ++i) {
      const unsigned ones = detail::present_bits<word_items, 8>(bits == 8 ? 0x01010101u : 0x0101u, i, count);
      sum = detail::add_items<T>(from.word[i], ones, sum);
    }
    return static_cast<A>(sum);
  } else {
    constexpr auto missing = static_cast<std::make_unsigned_t<T>>(exact_identity<Op, T>);
    constexpr unsigned missing_word = bits == 8 ? missing * 0x01010101u : missing * 0x00010001u;
    unsigned word[words];
    WARPFOLD_UNROLL
    for (int i = 0; i < words; ++i) {
      const unsigned present = detail::present_bits<word_items, bits>(~0u, i, count);
      word[i] = (from.word[i] & present) | (missing_word & ~present);
    }
    if constexpr (operation == hardware_operation::minimum || operation == hardware_operation::maximum)
      return static_cast<A>(detail::extremum_of_words<T, operation>(word));
    else return static_cast<A>(detail::bits_of_words<T, operation>(word));
  }
}

}  // namespace warpfold::thread
