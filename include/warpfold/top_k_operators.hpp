// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators for the best few items and where they are: top_k<K> (the largest), bottom_k<K> (the smallest), in every
// function that takes an operator: reduce(in, out, wf::top_k<8>{}), segmented_reduce(in, offsets, out, wf::top_k<4>{}).
// For larger k, or k at run time: top_k.cuh.
#pragma once
#include <warpfold/arg_operators.hpp>
#include <warpfold/standard.hpp>

namespace warpfold {

/// Up to K items, the best one first, and the numbers of them in the input. If there are fewer than K items, the places
/// left have index -1 and the value of the extremum's identity, or T{} of types without one.
template <class T, int K> struct best_items {
  indexed_value<T> item[K];  ///< the best one first

  __host__ __device__ friend constexpr bool operator==(const best_items& a, const best_items& b) {
    for (int i = 0; i < K; ++i)
      if (!(a.item[i] == b.item[i])) return false;
    return true;
  }
};

namespace detail {

template <bool Smallest, int K, nans Nans> struct best_k {
  static_assert(1 <= K && K <= 16, "warpfold: top_k and bottom_k keep 1 to 16 items");
  template <class T> using value_type = typename promoted<T>::type;
  using extremum = std::conditional_t<Smallest, minimum, maximum>;
  // A constant, since device code may not call identity's function.
  template <class T> static constexpr T worst_number = identity<extremum, T>::value();
  /// The value at places without an item, which only the index tells.
  template <class T> __host__ __device__ static constexpr T worst() {
    if constexpr (has_identity_v<extremum, T>) return worst_number<T>;
    else return T{};
  }

  template <class T>
    requires(has_order<value_type<T>>)
  __host__ __device__ constexpr best_items<value_type<T>, K> lift(const T& item, std::int64_t index) const {
    best_items<value_type<T>, K> list = none<value_type<T>>();
    list.item[0] = {detail::convert<value_type<T>>(item), index};
    return list;
  }
  /// The best K of both: the better one of a's place i and b's place K - 1 - i, which fall and then rise; and a bitonic
  /// merge of these. Not inlined: it is long, and kernels call it in many places.
  template <has_order T>
  __attribute__((noinline)) __host__ __device__ constexpr best_items<T, K> operator()(const best_items<T, K>& a,
                                                                                      const best_items<T, K>& b) const {
    best_items<T, K> list{};
    WARPFOLD_UNROLL
    for (int i = 0; i < K; ++i) {
      const indexed_value<T>&left = a.item[i], &right = b.item[K - 1 - i];
      const bool takes_right = comes_before(right, left);
      list.item[i] = {takes_right ? right.value : left.value, takes_right ? right.index : left.index};
    }
    merge<0, K>(list);
    return list;
  }
  template <class T> __host__ __device__ static constexpr best_items<T, K> none() {
    best_items<T, K> list{};
    WARPFOLD_UNROLL
    for (int i = 0; i < K; ++i) list.item[i] = {worst<T>(), -1};
    return list;
  }

  /// For kernels, which select among many items first (reduce/select_kernel.cuh, warp/select_in_rows.cuh).
  static constexpr int selected = K;
  /// Whether an item comes before another one, of an earlier or later place.
  template <class T, class Place>
  __host__ __device__ static constexpr bool beats(const T& a, Place place_a, const T& b, Place place_b) {
    const bool better = precedes<Smallest, Nans>(a, b), worse = precedes<Smallest, Nans>(b, a);
    return better || (!worse && place_a < place_b);
  }
  /// Whether an item is worse than another one; the better one of two.
  template <class T> __host__ __device__ static constexpr bool is_worse(const T& a, const T& b) {
    return precedes<Smallest, Nans>(b, a);
  }
  template <class T> __host__ __device__ static constexpr T better_of(const T& a, const T& b) {
    if constexpr (Nans == nans::propagate) return extremum{}(a, b);
    else return is_worse(a, b) ? b : a;
  }
  /// A number of 32 bits that is greater if the item is better, and equal if they are equal; never 0.
  template <class T> __host__ __device__ static std::uint32_t rank(T value) {
    std::uint32_t bits = 0;
    if constexpr (std::is_same_v<T, float>) {
      if (value != value) return Nans == nans::propagate ? 0xFFFFFFFF : 1;
      float number = value;
      if (number == 0) number = 0;  // -0 is +0
      std::uint32_t word;
      std::memcpy(&word, &number, sizeof(word));
      bits = word >> 31 ? ~word : word | 0x80000000;
    } else bits = static_cast<std::uint32_t>(value) ^ (std::is_signed_v<T> ? 0x80000000 : 0);
    if (Smallest) bits = ~bits;
    return std::is_same_v<T, float> || bits != 0 ? bits : 1;
  }

 private:
  /// A total order: better items first, of equal ones that of the lower index, missing ones last.
  template <class T>
  __host__ __device__ static constexpr bool comes_before(const indexed_value<T>& a, const indexed_value<T>& b) {
    const auto number = [](std::int64_t index) { return static_cast<std::uint64_t>(index); };  // -1 is the greatest
    const bool better = precedes<Smallest, Nans>(a.value, b.value), worse = precedes<Smallest, Nans>(b.value, a.value);
    return a.index >= 0 && (b.index < 0 || better || (!worse && number(a.index) < number(b.index)));
  }
  /// Sorts Count places, from the `First`-th last one backwards, which fall and then rise (H. W. Lang's bitonic merge
  /// for any number of items).
  template <int First, int Count, class T> __host__ __device__ static constexpr void merge(best_items<T, K>& list) {
    if constexpr (Count > 1) {
      constexpr int half = Count > 8 ? 8 : Count > 4 ? 4 : Count > 2 ? 2 : 1;
      WARPFOLD_UNROLL
      for (int i = First; i < First + Count - half; ++i) {
        indexed_value<T>&worse = list.item[K - 1 - i], &better = list.item[K - 1 - i - half];
        const bool swaps = comes_before(worse, better);
        const indexed_value<T> first{swaps ? worse.value : better.value, swaps ? worse.index : better.index};
        worse = {swaps ? better.value : worse.value, swaps ? better.index : worse.index};
        better = first;
      }
      merge<First, half>(list);
      merge<First + half, Count - half>(list);
    }
  }
};

}  // namespace detail

/// The K largest items, the largest first; of equal ones, those of the lowest indices. NaN counts as larger than every
/// number (`nans::propagate`), or as smaller. -0 and +0 are equal. Associative, and exact: any association gives the
/// same bits. Cost: in reduce, of numbers of up to 32 bits, one comparison per item, since each warp keeps the best
/// items it has met, and most others are worse (reduce/select_kernel.cuh); in long segments, of the same items, a few
/// instructions per item (warp/select_in_rows.cuh); elsewhere, and of other items, a merge of lists per item, which is
/// far from the speed of memory. There, from K = 9 on, accumulators are so wide that they bound the grid, and compile
/// times grow. Items are numbers, or others for which identity<maximum, T> is specialised.
template <int K, nans Nans = nans::propagate> struct top_k : detail::best_k<false, K, Nans> {};

/// The K smallest items, the smallest first. A NaN counts as smaller than every number (`nans::propagate`), or as
/// larger.
template <int K, nans Nans = nans::propagate> struct bottom_k : detail::best_k<true, K, Nans> {};

template <int K, nans Nans, class T> struct identity<top_k<K, Nans>, best_items<T, K>> {
  WARPFOLD_JIT static constexpr best_items<T, K> value() { return top_k<K, Nans>::template none<T>(); }
};
template <int K, nans Nans, class T> struct identity<bottom_k<K, Nans>, best_items<T, K>> {
  WARPFOLD_JIT static constexpr best_items<T, K> value() { return bottom_k<K, Nans>::template none<T>(); }
};
template <int K, nans Nans, class T> inline constexpr bool is_exact<top_k<K, Nans>, best_items<T, K>> = true;
template <int K, nans Nans, class T> inline constexpr bool is_exact<bottom_k<K, Nans>, best_items<T, K>> = true;

}  // namespace warpfold
