// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordered reductions within a warp, by shuffles at ascending distance: 1, 2, 4, 8, 16. (The common descending order
// pairs lane 0 with lane 16 first, which is right for commutative operators only.) The association is the canonical
// tree over the lanes. Source: blockReduceSum's warpReduceSum, "Faster Parallel Reductions on Kepler".
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

namespace detail {
// redux.sync reduces 32-bit integers in one instruction; exact, so any association is right.
template <class Op, class A>
inline constexpr bool has_redux = std::is_integral_v<A> &&
                                  sizeof(A) == 4 && hardware_operation_v<Op> != hardware_operation::none;

template <class Op, class A> __device__ A redux([[maybe_unused]] unsigned mask, A value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  constexpr hardware_operation operation = hardware_operation_v<Op>;
  const auto word = static_cast<std::conditional_t<std::is_signed_v<A>, int, unsigned>>(value);
  const unsigned bits = static_cast<unsigned>(value);
  if constexpr (operation == hardware_operation::add) return static_cast<A>(__reduce_add_sync(mask, word));
  else if constexpr (operation == hardware_operation::minimum) return static_cast<A>(__reduce_min_sync(mask, word));
  else if constexpr (operation == hardware_operation::maximum) return static_cast<A>(__reduce_max_sync(mask, word));
  else if constexpr (operation == hardware_operation::bit_and) return static_cast<A>(__reduce_and_sync(mask, bits));
  else if constexpr (operation == hardware_operation::bit_or) return static_cast<A>(__reduce_or_sync(mask, bits));
  else return static_cast<A>(__reduce_xor_sync(mask, bits));
#else
  return value;
#endif
}

inline constexpr bool redux_in_hardware =
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    true;
#else
    false;
#endif

/// The mask of the lanes of the caller's logical warp.
template <int Width> __device__ unsigned logical_warp_mask() {
  if constexpr (Width == warp_lanes) return full_warp;
  else return ((1u << Width) - 1) << (arch::lane_id() & ~(Width - 1));
}
}  // namespace detail

/// Folds one value per lane, lane 0's leftmost. A logical warp is `Width` consecutive lanes (a power of two up to 32),
/// and each is reduced on its own. Result valid in the first lane of each logical warp. All lanes of the logical warp
/// must call it. Cost: log2(Width) shuffles per word, or one redux.sync for 32-bit integers on sm_80 and later.
template <int Width = warp_lanes, class A, class Op> __device__ A reduce(A value, Op op) {
  static_assert(is_power_of_two(Width) && Width <= warp_lanes);
  const unsigned mask = detail::logical_warp_mask<Width>();
  if constexpr (detail::has_redux<Op, A> && detail::redux_in_hardware) {
    return detail::redux<Op>(mask, value);
  } else {
    WARPFOLD_UNROLL
    for (int distance = 1; distance < Width; distance *= 2) {
      const A right = shuffle_down<Width>(value, distance, mask);
      if (arch::lane_id() % (2 * distance) == 0) value = op(value, right);
    }
    return value;
  }
}

/// reduce over the first `count` lanes (1 to Width, the same in all) of each logical warp. Only these lanes must call
/// it; if lanes of the warp do not exist, as in blocks whose size is no multiple of 32, only these can. Result valid in
/// the first lane.
template <int Width = warp_lanes, class A, class Op> __device__ A reduce(A value, Op op, int count) {
  static_assert(is_power_of_two(Width) && Width <= warp_lanes);
  const int lane = arch::lane_id() % Width;
  const unsigned mask = (count >= warp_lanes ? full_warp : (1u << count) - 1) << (arch::lane_id() - lane);
  if constexpr (detail::has_redux<Op, A> && detail::redux_in_hardware) {
    return detail::redux<Op>(mask, value);
  } else {
    WARPFOLD_UNROLL
    for (int distance = 1; distance < Width; distance *= 2) {
      const bool has_right = lane % (2 * distance) == 0 && lane + distance < count;
      const A right = warp::shuffle(value, arch::lane_id() + (has_right ? distance : 0), mask);
      if (has_right) value = op(value, right);
    }
    return value;
  }
}

/// As reduce, with the result valid in every lane: an xor exchange in which upper lanes swap the operands. The cost is
/// the same.
template <int Width = warp_lanes, class A, class Op> __device__ A all_reduce(A value, Op op) {
  static_assert(is_power_of_two(Width) && Width <= warp_lanes);
  const unsigned mask = detail::logical_warp_mask<Width>();
  if constexpr (detail::has_redux<Op, A> && detail::redux_in_hardware) {
    return detail::redux<Op>(mask, value);
  } else {
    WARPFOLD_UNROLL
    for (int distance = 1; distance < Width; distance *= 2) {
      value = join(arch::lane_id() & distance, value, shuffle_xor(value, distance, mask), op);
    }
    return value;
  }
}

/// all_reduce over the first `count` lanes (1 to Width), called by *all* lanes of the logical warp. `op` is not called
/// with the values of the others. Result valid in every lane.
template <int Width = warp_lanes, class A, class Op> __device__ A all_reduce(A value, Op op, int count) {
  static_assert(is_power_of_two(Width) && Width <= warp_lanes);
  const unsigned mask = detail::logical_warp_mask<Width>();
  const int lane = arch::lane_id() % Width;
  WARPFOLD_UNROLL
  for (int distance = 1; distance < Width; distance *= 2) {
    const int right_begin = (lane | distance) & -distance;
    value = join_if(right_begin < count, lane & distance, value, shuffle_xor(value, distance, mask), op);
  }
  return value;
}

}  // namespace warpfold::warp
