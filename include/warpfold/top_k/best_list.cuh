// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best k keys that a block has met, in shared memory. Warps put keys that come before the k-th one of the list into
// a buffer, and do not wait for each other until it is full. Then the block sorts the buffer and merges it into the
// list.
#pragma once
#include <warpfold/top_k/bitonic_sort.cuh>
#include <warpfold/top_k/policy.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Shared memory of a block. The kept keys and those of the buffer lie behind it.
template <class Key> struct alignas(16) list_storage {
  Key last;        ///< of the k kept ones; none if there are fewer
  unsigned count;  ///< keys that asked for a place in the buffer, and a bit that asks for a merge
  unsigned bound;  ///< leading bits that the best keys reach, as far as it is known
  bool is_last;    ///< for grid::block_arrives_last and its like

  __device__ Key* keys() { return reinterpret_cast<Key*>(this + 1); }
  static std::size_t bytes(const list_shape& shape) {
    return sizeof(list_storage) + static_cast<std::size_t>(shape.kept + shape.capacity) * sizeof(Key);
  }
};

template <class Key> class best_list {
 public:
  __device__ best_list(list_storage<Key>& shared, const list_shape& shape) : shared_(shared), shape_(shape) {}

  /// Key number `i` of the k best ones, or none. Valid after `fill`.
  __device__ Key key(int i) const { return kept()[i]; }
  /// Keys that do not come before this one are not among the best. It changes between steps only, as does `bound`.
  __device__ Key last() const { return shared_.last; }
  /// Keys whose leading bits are less than this are not among the best.
  __device__ unsigned bound() const { return shared_.bound; }
  /// bound() = the least `leading` of all threads, which call it. A barrier must come before it.
  __device__ void set_bound(unsigned leading) {
    if (arch::flat_thread() == 0) shared_.bound = ~0u;
    __syncthreads();
    leading = warp::all_reduce(leading, minimum{});
    if (arch::lane_id() == 0) atomicMin(&shared_.bound, leading);
    __syncthreads();
  }

  /// Empties the list. All threads call it.
  __device__ void clear(unsigned bound) {
    __syncthreads();
    WARPFOLD_NO_UNROLL
    for (int i = arch::flat_thread(); i < shape_.kept; i += static_cast<int>(blockDim.x)) kept()[i] = Key::none();
    if (arch::flat_thread() == 0) shared_.last = Key::none(), shared_.count = 0, shared_.bound = bound;
    __syncthreads();
  }
  /// Calls step() in all threads until it returns false, at least once before each merge; it must be the same in all
  /// lanes of a warp. A step enters keys, and returns whether there are more. After each merge, all threads call
  /// merged(). All threads call it; a barrier follows.
  template <class Step, class Merged> __device__ void fill(Step step, Merged merged) {
    bool has_more = true;
    do {
      do has_more = has_more && step();
      while (has_more && !is_full());
      merge_buffer();
      merged();
    } while (__syncthreads_or(has_more));
  }
  /// Lets the block merge as if the buffer were full. In a step, one thread calls it.
  __device__ void ask_for_merge() { atomicOr(&shared_.count, merge_bit); }
  /// Empties the list, whose k-th key becomes the bound. All threads call it after a merge; a barrier follows.
  __device__ void keep_bound() {
    __syncthreads();
    clear(kept()[shape_.k - 1].leading());
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
    const unsigned place = (first & ~merge_bit) + static_cast<unsigned>(__popc(entering & ((1u << lane) - 1)));
    const bool fits = place < static_cast<unsigned>(shape_.capacity);
    if (candidate && fits) buffer()[place] = key;
    return candidate && !fits;
  }

 private:
  __device__ Key* kept() const { return shared_.keys(); }
  __device__ Key* buffer() const { return kept() + shape_.kept; }
  /// Whether a warp waits for the buffer to be merged.
  __device__ bool is_full() {
    unsigned count = 0;
    if (arch::lane_id() == 0) count = atomicAdd(&shared_.count, 0u);
    return __shfl_sync(full_warp, count, 0) >= static_cast<unsigned>(shape_.capacity);
  }
  /// Merges the buffer into the list. All threads call it, and meet afterwards.
  __device__ void merge_buffer() {
    const int thread = arch::flat_thread(), threads = static_cast<int>(blockDim.x);
    __syncthreads();
    const unsigned asked = shared_.count;
    const int count = least_of(static_cast<int>(asked & ~merge_bit), shape_.capacity);
    if (asked == 0) return;
    int sorted = warp_lanes;
    while (sorted < count) sorted *= 2;
    WARPFOLD_NO_UNROLL
    for (int i = count + thread; i < sorted; i += threads) buffer()[i] = Key::none();
    __syncthreads();
    bitonic_sort<Key>(buffer(), sorted).sort();
    __syncthreads();
    // The best of both fall and then rise.
    WARPFOLD_NO_UNROLL
    for (int i = thread; i < least_of(shape_.kept, sorted); i += threads) {
      Key own = kept()[shape_.kept - 1 - i], other = buffer()[i];
      put_in_order(own, other);
      kept()[shape_.kept - 1 - i] = own;
    }
    __syncthreads();
    bitonic_sort<Key>(kept(), shape_.kept).sort_bitonic();
    __syncthreads();
    if (thread == 0) shared_.last = kept()[shape_.k - 1], shared_.count = 0;
  }

  static constexpr unsigned merge_bit = 1u << 31;

  list_storage<Key>& shared_;
  list_shape shape_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
