// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The total order of top_k_items: better items first, of equal ones that of the lower index. An item becomes a key, an
// unsigned number that is greater for a better item, so kernels compare and move keys alone.
#pragma once
#include <warpfold/thread/source.cuh>
#include <warpfold/top_k_operators.hpp>

namespace warpfold::selection {

/// Ranks: unsigned numbers that are greater for better items, and equal for equal ones. -0 and +0 have one rank, and
/// all NaN have the best one or the worst one. `T` is the type of the items.
template <bool Smallest, nans Nans, class T> struct item_order {
  using item = T;
  using value = typename warpfold::detail::promoted<T>::type;
  static constexpr bool is_real = std::is_floating_point_v<value>, is_smallest = Smallest;
  static_assert(std::is_arithmetic_v<value> && sizeof(value) <= 8);
  /// As floats, half and narrower ones have at most 10 bits of mantissa, and bfloat16 has 7. The others are zero.
  static constexpr int dropped_bits = is_real && sizeof(T) < 4 ? (std::is_same_v<T, __nv_bfloat16> ? 16 : 13) : 0;
  static constexpr int rank_bits = is_real ? 8 * int{sizeof(value)} - dropped_bits : 8 * int{sizeof(T)};
  using rank_type = std::conditional_t<rank_bits <= 32, std::uint32_t, std::uint64_t>;
  static constexpr rank_type all_ones = static_cast<rank_type>(~std::uint64_t{0} >> (64 - rank_bits));

  /// What items are compared as: numbers of the hardware, which takes one instruction for the better of two.
  using number = std::conditional_t<is_real, value, T>;
  __device__ static number number_of(const T& item) {
    if constexpr (is_real) return warpfold::detail::convert<value>(item);
    else return item;
  }
  /// The one of the better rank.
  __device__ static number better(number a, number b) {
    if constexpr (Nans == nans::ignore) return std::conditional_t<Smallest, minimum_number, maximum_number>{}(a, b);
    else return std::conditional_t<Smallest, minimum, maximum>{}(a, b);
  }
  __device__ static rank_type rank_of(number item) {
    if constexpr (is_real) {
      const rank_type bits = number_bits(item) >> dropped_bits;
      if (item != item) return Nans == nans::propagate ? all_ones : 0;
      return Smallest ? bits ^ all_ones : bits;
    } else {
      constexpr rank_type sign = std::is_signed_v<T> ? rank_type{1} << (rank_bits - 1) : 0;
      const rank_type bits = (static_cast<rank_type>(item) & all_ones) ^ sign;
      return Smallest ? bits ^ all_ones : bits;
    }
  }
  __device__ static rank_type rank(const T& item) { return rank_of(number_of(item)); }
  static constexpr bool nan_wins = is_real && Nans == nans::propagate;
  /// The worst rank of all items.
  __device__ static rank_type worst_rank() {
    if constexpr (nan_wins) return rank_of(Smallest ? infinity : -infinity);
    else return 0;
  }
  /// The best rank of items that are no NaN.
  __device__ static rank_type best_rank() {
    if constexpr (is_real) return rank_of(Smallest ? -infinity : infinity);
    else return all_ones;
  }
  /// The number of that rank; the worst of those that have a better one, if no number has it. If only NaN have, the
  /// infinity next to them.
  __device__ static number number_of_rank(rank_type rank) {
    if constexpr (is_real) {
      const rank_type worst = rank_of(Smallest ? infinity : -infinity);
      rank = clamped(rank, worst, best_rank());
    }
    const rank_type bits = Smallest ? rank ^ all_ones : rank;
    if constexpr (is_real) return number_of_bits(Smallest && bits == bits_of_minus_0 ? bits - 1 : bits);
    else return static_cast<T>(bits ^ (std::is_signed_v<T> ? rank_type{1} << (rank_bits - 1) : 0));
  }
  /// Whether `item` is worse than `other`, which is no NaN.
  __device__ static bool is_worse(number item, number other) {
    if constexpr (is_real && Nans == nans::ignore) return Smallest ? !(item <= other) : !(item >= other);
    else return Smallest ? item > other : item < other;
  }
  /// The value at places without an item.
  __host__ __device__ static constexpr value missing() {
    return warpfold::detail::best_k<Smallest, 1, Nans>::template worst<value>();
  }

 private:
  using word = std::conditional_t<sizeof(value) == 4, std::uint32_t, std::uint64_t>;
  static constexpr word sign = word{1} << (8 * sizeof(word) - 1);
  static constexpr value infinity = std::numeric_limits<value>::infinity();
  static constexpr auto bits_of_minus_0 = static_cast<rank_type>(word{sign - 1} >> dropped_bits);

  /// Neither 0 nor all_ones for a number.
  __device__ static rank_type number_bits(value number) {
    word bits;
    std::memcpy(&bits, &number, sizeof(bits));
    if (bits == sign) bits = 0;  // -0 is +0
    return static_cast<rank_type>(bits & sign ? ~bits : bits | sign);
  }
  /// The number that has the bits of number_bits(number) >> dropped_bits.
  __device__ static value number_of_bits(rank_type from) {
    const word bits = static_cast<word>(from) << dropped_bits, dropped = (word{1} << dropped_bits) - 1;
    const word own = bits & sign ? bits ^ sign : ~(bits | dropped);
    value number;
    std::memcpy(&number, &own, sizeof(number));
    return number;
  }
};

/// A rank and an item's place in one word, or no item. Greater keys come first.
template <int RankBits> struct packed_key {
  static constexpr int place_bits = 64 - RankBits;
  static_assert(place_bits >= 32 && place_bits < 64);
  static constexpr std::uint64_t last_place = ~std::uint64_t{0} >> RankBits;
  /// Items that can be told apart: the last place stands for no item.
  static constexpr std::int64_t most_items = static_cast<std::int64_t>(last_place);

  std::uint64_t bits;

  __device__ static packed_key none() { return {0}; }
  __device__ static packed_key of(std::uint32_t rank, std::int64_t place) {
    return {std::uint64_t{rank} << place_bits | (last_place - static_cast<std::uint64_t>(place))};
  }
  /// No key of this rank is less.
  __device__ static packed_key least_of(std::uint32_t rank) { return {std::uint64_t{rank} << place_bits}; }
  /// The worst rank of keys with such leading bits.
  __device__ static std::uint64_t rank_reaching(std::uint32_t leading) { return leading >> (place_bits - 32); }
  __device__ std::uint64_t rank_bits() const { return bits >> place_bits; }
  __host__ __device__ bool holds() const { return bits != 0; }
  __host__ __device__ bool comes_before(const packed_key& other) const { return bits > other.bits; }
  __host__ __device__ std::int64_t place() const { return static_cast<std::int64_t>(last_place - (bits & last_place)); }
  /// Returns `count` - 1 if `other` comes before this key, and `count` otherwise, in three instructions.
  __device__ unsigned less_if_before(const packed_key& other, unsigned count) const {
#if defined(__CUDA_ARCH__)
    const auto low = static_cast<std::uint32_t>(bits), high = word(0),
               other_low = static_cast<std::uint32_t>(other.bits);
    unsigned result;
    asm("{\n\t.reg .u32 t;\n\tsub.cc.u32 t, %1, %2;\n\tsubc.cc.u32 t, %3, %4;\n\tsubc.u32 %0, %5, 0;\n\t}"
        : "=r"(result)
        : "r"(low), "r"(other_low), "r"(high), "r"(other.word(0)), "r"(count));
    return result;
#else
    return count - other.comes_before(*this);
#endif
  }
  /// The upper bits, by which keys can be compared in part; and those of them that tell a place.
  __device__ std::uint32_t leading() const { return word(0); }
  static constexpr std::uint32_t leading_place_bits =
      static_cast<std::uint32_t>(((std::uint64_t{1} << place_bits) - 1) >> 32);

  /// The words of a key, that of the leading bits first.
  static constexpr int words = 2;
  __device__ std::uint32_t word(int i) const { return static_cast<std::uint32_t>(bits >> (32 - 32 * i)); }
  /// The same key with another word `i`, which must be zero before.
  __device__ packed_key with(int i, std::uint32_t value) const {
    return {bits | std::uint64_t{value} << (32 - 32 * i)};
  }
};

/// The same for ranks of 64 bits.
struct alignas(16) wide_key {
  static constexpr std::int64_t most_items = INT64_MAX;

