// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp folds whole rows of a few items, however many: its lanes copy a
// batch of them to shared memory as they lie, and each lane folds items of one
// column.
#pragma once
#include <warpfold/arch/async_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/axes/copied_rows_shape.hpp>
#include <warpfold/axes/staged_items.cuh>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The rows of matrices, a batch at a time. A lane has one column of a row group; groups have adjacent rows.
template <class Leaves, class Op> class copied_rows {
 public:
  using A = typename Leaves::accumulator;
  using T = typename Leaves::item;
  using shape = copied_rows_shape;
  struct storage {
    alignas(16) unsigned char of_warps[narrow_warps][most_copied_bytes];
  };

  __device__ copied_rows(const Leaves& leaves, Op op, const shape& by, storage& shared)
      : leaves_(leaves),
        shape_(by),
        op_(op),
        bytes_(shared.of_warps[arch::uniform_warp()]),
        group_(arch::lane_id() >> by.log_row_lanes),
        column_(least_of(arch::lane_id() & ((1 << by.log_row_lanes) - 1), by.columns - 1)) {}

  static bool takes(int) { return true; }
  static shape shape_of(int columns, bool is_aligned) { return copied_rows_of(columns, sizeof(T), is_aligned); }
  static int log_batch_rows(const shape& by) { return by.log_batch_rows(); }

  __device__ int columns() const { return shape_.columns; }
  __device__ int log_batch_rows() const { return shape_.log_batch_rows(); }
  /// The column whose root a lane gets, if it has one.
  __device__ static int own_column() { return arch::lane_id(); }
  __device__ bool has_root() const { return own_column() < shape_.columns; }

  /// Starts to copy the rows [first, end), a batch at most, of a matrix whose first row lies at `origin`. If vectors
  /// around them would leave the array, they are loaded when they are folded. All lanes of a warp call it.
  __device__ void load(std::int64_t origin, std::int64_t first, std::int64_t end) {
    count_ = static_cast<int>(least_of(end - first, 1 << log_batch_rows()));
    if (count_ <= 0) return;
    place_ = origin + first * shape_.columns;
    before_ = static_cast<int>(reinterpret_cast<std::uintptr_t>(leaves_.data + place_) & 15);
    const int bytes = before_ + count_ * shape_.columns * int{sizeof(T)};
    are_copied_ = (before_ == 0 && bytes % 16 == 0) || leaves_.is_inside(place_, place_ + count_ * shape_.columns);
    if (!are_copied_) return;
    __syncwarp();  // all lanes have folded the batch before
    const auto* const from = reinterpret_cast<const unsigned char*>(leaves_.data + place_) - before_;
    WARPFOLD_UNROLL_4
    for (int n = arch::lane_id(); n < shape_.vectors(); n += warp_lanes) {
      const auto group = static_cast<int>(shape_.by_group_vectors.quotient(static_cast<unsigned>(n)));
      const int byte = 16 * (n - group * shape_.group_vectors), place = group * shape_.group_bytes + byte;
      if (place < bytes) arch::async_copy_to_shared(bytes_ + group * shape_.group_pitch + byte, from + place);
    }
  }
  /// The roots over the rows from `first` on, at least one, that were loaded last. All lanes of the warp call it.
  __device__ A fold(std::int64_t first, std::int64_t) const {
    arch::wait_async_copies();
    __syncwarp();
    const int begin = group_ << shape_.log_group_rows, end = least_of(begin + (1 << shape_.log_group_rows), count_);
    A value{};
    WARPFOLD_NO_UNROLL
    for (int row = begin; row < end; row += lane_rows) {
      const int item = row * shape_.columns + column_;
      fold_stage(leaves_, op_, shape_.columns, first + row, end - row,
                 bytes_ + group_ * (shape_.group_pitch - shape_.group_bytes) + before_ + item * int{sizeof(T)},
                 are_copied_, place_ + item, [&](const A& node) { value = row == begin ? node : op_(value, node); });
    }
    WARPFOLD_NO_UNROLL
    for (int log = shape_.log_row_lanes; log < log2_of(warp_lanes); ++log) {
      const int distance = 1 << (log - shape_.log_row_lanes), right = (group_ | distance) & -distance;
      value = warp::join_if(right << shape_.log_group_rows < count_, group_ & distance, value,
                            warp::shuffle_xor(value, 1 << log), op_);
    }
    return value;
  }

 private:
  static constexpr int lane_rows = staged_policy_of<Leaves>.stage_rows;
  static_assert(staged_policy_of<Leaves>.batch_rows == lane_rows);

  const Leaves& leaves_;
  const shape& shape_;
  Op op_;
  unsigned char* bytes_;
  int group_, column_;
  std::int64_t place_ = 0;  ///< of the batch
  int count_ = 0, before_ = 0;
  bool are_copied_ = false;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
