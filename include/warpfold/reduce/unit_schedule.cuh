// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tiles of an input come to the blocks of a persistent grid. A unit is 2^level consecutive tiles, a node of the
// canonical tree; only the last one may be shorter. Blocks take units in the order of the input (grid/drawn_work.cuh).
// No bit depends on which block takes a unit: its result has the unit's own place.
#pragma once
#include <warpfold/grid/drawn_work.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

struct unit_schedule {
  std::int64_t tiles;
  int units;
  int level;
  bool draws;  ///< whether blocks draw units; otherwise they take turns

  static constexpr bool is_even = true;  ///< all units have the same size
  __device__ std::int64_t first_tile(int unit) const { return std::int64_t{unit} << level; }
};

/// The way of one block through its tiles. After each round of 2^RoundLevel tiles, or after each unit if units are
/// smaller, the block meets. Of a schedule whose units differ, each is a node of the tree, by the tiles' numbers.
template <int RoundLevel, class Schedule = unit_schedule> class tile_walk {
  using units = grid::numbered_work<int>;

 public:
  using storage = units::storage;  ///< shared by the block

  /// `counter` must be zero before the grid starts, and is zero again when it ends. The first thread is the clerk.
  __device__ tile_walk(const Schedule& schedule, unsigned* counter, bool is_clerk, storage& shared)
      : schedule_(schedule),
        unit_mask_((1 << schedule.level) - 1),
        units_(schedule.units, schedule.draws ? counter : nullptr, false, is_clerk, shared),
        tile_(first_of(units_.item())) {
    if constexpr (!Schedule::is_even) unit_mask_ = schedule.tiles_less_one(units_.item());
  }

  __device__ bool exists() const { return tile_ < schedule_.tiles; }
  __device__ std::int64_t tile() const { return tile_; }
  /// The tile after this one; it need not exist.
  __device__ std::int64_t next_tile() const { return is_last_of(unit_mask_) ? first_of(units_.next()) : tile_ + 1; }

  /// The number of the tile in its round, and the round's first tile.
  __device__ int place_in_round() const { return static_cast<int>(tile_) & round_mask(); }
  __device__ std::int64_t round() const { return tile_ & ~std::int64_t{round_mask()}; }
  __device__ int round_tiles() const { return round_mask() + 1; }
  /// The number of the round in its unit.
  __device__ int round_in_unit() const { return (static_cast<int>(tile_) & unit_mask_) >> RoundLevel; }
  __device__ int unit() const {
    if constexpr (Schedule::is_even) return static_cast<int>(tile_ >> schedule_.level);
    else return units_.item();
  }
  __device__ bool ends_round() const { return is_last_of(round_mask()) || tile_ + 1 == schedule_.tiles; }
  __device__ bool ends_unit() const { return is_last_of(unit_mask_) || tile_ + 1 == schedule_.tiles; }
  /// 0 and 1 in turn, round by round.
  __device__ int turn() const { return turn_; }

  /// To be called before each tile. At the first tile of a unit it draws the unit after the next one: so early that no
  /// warp waits for the answer.
  __device__ void draw() {
    if ((static_cast<int>(tile_) & unit_mask_) == 0) units_.draw();
  }
  /// Shows the block what has been drawn, before the barrier that ends a round.
  __device__ void show() {
    if (ends_unit()) units_.show();
  }

  /// To the next tile of the round.
  __device__ void advance() { ++tile_; }
  /// To the next round, after its barrier.
  __device__ void advance_round() {
    if (ends_unit()) {
      units_.advance();
      tile_ = first_of(units_.item());
      if constexpr (!Schedule::is_even) unit_mask_ = schedule_.tiles_less_one(units_.item());
    } else ++tile_;
    turn_ ^= 1;
  }

 private:
  __device__ int round_mask() const { return unit_mask_ & ((1 << RoundLevel) - 1); }
  __device__ bool is_last_of(int mask) const { return (static_cast<int>(tile_ + 1) & mask) == 0; }
  __device__ std::int64_t first_of(int unit) const { return schedule_.first_tile(unit); }

  const Schedule& schedule_;
  int unit_mask_;  // the unit's tiles, less one
  units units_;
  std::int64_t tile_;
  int turn_ = 0;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