  std::uint64_t rank, places_after;

  __device__ static wide_key none() { return {0, 0}; }
  __device__ static wide_key of(std::uint64_t rank, std::int64_t place) {
    return {rank, ~static_cast<std::uint64_t>(place)};
  }
  __device__ static wide_key least_of(std::uint64_t rank) { return {rank, 0}; }
  __device__ static std::uint64_t rank_reaching(std::uint32_t leading) { return std::uint64_t{leading} << 32; }
  __device__ std::uint64_t rank_bits() const { return rank; }
  __host__ __device__ bool holds() const { return places_after != 0; }
  __host__ __device__ bool comes_before(const wide_key& other) const {
    return rank > other.rank || (rank == other.rank && places_after > other.places_after);
  }
  __device__ unsigned less_if_before(const wide_key& other, unsigned count) const {
    return count - other.comes_before(*this);
  }
  __host__ __device__ std::int64_t place() const { return static_cast<std::int64_t>(~places_after); }
  __device__ std::uint32_t leading() const { return word(0); }
  static constexpr std::uint32_t leading_place_bits = 0;

  static constexpr int words = 4;
  __device__ std::uint32_t word(int i) const {
    return static_cast<std::uint32_t>((i < 2 ? rank : places_after) >> (i % 2 == 0 ? 32 : 0));
  }
  __device__ wide_key with(int i, std::uint32_t value) const {
    const std::uint64_t added = std::uint64_t{value} << (i % 2 == 0 ? 32 : 0);
    return i < 2 ? wide_key{rank | added, places_after} : wide_key{rank, places_after | added};
  }
};

template <class Order>
using key_of = std::conditional_t<(Order::rank_bits <= 32), packed_key<Order::rank_bits>, wide_key>;

}  // namespace warpfold::selection
