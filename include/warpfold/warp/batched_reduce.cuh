// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduces several rows of 32 values together; each lane has one value per row. Each exchange halves the rows of a lane,
// so 8 rows take 4 + 2 + 1 + 2 shuffles instead of 8 * 5. Distances ascend, which keeps the order.
#pragma once
#include <warpfold/thread/fold.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::warp {

/// The row whose result batched_reduce<Rows> leaves in the calling lane: the low bits of the lane, reversed.
template <int Rows> __device__ int row_of_lane() {
  int row = 0;
  WARPFOLD_UNROLL
  for (int distance = 1, bit = Rows / 2; bit >= 1; distance *= 2, bit /= 2)
    if (arch::lane_id() & distance) row |= bit;
  return row;
}

namespace detail {
/// The exchanges that leave each lane one row: a lower lane keeps the lower half of the rows, an upper lane the upper
/// half. join_rows(half, row, upper, kept, other) joins the kept value of a row with the value from the other lane. (It
/// recurses: a loop whose bounds depend on an outer loop would keep the rows in local memory.)
template <int Half, int Rows, class A, class Join> __device__ void exchange_rows(A (&rows)[Rows], Join join_rows) {
  if constexpr (Half >= 1) {
    constexpr int distance = Rows / 2 / Half;
    const bool upper = arch::lane_id() & distance;
    WARPFOLD_UNROLL
    for (int row = 0; row < Half; ++row) {
      const A kept = thread::choose(upper, rows[row + Half], rows[row]);
      const A other = shuffle_xor(thread::choose(upper, rows[row], rows[row + Half]), distance);
      rows[row] = join_rows(Half, row, upper, kept, other);
    }
    exchange_rows<Half / 2>(rows, join_rows);
  }
}
}  // namespace detail

/// Reduces each of `Rows` (a power of two up to 32) rows over the 32 lanes, lane 0's value leftmost. Each lane returns
/// the result of row row_of_lane<Rows>(). All 32 lanes must call it. `rows` is used up.
/// Cost: Rows - 1 + log2(32 / Rows) shuffles per word.
template <int Rows, class A, class Op> __device__ A batched_reduce(A (&rows)[Rows], Op op) {
  static_assert(is_power_of_two(Rows) && Rows <= warp_lanes);
  detail::exchange_rows<Rows / 2>(rows,
                                  [&](int, int, bool upper, A kept, A other) { return join(upper, kept, other, op); });
  A value = rows[0];
  WARPFOLD_UNROLL
  for (int distance = Rows; distance < warp_lanes; distance *= 2)
    value = join(arch::lane_id() & distance, value, shuffle_xor(value, distance), op);
  return value;
}

/// batched_reduce over the first `count` lanes, count > 0. `op` is not called with the values of the others.
template <int Rows, class A, class Op> __device__ A batched_reduce(A (&rows)[Rows], Op op, int count) {
  static_assert(is_power_of_two(Rows) && Rows <= warp_lanes);
  const int lane = arch::lane_id();
  // A right operand exists if its first value does, which lies in lane (lane | distance) & -distance.
  const auto exists = [&](int distance) { return ((lane | distance) & -distance) < count; };
  detail::exchange_rows<Rows / 2>(rows, [&](int halves, int, bool upper, A kept, A other) {
    return join_if(exists(Rows / 2 / halves), upper, kept, other, op);
  });
  A value = rows[0];
  WARPFOLD_UNROLL
  for (int distance = Rows; distance < warp_lanes; distance *= 2)
    value = join_if(exists(distance), lane & distance, value, shuffle_xor(value, distance), op);
  return value;
}

/// Folds all rows to one value, row 0 leftmost: the canonical tree over Rows * 32 values. Valid in every lane.
/// Cost: that of batched_reduce and log2(Rows) shuffles: 12 for 8 rows. Where any order gives the same bits, as for
/// extrema and integers, each lane joins its rows first: 5 shuffles.
template <int Rows, class A, class Op> __device__ A fold_rows(A (&rows)[Rows], Op op) {
  if constexpr (std::is_arithmetic_v<A> && is_exact<Op, A> && is_commutative<Op>)
    return all_reduce(thread::fold(rows, op), op);
  A value = batched_reduce(rows, op);
  WARPFOLD_UNROLL
  for (int distance = Rows / 2; distance >= 1; distance /= 2)  // neighbouring rows are farthest apart
    value = join(arch::lane_id() & distance, value, shuffle_xor(value, distance), op);
  return value;
}

/// The same, but op_of(values) makes the operator that joins nodes of so many values.
template <int Rows, class A, class OpOf> __device__ A fold_rows_of_nodes(A (&rows)[Rows], OpOf op_of) {
  detail::exchange_rows<Rows / 2>(rows, [&](int half, int, bool upper, A kept, A other) {
    return join(upper, kept, other, op_of(Rows / 2 / half));
  });
  A value = rows[0];
  WARPFOLD_UNROLL
  for (int distance = Rows; distance < warp_lanes; distance *= 2)
    value = join(arch::lane_id() & distance, value, shuffle_xor(value, distance), op_of(distance));
  WARPFOLD_UNROLL
  for (int distance = Rows / 2, row = 1; distance >= 1; distance /= 2, row *= 2)
    value = join(arch::lane_id() & distance, value, shuffle_xor(value, distance), op_of(row * warp_lanes));
  return value;
}

/// fold_rows over the first `count` (1 to Rows * 32) values, counted along the rows. `op` is not called with the
/// others.
template <int Rows, class A, class Op> __device__ A fold_rows(A (&rows)[Rows], Op op, int count) {
  static_assert(is_power_of_two(Rows) && Rows <= warp_lanes);
  const int lane = arch::lane_id(), own_row = row_of_lane<Rows>();
  // A right operand exists if its first value does, in lane (lane | distance) & -distance.
  const auto exists = [&](int row, int distance) { return row * warp_lanes + ((lane | distance) & -distance) < count; };
  detail::exchange_rows<Rows / 2>(rows, [&](int halves, int row, bool upper, A kept, A other) {
    return join_if(exists((own_row & -halves) + row, Rows / 2 / halves), upper, kept, other, op);
  });
  A value = rows[0];
  WARPFOLD_UNROLL
  for (int distance = Rows; distance < warp_lanes; distance *= 2)
    value = join_if(exists(own_row, distance), lane & distance, value, shuffle_xor(value, distance), op);
  WARPFOLD_UNROLL
  for (int distance = Rows / 2, row = 1; distance >= 1; distance /= 2, row *= 2)  // rows join as wholes
    value = join_if(((own_row | row) & -row) * warp_lanes < count, lane & distance, value, shuffle_xor(value, distance),
                    op);
  return value;
}

}  // namespace warpfold::warp
