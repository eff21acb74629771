// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which blocks visit tiles. In the order of memory, ascending items would be the worst case: each is among
// the best so far, so each would enter a list. Here row i of tiles, one for each block, is visited at the fractional
// part of i times the golden ratio (Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4): so the rows
// visited so far always lie evenly, and of any monotone input few are better than all before. Blocks read neighbouring
// tiles at a time, which memory prefers.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::selection {

inline constexpr std::int64_t most_tiles = std::int64_t{1} << 30;

/// The tiles of one of `parts` blocks that share the tiles of a segment. Each tile belongs to one block.
class tile_order {
 public:
  __host__ __device__ tile_order(std::int64_t tiles, int part, int parts)
      : tiles_(static_cast<unsigned>(tiles)), part_(static_cast<unsigned>(part)), parts_(static_cast<unsigned>(parts)) {
    const unsigned rows = (tiles_ + parts_ - 1) / parts_;
    while (1u << log_turns_ < rows) ++log_turns_;
    step_ = log_turns_ == 0 ? 1 : 0x9E3779B9u >> (32 - log_turns_) | 1;
    skip_missing();
  }
  __host__ __device__ bool exists() const { return turn_ >> log_turns_ == 0; }
  /// The number of the tile. The step is odd, so turns 0 to 2^log - 1 have different rows. It is about 2^log by the
  /// golden ratio.
  __host__ __device__ std::int64_t tile() const {
    return std::int64_t{turn_ * step_ & ((1u << log_turns_) - 1)} * parts_ + part_;
  }
  __host__ __device__ void advance() {
    ++turn_;
    skip_missing();
  }

 private:
  /// Turns are a power of two; less than half of them have no row, and the last row may have no tile for the block.
  __host__ __device__ void skip_missing() {
    while (exists() && tile() >= tiles_) ++turn_;
  }

  unsigned tiles_, part_, parts_, step_ = 1, turn_ = 0;
  int log_turns_ = 0;
};

}  // namespace warpfold::selection
