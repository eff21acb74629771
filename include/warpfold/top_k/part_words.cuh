// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the blocks that share a segment tell each other, each by a word: the leading bits of the key that is number
// k / parts of its list. If each part has that many keys at least as good, there are k of them; so no key below the
// least word is among the best. The word of a part only grows, and this holds of words of any age: so relaxed accesses
// suffice, nobody waits, and any schedule gives the same result.
#pragma once
#include <warpfold/arch/published.cuh>
#include <warpfold/top_k/best_list.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The words of a segment, as one of its parts uses them.
struct part_words {
  unsigned* words;  ///< one for each part, zero before and after
  int part, parts, k;

  /// Tells the block's word, and takes the bound of all. All threads call it.
  template <class Key> __device__ void exchange(best_list<Key>& list) const {
    if (parts == 1) return;
    const int thread = arch::flat_thread();
    __syncthreads();
    if (thread == 0) arch::publish(words + part, list.key((k - 1) / parts).leading());
    __syncthreads();
    unsigned least = ~0u;
    for (int i = thread; i < parts; i += static_cast<int>(blockDim.x)) {
      const unsigned word = arch::observe(words + i);
      least = word < least ? word : least;
    }
    list.set_bound(least);
  }
  __device__ void clear() const {
    for (int i = arch::flat_thread(); i < parts; i += static_cast<int>(blockDim.x)) arch::publish(words + i, 0);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
