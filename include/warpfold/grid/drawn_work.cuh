// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How numbered work items come to blocks: in their order, so that all blocks together read one stretch that moves
// through memory, which is faster than as many streams far apart. Blocks draw numbers from a counter, so a slow
// multiprocessor takes fewer.
#pragma once
#include <warpfold/arch/published.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::grid {

/// Draws a number, counted from 0. The grid draws `draws` times in all; the last draw leaves the counter zero. One
/// thread calls it. (An increment, because the compiler aggregates additions over a warp and adds a shuffle that waits
/// for memory.)
__device__ inline unsigned draw(unsigned* counter, unsigned draws) { return atomicInc(counter, draws - 1); }

/// Draws the next of `items` items. If a block draws `until_none` is left, each block draws a number past all items
/// once; else there is one block for each item.
__device__ inline unsigned draw_item(unsigned* counter, std::int64_t items, bool until_none) {
  return draw(counter, static_cast<unsigned>(items) + (until_none ? gridDim.x : 0));
}

/// The same where the blocks 0 to first_blocks - 1 start together. These draw in about the order of their numbers. That
/// spreads early items, for which the later ones wait, over all multiprocessors: a block looks a few times whether most
/// of the blocks before it have drawn. (If it draws at once, the blocks of the multiprocessors that are nearest to the
/// counter get early items, and scans take up to 10 % longer. bench/scan)
__device__ inline unsigned draw_item_in_turn(unsigned* counter, std::int64_t items, bool until_none, int first_blocks) {
  constexpr unsigned most_blocks_left = 100;
  constexpr int looks = 4;
  const unsigned block = blockIdx.x;
  if (block < static_cast<unsigned>(first_blocks))
    for (int i = 0; i < looks && arch::observe(counter) + most_blocks_left < block;) ++i;
  return draw_item(counter, items, until_none);
}

/// The way of one block through the work items of its grid, whose numbers are of type `Number`. They are drawn from a
/// counter; or, without a counter, blocks take turns.
template <class Number> class numbered_work {
 public:
  /// Shared by the block.
  struct storage {
    Number first[2], later[2];
  };

  /// `counter`, or null, must be zero before the grid starts, and is zero again when it ends. With it, there are at
  /// most 2^31 items. The first two items of a block go by its number, and one more is drawn for each that exists. If
  /// it `draws_first`, these two are drawn, too; then a block may wait for an item that it did not get, because a
  /// running block has it. All threads call it; the one with `is_clerk` draws. Cost of draws_first: a trip to memory
  /// and a barrier.
  __device__ numbered_work(Number items, unsigned* counter, bool draws_first, bool is_clerk, storage& shared)
      : items_(items),
        counter_(counter),
        given_(draws_first ? 0 : 2 * gridDim.x),
        draws_(static_cast<unsigned>(items) + (draws_first ? 2 * gridDim.x : 0)),
        is_clerk_(is_clerk),
        shared_(shared),
        item_(static_cast<Number>(blockIdx.x)),
        next_(item_ + static_cast<Number>(gridDim.x)) {
    if (!draws_first) return;
    if (is_clerk) {
      const unsigned first = grid::draw(counter, draws_), second = grid::draw(counter, draws_);
      shared.first[0] = number_of(first), shared.first[1] = number_of(second);
    }
    __syncthreads();
    item_ = warp::shuffle(shared.first[0], 0);
    next_ = warp::shuffle(shared.first[1], 0);
  }

  __device__ bool exists() const { return item_ < items_; }
  __device__ Number item() const { return item_; }
  /// The item after this one; it need not exist.
  __device__ Number next() const { return next_; }

  /// Draws the item after the next one. To be called for each item, as soon as it begins.
  __device__ void draw() {
    if (is_clerk_ && counter_ != nullptr) drawn_ = grid::draw(counter_, draws_);
  }
  /// Shows the block what has been drawn, before a barrier.
  __device__ void show() {
    if (is_clerk_)
      shared_.later[turn_] = counter_ != nullptr ? number_of(drawn_) : next_ + static_cast<Number>(gridDim.x);
  }
  /// To the next item, after that barrier.
  __device__ void advance() {
    item_ = next_;
    next_ = warp::shuffle(shared_.later[turn_], 0);  // so that the compiler knows it is uniform
    turn_ ^= 1;
  }

 private:
  __device__ Number number_of(unsigned draw) const { return static_cast<Number>(given_) + static_cast<Number>(draw); }

  Number items_;
  unsigned* counter_;
  unsigned given_, draws_;  // items that go by number; draws of the grid
  bool is_clerk_;
  storage& shared_;
  Number item_, next_;
  unsigned drawn_ = 0;  // as the counter says: nobody waits for it before it is shown
  int turn_ = 0;
};
using drawn_work = numbered_work<std::int64_t>;

}  // namespace warpfold::grid
