// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How batches of rows of a few columns lie in shared memory. Pure functions, testable without a GPU.
#pragma once
#include <bit>
#include <warpfold/axes/policy.hpp>
#include <warpfold/thread/fast_divisor.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A batch: lanes fold columns of row groups, and copy the vectors that hold these.
struct copied_rows_shape {
  int columns;
  int log_row_lanes;   ///< a row group has the least power of two of lanes that is no less than `columns`
  int log_group_rows;  ///< and as many rows
  int group_bytes;     ///< of these rows in memory
  int group_pitch;     ///< bytes from a group to the next one in shared memory
  int group_vectors;   ///< of 16 bytes, which hold a group: one more if it may begin within one
  thread::fast_divisor by_group_vectors;

  __host__ __device__ int log_groups() const { return log2_of(warp_lanes) - log_row_lanes; }
  __host__ __device__ int log_batch_rows() const { return log_group_rows + log_groups(); }
  __host__ __device__ int vectors() const { return group_vectors << log_groups(); }
};

/// Each lane has 128 bytes of a column, or as many again if there is room. Groups lie in different banks, with room for
/// one more vector between them.
constexpr copied_rows_shape copied_rows_of(int columns, std::size_t item_bytes, bool is_aligned) {
  copied_rows_shape shape{};
  const auto bytes = static_cast<int>(item_bytes);
  const int log_lanes = std::bit_width(static_cast<unsigned>(columns - 1)), groups = warp_lanes >> log_lanes;
  const int row_bytes = columns * bytes, times = groups * columns * 256 <= most_batch_bytes ? 2 : 1;
  shape.columns = columns;
  shape.log_row_lanes = log_lanes;
  shape.log_group_rows = std::bit_width(static_cast<unsigned>(times * 128 / bytes)) - 1;
  shape.group_bytes = row_bytes << shape.log_group_rows;
  shape.group_pitch = shape.group_bytes + (row_bytes + 15) / 16 * 16;
  shape.group_vectors = shape.group_bytes / 16 + !is_aligned;
  shape.by_group_vectors = thread::fast_divisor(shape.group_vectors);
  return shape;
}

/// Bytes of shared memory that a warp needs for its batch, however many columns there are.
inline constexpr int most_copied_bytes = [] {
  int most = 0;
  for (int columns = 1; columns <= max_narrow_columns; ++columns)
    for (const std::size_t item_bytes : {4, 8}) {
      const copied_rows_shape shape = copied_rows_of(columns, item_bytes, false);
      most = greatest_of(most, shape.group_pitch * (warp_lanes >> shape.log_row_lanes));
    }
  return most;
}();

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
