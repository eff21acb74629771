// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the next rows of neighbouring outputs are on their way, while a thread folds those that it has: in registers,
// or in shared memory, which has room for more of them.
#pragma once
#include <warpfold/arch/async_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/axes/load_rows.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A batch of rows in registers.
template <class Leaves, int Rows> class rows_in_registers {
 public:
  using chunk = typename Leaves::chunk;
  static constexpr int batches = 1;
  static constexpr bool are_in_registers = true;
  static constexpr int warp_bytes = 0;

  __device__ explicit rows_in_registers(unsigned char*) {}
  __device__ void set_peers(unsigned) {}
  /// Starts to load `count` rows of outputs whose first items lie together from `origin` on, from item `first` on.
  template <class Map>
  __device__ void start(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first, int count) {
    if (count > 0) load_rows(leaves, reduced, origin, first, count, rows_);
  }
  /// Gives the rows that have been on their way for longest. Then others may start.
  __device__ void take(chunk (&to)[Rows]) {
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k) to[k] = rows_[k];
  }

 private:
  chunk rows_[Rows] = {};
};

/// The same in shared memory: `Batches` batches. If rows have vectors of 16 bytes, which are the items of a team of
/// neighbouring lanes, each lane copies some rows for all of them: fewer instructions.
template <class Leaves, int Rows, int Batches> class rows_in_shared_memory {
 public:
  using T = typename Leaves::item;
  using chunk = typename Leaves::chunk;
  static constexpr int batches = Batches, bytes = sizeof(T) * Leaves::chunk_items;
  static constexpr bool are_in_registers = false;
  static constexpr int team = 16 / bytes, row_bytes = warp_lanes * bytes;
  static constexpr int warp_bytes = batches * Rows * row_bytes;  ///< of shared memory

  /// The block's warps have `room`, which is aligned to 16 bytes.
  __device__ explicit rows_in_shared_memory(unsigned char* room)
      : own_(room + arch::flat_thread() / warp_lanes * warp_bytes + arch::lane_id() * bytes) {}
  /// Lanes `peers`, whole teams that start and take the same rows, copy vectors for one another; 0: each for itself.
  __device__ void set_peers(unsigned peers) { peers_ = peers; }
  template <class Map>
  __device__ void start(const Leaves& leaves, const Map& reduced, std::int64_t origin, std::int64_t first, int count) {
    if (count > 0)
      for_each_stretch<Rows>(reduced, origin, first, count, [&](int begin, int end, std::int64_t place) {
        const std::int64_t step = reduced.inner_stride();
        if (peers_ != 0) return copy_for_team(leaves.data + place, step, begin, end);
        const T* item = leaves.data + place + begin * step;
        if (begin == 0 && end == Rows) {
          WARPFOLD_UNROLL
          for (int k = 0; k < Rows; ++k, item += step) arch::async_copy_to_shared<bytes>(place_of(k), item);
        } else {
          WARPFOLD_NO_UNROLL
          for (int k = begin; k < end; ++k, item += step) arch::async_copy_to_shared<bytes>(place_of(k), item);
        }
      });
    arch::close_async_copies();
    if constexpr (batches > 1) place_ = place_ + 1 == batches ? 0 : place_ + 1;
  }
  __device__ void take(chunk (&to)[Rows]) const {
    arch::wait_async_groups<batches - 1>();
    if (peers_ != 0) __syncwarp(peers_);
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k) arch::load_shared<bytes>(place_of(k), to[k].word);
    if (peers_ != 0) __syncwarp(peers_);  // before others overwrite the rows
  }

 private:
  __device__ unsigned char* place_of(int row) const { return own_ + (place_ * Rows + row) * row_bytes; }

  /// Rows [begin, end), of which row 0 of the caller's output lies at `item`.
  __device__ void copy_for_team(const T* item, std::int64_t step, int begin, int end) const {
    const int lane = arch::lane_id() % team;
    unsigned char* const to = place_of(lane) - lane * bytes;
    item += lane * step - lane * Leaves::chunk_items;
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; k += team, item += team * step)
      if (k + lane >= begin && k + lane < end) arch::async_copy_to_shared<16>(to + k * row_bytes, item);
  }

  unsigned char* own_;
  unsigned peers_ = 0;
  int place_ = 0;  // of the batch that is taken next, and then started anew
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
