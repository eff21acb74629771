// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of two halfs, or two bfloat16, by one instruction. A word holds a pair of them.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/conversion.hpp>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A bound of items of type `T`, half or bfloat16. Worse items are greater ones if `Smallest`, and less ones otherwise.
/// Four items lie in two words. A result has one byte for each of them: 0xFF if the answer is yes, and 0 if it is no.
template <class T, bool Smallest> class packed_bound {
 public:
  packed_bound() = default;
  /// `bound` is not a NaN. For bfloat16 items it is a bfloat16. For halfs it is rounded to a half, towards the worse
  /// ones, so the same items or fewer are worse.
  __device__ explicit packed_bound(float bound) : bound_(bound) {
#if defined(__CUDA_ARCH__)
    unsigned short half = 0;
    if constexpr (!are_halfs) pair_ = __byte_perm(__float_as_uint(bound), 0, 0x3232);
    else if constexpr (Smallest) asm("cvt.rp.f16.f32 %0, %1;" : "=h"(half) : "f"(bound));
    else asm("cvt.rm.f16.f32 %0, %1;" : "=h"(half) : "f"(bound));
    if constexpr (are_halfs) pair_ = half * 0x10001u;
#endif
  }
  /// Which of four items are worse. A NaN is not. The bound must not be a zero that differs from a zero by -0.
  __device__ unsigned are_worse(unsigned first, unsigned second) const {
#if defined(__CUDA_ARCH__)
    if constexpr (has_instructions) return signs(difference(first), difference(second));
#endif
    return of_each(first, second, [&](float item) { return Smallest ? item > bound_ : item < bound_; });
  }
  /// Which of four items are NaN.
  __device__ static unsigned are_nans(unsigned first, unsigned second) {
    return of_each(first, second, [](float item) { return item != item; });
  }
  /// The better items of two pairs; NaN are better than numbers.
  __device__ static unsigned better(unsigned a, unsigned b) {
#if defined(__CUDA_ARCH__)
    if constexpr (has_instructions) {
      unsigned result;
      if constexpr (are_halfs && Smallest) asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
      else if constexpr (are_halfs) asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
      else if constexpr (Smallest) asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
      else asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
      return result;
    }
#endif
    unsigned result = 0;
    for (int i = 0; i < 2; ++i) {
      const float left = item(a, i), right = item(b, i);
      const bool takes_left = left != left || (Smallest ? left <= right : left >= right);
      result |= (takes_left ? a : b) & 0xFFFFu << 16 * i;
    }
    return result;
  }
  /// Item `i` of a pair.
  __device__ static float item(unsigned pair, int i) {
    const auto bits = static_cast<std::uint16_t>(pair >> 16 * i);
    T value;
    std::memcpy(&value, &bits, sizeof(value));
    return warpfold::detail::convert<float>(value);
  }
  /// A pair of the worst numbers.
  static constexpr unsigned worst_pair =
      ((std::is_same_v<T, __half> ? 0x7C00u : 0x7F80u) | (Smallest ? 0u : 0x8000u)) * 0x10001u;

 private:
  static constexpr bool are_halfs = std::is_same_v<T, __half>;

  template <class Test> __device__ static unsigned of_each(unsigned first, unsigned second, Test test) {
    unsigned result = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < 4; ++i)
      if (test(item(i < 2 ? first : second, i % 2))) result |= 0xFFu << 8 * i;
    return result;
  }
#if defined(__CUDA_ARCH__)
  static constexpr bool has_instructions = __CUDA_ARCH__ >= 800;

  /// Bytes that repeat the signs of four items.
  __device__ static unsigned signs(unsigned first, unsigned second) {
    unsigned result;
    asm("prmt.b32 %0, %1, %2, 0xFDB9;" : "=r"(result) : "r"(first), "r"(second));
    return result;
  }
  /// How much better items are. It is not flushed to zero, whatever the flags.
  __device__ unsigned difference(unsigned items) const {
    unsigned result;
    const unsigned from = Smallest ? pair_ : items, taken = Smallest ? items : pair_;
    if constexpr (are_halfs) asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(from), "r"(taken));
    else asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(taken), "r"(0xBF80BF80u), "r"(from));
    return result;
  }

  unsigned pair_;
#endif
  float bound_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
