// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many heads lie before a tile, while other blocks still count theirs: each tile tells its own number at once, and
// the number through its end as soon as that is known; who wants to know adds up the words before it, from right to left,
// until one says all (single-pass look-back, Merrill and Garland 2016). Only integers travel that way: they add up to the
// same in any order. Tiles wait for earlier ones only, and are begun in order, so there is always one that need not wait.
#pragma once
#include <cstdint>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/published.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::grid {

/// A word a tile, all zero before; counts are below 2^30.
struct tile_counts {
  enum status : unsigned { none = 0, own = 1, through = 2 };

  unsigned* words;

  /// `count` heads: in the tile (own), or in all tiles up to it (through). By one thread.
  __device__ void publish(int tile, status what, int count) const {
    arch::publish(words + tile, static_cast<unsigned>(count) << 2 | what);
  }

  /// The number of heads in the tiles before `tile`. By one warp; valid in every lane.
  __device__ int before(int tile) const {
    int sum = 0;
    for (int end = tile;; end -= warp_lanes) {
      const int other = end - 1 - arch::lane_id();
      unsigned word, reached, needed;
      for (;; arch::pause()) {
        word = other < 0 ? unsigned{through} : arch::observe(words + other);
        reached = __ballot_sync(full_warp, (word & 3) == through);
        needed = reached ^ (reached - 1);  // the lanes up to the first that says all; without one, every lane
        if (!(__ballot_sync(full_warp, (word & 3) == none) & needed)) break;
      }
      const int count = needed >> arch::lane_id() & 1 ? static_cast<int>(word >> 2) : 0;
      sum += warp::all_reduce(count, plus{});
      if (reached) return sum;
    }
  }
};

}  // namespace warpfold::grid
