// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best k keys that a block has met, in shared memory. Warps put keys that come before the k-th one of the list into
// a buffer, and do not wait for each other until it is full. Then the block sorts the buffer and merges it into the
// list.
#pragma once
#include <warpfold/top_k/bitonic_sort.cuh>
#include <warpfold/top_k/policy.hpp>

namespace warpfold::selection {

/// Shared memory of a block. The kept keys and those of the buffer lie behind it.
template <class Key> struct alignas(16) list_storage {
  Key last;        ///< of the k kept ones; none if there are fewer
  unsigned count;  ///< keys that asked for a place in the buffer
  bool is_last;    ///< for grid::block_arrives_last and its like

  __device__ Key* keys() { return reinterpret_cast<Key*>(this + 1); }
  static std::size_t bytes(const list_shape& shape) {
    return sizeof(list_storage) + static_cast<std::size_t>(shape.kept + shape.capacity) * sizeof(Key);
  }
};

template <class Key> class best_list {
 public:
  __device__ best_list(list_storage<Key>& shared, const list_shape& shape)
      : shared_(shared), shape_(shape), kept_(shared.keys()), buffer_(kept_ + shape.kept) {}

  /// Key number `i` of the k best ones, or none. Valid after `fill`.
  __device__ Key key(int i) const { return kept_[i]; }
  /// Keys that do not come before this one are not among the best. It changes in `fill` only, between steps.
  __device__ Key last() const { return shared_.last; }

  /// Empties the list. All threads call it.
  __device__ void clear() {
    __syncthreads();
    WARPFOLD_NO_UNROLL
    for (int i = arch::flat_thread(); i < shape_.kept; i += static_cast<int>(blockDim.x)) kept_[i] = Key::none();
    if (arch::flat_thread() == 0) shared_.last = Key::none(), shared_.count = 0;
    __syncthreads();
  }
  /// Calls step() in all threads until it returns false; it must be the same in all lanes of a warp. A step enters
  /// keys, and returns whether there are more. After each merge, one thread calls publish(the k-th key). All threads
  /// call it; a barrier follows.
  template <class Step, class Publish> __device__ void fill(Step step, Publish publish) {
    bool has_more = true;
    do {
      while (has_more && !is_full()) has_more = step();
      merge_buffer(publish);
    } while (__syncthreads_or(has_more));
  }
  /// Enters the keys of the lanes that have a `candidate`. Returns whether the lane's key found no place: then the
  /// buffer is full. All lanes of a warp call it, in a step.
  __device__ bool refuses(bool candidate, const Key& key) {
    const unsigned entering = __ballot_sync(full_warp, candidate);
    if (entering == 0) return false;
    const int lane = arch::lane_id(), leader = __ffs(static_cast<int>(entering)) - 1;
    unsigned first = 0;
    if (lane == leader) first = atomicAdd(&shared_.count, static_cast<unsigned>(__popc(entering)));
    first = __shfl_sync(full_warp, first, leader);
    const unsigned place = first + static_cast<unsigned>(__popc(entering & ((1u << lane) - 1)));
    const bool fits = place < static_cast<unsigned>(shape_.capacity);
    if (candidate && fits) buffer_[place] = key;
    return candidate && !fits;
  }

 private:
  /// Whether a warp waits for the buffer to be merged.
  __device__ bool is_full() {
    unsigned count = 0;
    if (arch::lane_id() == 0) count = atomicAdd(&shared_.count, 0u);
    return __shfl_sync(full_warp, count, 0) >= static_cast<unsigned>(shape_.capacity);
  }
  /// Merges the buffer into the list. All threads call it, and meet afterwards.
  template <class Publish> __device__ void merge_buffer(Publish publish) {
    const int thread = arch::flat_thread(), threads = static_cast<int>(blockDim.x);
    __syncthreads();
    const int count = least_of(static_cast<int>(shared_.count), shape_.capacity);
    if (count == 0) return;
    int sorted = warp_lanes;
    while (sorted < count) sorted *= 2;
    WARPFOLD_NO_UNROLL
    for (int i = count + thread; i < sorted; i += threads) buffer_[i] = Key::none();
    __syncthreads();
    bitonic_sort<Key>(buffer_, sorted).sort();
    __syncthreads();
    // The best of both fall and then rise.
    WARPFOLD_NO_UNROLL
    for (int i = thread; i < least_of(shape_.kept, sorted); i += threads) {
      Key own = kept_[shape_.kept - 1 - i], other = buffer_[i];
      put_in_order(own, other);
      kept_[shape_.kept - 1 - i] = own;
    }
    __syncthreads();
    bitonic_sort<Key>(kept_, shape_.kept).sort_bitonic();
    __syncthreads();
    if (thread == 0) {
      shared_.last = kept_[shape_.k - 1];
      shared_.count = 0;
      if (shared_.last.holds()) publish(shared_.last);
    }
  }

  list_storage<Key>& shared_;
  list_shape shape_;
  Key* kept_;
  Key* buffer_;
};

}  // namespace warpfold::selection
