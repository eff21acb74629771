// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tiles of an input come to the blocks of a persistent grid. A unit is 2^level consecutive tiles, a node of the
// canonical tree; only the last one may be shorter. Blocks take units in the order of the input, so that all of them
// together read a window that moves through memory, which is faster than as many streams far apart. The first two units
// of a block, or all, go by its number; the others are drawn from a counter, so that a slow multiprocessor takes fewer.
// Which block takes a unit changes no bit: its result has the unit's own place.
#pragma once
#include <warpfold/arch/lane.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

struct unit_schedule {
  std::int64_t tiles;
  int units;
  int level;
  bool draws;
};

/// The way of one block through its tiles. Tiles are in groups of 2^GroupLevel, or units if they are smaller; after
/// each, the block meets.
template <int GroupLevel> class tile_walk {
 public:
  /// Shared by the block.
  struct storage {
    int drawn[2];
  };

  /// `counter` must be zero before the grid starts.
  __device__ tile_walk(const unit_schedule& schedule, unsigned* counter, storage& shared)
      : schedule_(schedule),
        counter_(counter),
        shared_(shared),
        unit_mask_((1 << schedule.level) - 1),
        tile_(std::int64_t{blockIdx.x} << schedule.level),
        next_unit_(static_cast<int>(blockIdx.x + gridDim.x)) {}

  __device__ bool exists() const { return tile_ < schedule_.tiles; }
  __device__ std::int64_t tile() const { return tile_; }
  /// The tile after this one; it need not exist.
  __device__ std::int64_t next_tile() const { return is_last_of(unit_mask_) ? first_of_next_unit() : tile_ + 1; }

  /// The number of the tile, and of the first tile, in its group.
  __device__ int place_in_group() const { return static_cast<int>(tile_) & group_mask(); }
  __device__ std::int64_t group() const { return tile_ & ~std::int64_t{group_mask()}; }
  __device__ int group_tiles() const { return group_mask() + 1; }
  /// The number of the group in its unit.
  __device__ int group_in_unit() const { return (static_cast<int>(tile_) & unit_mask_) >> GroupLevel; }
  __device__ int unit() const { return static_cast<int>(tile_ >> schedule_.level); }
  __device__ bool ends_group() const { return is_last_of(group_mask()) || tile_ + 1 == schedule_.tiles; }
  __device__ bool ends_unit() const { return is_last_of(unit_mask_) || tile_ + 1 == schedule_.tiles; }
  /// 0 and 1 in turn, group by group.
  __device__ int turn() const { return turn_; }

  /// One thread calls it before each tile. At the first tile of a unit it draws the unit after the next one: so early
  /// that no warp waits for the answer.
  __device__ void draw() {
    if ((static_cast<int>(tile_) & unit_mask_) == 0)
      drawn_ = schedule_.draws ? static_cast<int>(2 * gridDim.x + atomicAdd(counter_, 1u))
                               : next_unit_ + static_cast<int>(gridDim.x);
  }
  /// The same thread shows the block what it has drawn, before the barrier that ends a group.
  __device__ void show() { shared_.drawn[turn_] = drawn_; }

  /// To the next tile of the group.
  __device__ void advance() { ++tile_; }
  /// To the next group, after its barrier.
  __device__ void advance_group() {
    if (ends_unit()) {
      tile_ = first_of_next_unit();
      next_unit_ = __shfl_sync(full_warp, shared_.drawn[turn_], 0);  // so that the compiler knows it is uniform
    } else ++tile_;
    turn_ ^= 1;
  }

 private:
  __device__ int group_mask() const { return unit_mask_ & ((1 << GroupLevel) - 1); }
  __device__ bool is_last_of(int mask) const { return (static_cast<int>(tile_ + 1) & mask) == 0; }
  __device__ std::int64_t first_of_next_unit() const { return std::int64_t{next_unit_} << schedule_.level; }

  const unit_schedule& schedule_;
  unsigned* counter_;
  storage& shared_;
  int unit_mask_;
  std::int64_t tile_;
  int next_unit_, drawn_ = 0, turn_ = 0;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
