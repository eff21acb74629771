// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// *address = *address op value, by one hardware atomic.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <warpfold/operator_traits.hpp>

namespace warpfold::thread {

/// Whether atomic_fold exists: plus, minimum and maximum over 32- and 64-bit integers, float and double; bit_and,
/// bit_or and bit_xor over those integers.
template <class Op, class A>
inline constexpr bool has_atomic_v = [] {
  constexpr bool integer = std::is_integral_v<A> && (sizeof(A) == 4 || sizeof(A) == 8);
  using P = warpfold::detail::plain_operator_t<Op>;
  if (hardware_operation_v<Op> == hardware_operation::none) return false;
  return integer || (warpfold::detail::is_real<A> && warpfold::detail::is_one_of<P, plus, minimum, maximum>);
}();

namespace detail {
// The types that CUDA's atomics take, for an accumulator of 32 or 64 bits.
template <class A> using signed_word = std::conditional_t<sizeof(A) == 4, int, long long>;
template <class A> using unsigned_word = std::conditional_t<sizeof(A) == 4, unsigned, unsigned long long>;
template <class A> using word_of = std::conditional_t<std::is_signed_v<A>, signed_word<A>, unsigned_word<A>>;

/// Minimum or maximum of floating point by an integer atomic. The bits of numbers without a sign bit ascend with the
/// numbers; those of numbers with a sign bit descend. A NaN gets the bits that win over every number.
template <bool Least, class A> __device__ void atomic_extremum(A* address, A value) {
  unsigned_word<A> bits;
  std::memcpy(&bits, &value, sizeof(A));
  constexpr unsigned_word<A> sign = unsigned_word<A>{1} << (8 * sizeof(A) - 1);
  if (value != value) bits = Least ? ~unsigned_word<A>{0} : ~sign;
  auto* word = reinterpret_cast<unsigned_word<A>*>(address);
  auto* signed_address = reinterpret_cast<signed_word<A>*>(address);
  if (bits & sign) Least ? atomicMax(word, bits) : atomicMin(word, bits);
  else
    Least ? atomicMin(signed_address, static_cast<signed_word<A>>(bits))
          : atomicMax(signed_address, static_cast<signed_word<A>>(bits));
}
}  // namespace detail

/// Relaxed, as CUDA's atomics are. *address must hold a result of atomic_fold or the operator's identity: a minimum or
/// maximum could lose another NaN there.
template <class Op, class A>
requires has_atomic_v<Op, A> __device__ void atomic_fold(A* address, A value) {
  constexpr hardware_operation operation = hardware_operation_v<Op>;
  if constexpr (warpfold::detail::is_real<A>) {
    if constexpr (operation == hardware_operation::add) atomicAdd(address, value);
    else detail::atomic_extremum<operation == hardware_operation::minimum>(address, value);
  } else {
    auto* word = reinterpret_cast<detail::word_of<A>*>(address);
    auto* bits = reinterpret_cast<detail::unsigned_word<A>*>(address);
    if constexpr (operation == hardware_operation::add) atomicAdd(bits, static_cast<detail::unsigned_word<A>>(value));
    else if constexpr (operation == hardware_operation::minimum)
      atomicMin(word, static_cast<detail::word_of<A>>(value));
    else if constexpr (operation == hardware_operation::maximum)
      atomicMax(word, static_cast<detail::word_of<A>>(value));
    else if constexpr (operation == hardware_operation::bit_and)
      atomicAnd(bits, static_cast<detail::unsigned_word<A>>(value));
    else if constexpr (operation == hardware_operation::bit_or)
      atomicOr(bits, static_cast<detail::unsigned_word<A>>(value));
    else atomicXor(bits, static_cast<detail::unsigned_word<A>>(value));
  }
}

}  // namespace warpfold::thread
