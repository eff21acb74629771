// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How numbered work items come to persistent blocks: in their order, so that all blocks together read a window that
// moves through memory, which is faster than as many streams far apart.
#pragma once
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::grid {

/// The way of one block through the work items of its grid. They are drawn from a counter, so that a slow
/// multiprocessor takes fewer; or, without a counter, blocks take turns.
class drawn_work {
 public:
  /// Shared by the block.
  struct storage {
    std::int64_t first[2], later[2];
  };

  /// `counter`, or null, must be zero before the grid starts, and is zero again when it ends. With it there are at most
  /// 2^31 items. The first two items of a block go by its number, and one is drawn for each that exists; unless
  /// `draws_first`, when these two are drawn, too: then running blocks have all items that a block does not find any
  /// more, and it may wait for them. All threads call it; the one with `is_clerk` draws. Cost of draws_first: a trip to
  /// memory and a barrier.
  __device__ drawn_work(std::int64_t items, unsigned* counter, bool draws_first, bool is_clerk, storage& shared)
      : items_(items),
        counter_(counter),
        given_(draws_first ? 0 : 2 * gridDim.x),
        draws_(static_cast<unsigned>(items) + (draws_first ? 2 * gridDim.x : 0)),
        is_clerk_(is_clerk),
        shared_(shared),
        item_(blockIdx.x),
        next_(item_ + gridDim.x) {
    if (!draws_first) return;
    if (is_clerk) {
      const unsigned first = atomicInc(counter, draws_ - 1), second = atomicInc(counter, draws_ - 1);
      shared.first[0] = number_of(first), shared.first[1] = number_of(second);
    }
    __syncthreads();
    item_ = warp::shuffle(shared.first[0], 0);
    next_ = warp::shuffle(shared.first[1], 0);
  }

  __device__ bool exists() const { return item_ < items_; }
  __device__ std::int64_t item() const { return item_; }
  /// The item after this one; it need not exist.
  __device__ std::int64_t next() const { return next_; }

  /// Draws the item after the next one. To be called for each item, as soon as it begins.
  __device__ void draw() {
    if (is_clerk_ && counter_ != nullptr) drawn_ = atomicInc(counter_, draws_ - 1);
  }
  /// Shows the block what has been drawn, before a barrier.
  __device__ void show() {
    if (is_clerk_) shared_.later[turn_] = counter_ != nullptr ? number_of(drawn_) : next_ + gridDim.x;
  }
  /// To the next item, after that barrier.
  __device__ void advance() {
    item_ = next_;
    next_ = warp::shuffle(shared_.later[turn_], 0);  // so that the compiler knows it is uniform
    turn_ ^= 1;
  }

 private:
  __device__ std::int64_t number_of(unsigned draw) const { return std::int64_t{given_} + draw; }

  std::int64_t items_;
  unsigned* counter_;
  unsigned given_, draws_;  // items that go by number; draws of the grid
  bool is_clerk_;
  storage& shared_;
  std::int64_t item_, next_;
  unsigned drawn_ = 0;  // as the counter says: nobody waits for it before it is shown
  int turn_ = 0;
};

}  // namespace warpfold::grid
