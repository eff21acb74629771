// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best keys that a block has met, in shared memory, in no order. Warps add keys that may be among the best k, and
// do not wait for each other until there is no room. Then the block finds a bound that little more than k keys reach,
// and drops the others. Keys are sorted once, at the end.
#pragma once
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/top_k/bitonic_sort.cuh>
#include <warpfold/top_k/bound_search.cuh>
#include <warpfold/top_k/policy.hpp>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Shared memory of a block. The keys lie behind it.
template <class Key> struct alignas(16) list_storage {
  Key last;        ///< only keys that come before it may be among the best, once it holds
  unsigned count;  ///< keys that asked for room, and a bit that asks for a pause
  unsigned bound;  ///< leading bits that the best keys reach, as far as it is known
  search_words words;
  // For the kernel:
  bool is_last;   ///< whether the block is a segment's last one
  unsigned told;  ///< the block's word (part_words.cuh)

  __device__ Key* keys() { return reinterpret_cast<Key*>(this + 1); }
  static std::size_t bytes(const list_shape& shape) {
    return sizeof(list_storage) + static_cast<std::size_t>(shape.capacity) * sizeof(Key);
  }
};

template <class Key> class best_list {
 public:
  __device__ best_list(list_storage<Key>& shared, const list_shape& shape) : shared_(shared), shape_(shape) {}

  /// Keys that do not come before this one are not among the best. It changes between steps only, as do `bound`, `held`
  /// and `key`.
  __device__ Key last() const { return shared_.last; }
  /// Keys whose leading bits are less than this are not among the best.
  __device__ unsigned bound() const { return shared_.bound; }
  __device__ int held() const { return static_cast<int>(shared_.count); }
  /// Key number `i` of those held; after `sort`, of the k best ones, or none.
  __device__ Key key(int i) const { return keys()[i]; }

  /// Empties the list. All threads call it.
  __device__ void clear(unsigned bound) {
    __syncthreads();
    if (arch::flat_thread() == 0) shared_.last = Key::none(), shared_.count = 0, shared_.bound = bound;
    __syncthreads();
  }
  /// All threads call it with the same number; barriers must come before it and after it.
  __device__ void raise_bound(unsigned bound) {
    if (arch::flat_thread() == 0 && bound > shared_.bound) shared_.bound = bound;
  }
  /// Calls step() in all threads until it returns false; it must be the same in all lanes of a warp. A step adds keys,
  /// and returns whether there are more. Whenever the block pauses, and at the end, it drops keys that have no room and
  /// calls paused(). All threads call it; a barrier follows.
  template <class Step, class Paused> __device__ void fill(Step step, Paused paused) {
    bool has_more = true;
    do {
      do has_more = has_more && step();
      while (has_more && !must_pause());
      __syncthreads();
      const unsigned asked = shared_.count & ~pause_bit;
      __syncthreads();
      if (arch::flat_thread() == 0) shared_.count = least_of(asked, capacity());
      __syncthreads();
      if (asked >= capacity()) shrink(shape_.spared);
      paused();
    } while (__syncthreads_or(has_more));
  }
  /// Lets the block pause as if there were no room. In a step, one thread calls it.
  __device__ void ask_for_pause() { atomicOr(&shared_.count, pause_bit); }
  /// Adds the keys of the lanes that have a `candidate`. Returns whether there was no room for the lane's key. All
  /// lanes of a warp call it, in a step.
  __device__ bool refuses(bool candidate, const Key& key) {
    const unsigned entering = __ballot_sync(full_warp, candidate);
    if (entering == 0) return false;
    const int lane = arch::lane_id(), leader = __ffs(static_cast<int>(entering)) - 1;
    unsigned first = 0;
    if (lane == leader) first = atomicAdd(&shared_.count, static_cast<unsigned>(__popc(entering)));
    first = __shfl_sync(full_warp, first, leader);
    const unsigned place = (first & ~pause_bit) + static_cast<unsigned>(__popc(entering & ((1u << lane) - 1)));
    if (candidate) put(place, key);
    return candidate && room_from(place, 1) == 0;
  }
  /// The first of `count` places for keys of the lane. There may be no room for them. In a step, any lane calls it.
  /// (The compiler joins the atomics of a warp.)
  __device__ unsigned places_for(int count) {
    return count == 0 ? 0 : atomicAdd(&shared_.count, static_cast<unsigned>(count)) & ~pause_bit;
  }
  /// How many of `count` places from `place` on there are.
  __device__ int room_from(unsigned place, int count) const {
    return place >= capacity() ? 0 : static_cast<int>(least_of(capacity() - place, static_cast<unsigned>(count)));
  }
  /// Puts a key at a place that the lane has asked for, if there is room.
  __device__ void put(unsigned place, const Key& key) {
    if (place < capacity()) keys()[place] = key;
  }

  /// The leading bits that some of the held keys reach, `wanted` at least; 0 if so many do not reach the bound. All
  /// threads call it, outside steps.
  __device__ unsigned reached_by(unsigned wanted) {
    const auto found = search_word(Key::none(), 0, bound(), wanted, wanted + wanted / 4);
    return found.count >= wanted ? found.bound : 0;
  }
  /// Drops keys that are not among the best until there are at most `allowed`, which is k or more. All threads call it,
  /// outside steps; a barrier follows.
  __device__ void shrink(int allowed) {
    if (held() <= allowed) return;
    // Keys that agree in the words before are told apart by the next one. No two keys are equal.
    Key least = Key::none();
    int word = 0;
    WARPFOLD_NO_UNROLL
    for (; word < Key::words; ++word) {
      const auto found = search_word(least, word, word == 0 ? bound() : 0, static_cast<unsigned>(shape_.k),
                                     static_cast<unsigned>(allowed));
      least = least.with(word, found.bound);
      if (found.count <= static_cast<unsigned>(allowed)) break;
    }
    keep(least, word == 0);
  }
  /// Sorts the k best keys, best first; places without one hold none. All threads call it, outside steps; a barrier
  /// follows.
  __device__ void sort() {
    const int thread = arch::flat_thread(), threads = static_cast<int>(blockDim.x);
    if (shape_.kept <= threads) return sort_by_counting();
    shrink(shape_.kept);
    int sorted = 4;
    while (sorted < held()) sorted *= 2;
    for (int i = held() + thread; i < shape_.kept; i += threads) keys()[i] = Key::none();
    __syncthreads();
    bitonic_sort<Key>(keys(), sorted).sort();
    __syncthreads();
  }

 private:
  __device__ Key* keys() const { return shared_.keys(); }
  __device__ unsigned capacity() const { return static_cast<unsigned>(shape_.capacity); }
  /// The same where a thread can take each key: it counts those that come before. No two keys are equal.
  __device__ void sort_by_counting() {
    const int i = arch::flat_thread();
    const int most = least_of(2 * shape_.kept, static_cast<int>(blockDim.x));
    if (held() > most) shrink(least_of(shape_.spared, most));
    const int all = held();
    const bool holds = i < all;
    const Key own = holds ? keys()[i] : Key::none();
    unsigned before = 0;  // minus the number of keys that come before the own one
    if (holds)
      for (int other = 0; other < all; ++other) before = own.less_if_before(keys()[other], before);
    __syncthreads();
    if (holds || i < shape_.kept) keys()[holds ? static_cast<int>(0 - before) : i] = own;
    __syncthreads();
  }
  /// Whether a warp waits for room, or asks for a pause.
  __device__ bool must_pause() { return __any_sync(full_warp, arch::observe_shared(&shared_.count) >= capacity()); }
  /// Finds a bound of word `word` for the held keys that agree with `prefix` in the words before. Better keys count,
  /// too. A histogram finds that of the first word, in which most keys differ, unless only the greatest one is wanted.
  __device__ reached_bound search_word(const Key& prefix, int word, unsigned known, unsigned wanted, unsigned allowed) {
    const int threads = static_cast<int>(blockDim.x), all = held();
    unsigned least = ~0u, most = 0;
    for (int i = arch::flat_thread(); i < all; i += threads) {
      const unsigned own = keys()[i].word(word);
      least = own < least ? own : least, most = own > most ? own : most;
    }
    if (word == 0 && wanted > 1)
      return search_bound(shared_.words, known, least, most, wanted, allowed, [&](auto add) {
        for (int i = arch::flat_thread(); i < all; i += threads) add(keys()[i].word(0));
      });
    const auto count = [&](unsigned bound) {
      const Key trial = prefix.with(word, bound);
      unsigned reached = 0;
      for (int i = arch::flat_thread(); i < all; i += threads) reached += !trial.comes_before(keys()[i]);
      return reached;
    };
    // The greatest further word may belong to a key that does not agree with `prefix`.
    return bisect(shared_.words.tally, known, least, most, wanted, allowed, count, word == 0 && wanted == 1);
  }
  /// Drops keys that come after `least`, some for each thread at a time: they move to places that all have read. If it
  /// `is_bound`, which its leading bits tell, no last key has to be compared.
  __device__ void keep(const Key& least, bool is_bound) {
    constexpr int together = 4;
    const int threads = static_cast<int>(blockDim.x), all = held();
    __syncthreads();
    if (arch::flat_thread() == 0) shared_.count = 0;
    WARPFOLD_NO_UNROLL
    for (int first = 0; first < all; first += together * threads) {
      Key own[together];
      WARPFOLD_UNROLL
      for (int i = 0; i < together; ++i) {
        const int place = first + i * threads + arch::flat_thread();
        own[i] = place < all ? keys()[place] : Key::none();
      }
      __syncthreads();
      unsigned before[together], kept = 0;
      WARPFOLD_UNROLL
      for (int i = 0; i < together; ++i) {
        const unsigned stay = __ballot_sync(full_warp, own[i].holds() && !least.comes_before(own[i]));
        // (The mask is computed again each time. If a register held it, the loop over the items would spill.)
        const int lane = arch::lane_id(), own_rank = __popc(stay & ((1u << lane) - 1));
        before[i] = (stay >> lane & 1) != 0 ? kept + static_cast<unsigned>(own_rank) : ~0u;
        kept += static_cast<unsigned>(__popc(stay));
      }
      unsigned place = 0;
      if (arch::lane_id() == 0 && kept > 0) place = atomicAdd(&shared_.count, kept);
      place = __shfl_sync(full_warp, place, 0);
      WARPFOLD_UNROLL
      for (int i = 0; i < together; ++i)
        if (before[i] != ~0u) keys()[place + before[i]] = own[i];
    }
    __syncthreads();
    if (arch::flat_thread() == 0) {
      if (!is_bound) shared_.last = least;
      shared_.bound = greatest_of(shared_.bound, least.word(0));
    }
    __syncthreads();
  }

  static constexpr unsigned pause_bit = 1u << 31;

  list_storage<Key>& shared_;
  list_shape shape_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
