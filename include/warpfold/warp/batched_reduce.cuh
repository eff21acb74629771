// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several rows of 32 values, one value of each a lane, reduced together: after each exchange a lane is left with half
// the rows, so 8 rows take 4 + 2 + 1 + 2 shuffles instead of 8 * 5. Distances ascend, so the order holds.
#pragma once
#include <warpfold/warp/reduce.cuh>

namespace warpfold::warp {

/// `upper ? a : b` by value: of array elements, the choice of an address would put the array into local memory.
template <class A> __device__ A choose(bool upper, A a, A b) { return upper ? a : b; }

/// What a lane holds after an xor exchange: op of its value and the other's, in order, or the left one alone where the
/// right one does not exist.
template <class A, class Op> __device__ A join_if(bool right_exists, bool upper, A own, A other, Op op) {
  if (right_exists) return upper ? op(other, own) : op(own, other);
  return upper ? other : own;
}

/// The row whose result batched_reduce<Rows> leaves in the calling lane: the low bits of the lane, reversed.
template <int Rows> __device__ int row_of_lane() {
  int row = 0;
  WARPFOLD_UNROLL
  for (int distance = 1, bit = Rows / 2; bit >= 1; distance *= 2, bit /= 2)
    if (arch::lane_id() & distance) row |= bit;
  return row;
}

/// Reduces each of `Rows` (a power of two up to 32) rows over the 32 lanes, lane 0's value leftmost. Each lane returns
/// the result of row row_of_lane<Rows>(). All 32 lanes must call it. `rows` is used up.
/// Cost: Rows - 1 + log2(32 / Rows) shuffles a word.
template <int Rows, class A, class Op> __device__ A batched_reduce(A (&rows)[Rows], Op op) {
  static_assert(is_power_of_two(Rows) && Rows <= warp_lanes);
  const int lane = arch::lane_id();
  WARPFOLD_UNROLL
  for (int half = Rows / 2, distance = 1; half >= 1; half /= 2, distance *= 2) {
    const bool upper = lane & distance;
    WARPFOLD_UNROLL
    for (int row = 0; row < half; ++row) {  // a lower lane keeps the lower half of the rows, an upper lane the upper
      const A kept = choose(upper, rows[row + half], rows[row]);
      const A other = shuffle_xor(choose(upper, rows[row], rows[row + half]), distance);
      rows[row] = upper ? op(other, kept) : op(kept, other);
    }
  }
  A value = rows[0];
  WARPFOLD_UNROLL
  for (int distance = Rows; distance < warp_lanes; distance *= 2) {
    const A other = shuffle_xor(value, distance);
    value = lane & distance ? op(other, value) : op(value, other);
  }
  return value;
}

/// Folds all rows to one value, row 0 leftmost: the canonical tree over Rows * 32 values. Valid in every lane.
/// Cost: as batched_reduce and log2(Rows) shuffles more: 12 for 8 rows.
template <int Rows, class A, class Op> __device__ A fold_rows(A (&rows)[Rows], Op op) {
  A value = batched_reduce(rows, op);
  WARPFOLD_UNROLL
  for (int distance = Rows / 2; distance >= 1; distance /= 2)  // neighbouring rows are farthest apart
    value = join_if(true, arch::lane_id() & distance, value, shuffle_xor(value, distance), op);
  return value;
}

/// As above over the first `count` (1 to Rows * 32) values, counted along the rows; the others are not looked at.
template <int Rows, class A, class Op> __device__ A fold_rows(A (&rows)[Rows], Op op, int count) {
  static_assert(is_power_of_two(Rows) && Rows <= warp_lanes);
  const int lane = arch::lane_id();
  int own_row = 0;  // the row of rows[0], once rows have been exchanged
  WARPFOLD_UNROLL
  for (int half = Rows / 2, distance = 1; half >= 1; half /= 2, distance *= 2) {
    const bool upper = lane & distance;
    if (upper) own_row += half;
    const int right = own_row * warp_lanes + ((lane | distance) & -distance);  // index of the right operand's first value
    WARPFOLD_UNROLL
    for (int row = 0; row < half; ++row) {
      const A kept = choose(upper, rows[row + half], rows[row]);
      const A other = shuffle_xor(choose(upper, rows[row], rows[row + half]), distance);
      rows[row] = join_if(right + row * warp_lanes < count, upper, kept, other, op);
    }
  }
  A value = rows[0];
  WARPFOLD_UNROLL
  for (int distance = Rows; distance < warp_lanes; distance *= 2) {
    const int right = own_row * warp_lanes + ((lane | distance) & -distance);
    value = join_if(right < count, lane & distance, value, shuffle_xor(value, distance), op);
  }
  WARPFOLD_UNROLL
  for (int distance = Rows / 2, row = 1; distance >= 1; distance /= 2, row *= 2) {  // neighbouring rows are farthest apart
    const int right = ((own_row | row) & -row) * warp_lanes;
    value = join_if(right < count, lane & distance, value, shuffle_xor(value, distance), op);
  }
  return value;
}

}  // namespace warpfold::warp
