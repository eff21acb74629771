// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts keys in shared memory by a block, best first (Batcher, Sorting Networks and their Applications, 1968). The time
// does not depend on the keys. A thread exchanges among four keys at a time, over two distances, so each key moves
// through shared memory half as often.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/config.hpp>

namespace warpfold::selection {

/// Puts the key first that comes first.
template <class Key> __device__ void put_in_order(Key& first, Key& second) {
  const Key a = first, b = second;
  const bool exchanges = b.comes_before(a);
  first = exchanges ? b : a, second = exchanges ? a : b;
}

/// Sorts the `count` keys at `keys`, a power of two from 4 on. All threads of the block call each member, with a
/// barrier before and after. Where distances allow it, each warp keeps to its own 128 keys, and waits for no other.
template <class Key> class bitonic_sort {
 public:
  __device__ bitonic_sort(Key* keys, int count) : keys_(keys), count_(count) {}

  /// Of keys in any order.
  __device__ void sort() {
    for (int size = 2; size <= count_; size *= 2) merge(size, true);
  }
  /// Of keys that fall and then rise, or the other way round.
  __device__ void sort_bitonic() { merge(count_, false); }

 private:
  static constexpr int warp_keys = 4 * warp_lanes;

  /// Sorts each `size` keys, whose halves are sorted. If they are not `mirrored`, the keys are bitonic.
  __device__ void merge(int size, bool mirrored) {
    int distance = size / 2;
    for (; distance >= 2; distance /= 4, mirrored = false) {
      meet(2 * distance);
      exchange_fours(distance, mirrored);
    }
    if (distance == 1) {
      meet(2);
      WARPFOLD_NO_UNROLL
      for (int first = 4 * arch::flat_thread(); first < count_; first += 4 * static_cast<int>(blockDim.x)) {
        put_in_order(keys_[first], keys_[first + 1]);
        put_in_order(keys_[first + 2], keys_[first + 3]);
      }
    }
  }
  /// Exchanges over `distance`, or, `mirrored`, with the key that mirrors the own place; then over half of it.
  __device__ void exchange_fours(int distance, bool mirrored) {
    const int half = distance / 2;
    WARPFOLD_NO_UNROLL
    for (int i = arch::flat_thread(); i < count_ / 4; i += static_cast<int>(blockDim.x)) {
      const int low = i & (half - 1), first = (i - low) * 4 + low;
      const int upper = first - low + distance + (mirrored ? half - 1 - low : low);
      Key a = keys_[first], b = keys_[first + half], c = keys_[upper], d = keys_[upper + half];
      if (mirrored) {
        put_in_order(a, d);
        put_in_order(b, c);
      } else {
        put_in_order(a, c);
        put_in_order(b, d);
      }
      put_in_order(a, b);
      put_in_order(c, d);
      keys_[first] = a, keys_[first + half] = b, keys_[upper] = c, keys_[upper + half] = d;
    }
  }
  /// Waits for the threads whose keys the next exchange within `span` keys reads.
  __device__ void meet(int span) {
    const bool is_within_warp = span <= warp_keys;
    if (is_within_warp && was_within_warp_) __syncwarp();
    else __syncthreads();
    was_within_warp_ = is_within_warp;
  }

  Key* keys_;
  int count_;
  bool was_within_warp_ = true;
};

}  // namespace warpfold::selection
