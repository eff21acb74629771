// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which blocks visit tiles. In the order of memory, ascending items would be the worst case: each is among
// the best so far, so each would enter a list. Here tile i is visited at the fractional part of i times the golden
// ratio (Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4): so the tiles visited so far always lie
// evenly, and of any monotone input few are better than all before.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::selection {

inline constexpr std::int64_t most_tiles = std::int64_t{1} << 30;

/// The tiles of one of `parts` blocks that share the tiles of a segment. Each tile belongs to one block.
class tile_order {
 public:
  __host__ __device__ tile_order(std::int64_t tiles, int part, int parts)
      : tiles_(static_cast<unsigned>(tiles)), parts_(static_cast<unsigned>(parts)), turn_(static_cast<unsigned>(part)) {
    while (1u << log_turns_ < tiles_) ++log_turns_;
    step_ = log_turns_ == 0 ? 1 : 0x9E3779B9u >> (32 - log_turns_) | 1;
    skip_missing();
  }
  __host__ __device__ bool exists() const { return turn_ >> log_turns_ == 0; }
  __host__ __device__ unsigned turn() const { return turn_; }
  /// The number of the tile. The step is odd, so turns 0 to 2^log - 1 have different tiles. It is about 2^log by
  /// the golden ratio.
  __host__ __device__ std::int64_t tile() const { return turn_ * step_ & ((1u << log_turns_) - 1); }
  __host__ __device__ void advance() {
    turn_ += parts_;
    skip_missing();
  }

 private:
  /// Turns are a power of two; less than half of them have no tile.
  __host__ __device__ void skip_missing() {
    while (exists() && tile() >= tiles_) turn_ += parts_;
  }

  unsigned tiles_, parts_, step_ = 1, turn_;
  int log_turns_ = 0;
};

}  // namespace warpfold::selection
