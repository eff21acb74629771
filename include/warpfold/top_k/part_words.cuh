// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the blocks that share a segment tell each other, each by a word: the leading bits that a share of its keys
// reach. If as many blocks as there are shares in k tell at least a number, then k items reach it; so no key below it
// is among the best. The word of a part only grows, and this holds of words of any age: so relaxed accesses suffice,
// nobody waits, and any schedule gives the same result.
#pragma once
#include <warpfold/arch/published.cuh>
#include <warpfold/top_k/best_list.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The words of a segment, as one of its parts uses them.
struct part_words {
  unsigned* words;  ///< one for each part, zero before and after
  int part, parts, k;

  /// Keys of which a word tells. Half of the parts, or k of them, tell enough: so the others may be late, or have worse
  /// items.
  __device__ unsigned share() const { return static_cast<unsigned>(greatest_of(2 * k / parts, 1)); }

  /// Tells that share() items of the block reach `reached`. The first thread keeps the block's word in `told`.
  __device__ void tell(unsigned reached, unsigned& told) const {
    if (arch::flat_thread() != 0 || reached <= told) return;
    told = reached;
    arch::publish(words + part, told);
  }
  /// Raises the list's bound to that of all parts. All threads call it; barriers must come before and after it.
  template <class Key> __device__ void hear(best_list<Key>& list, tally_words& shared) const {
    const unsigned known = list.bound(), shares = (static_cast<unsigned>(k) + share() - 1) / share();
    unsigned own[most_thread_words], least = ~0u, most = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < most_thread_words; ++i) {
      const int other = arch::flat_thread() + i * static_cast<int>(blockDim.x);
      own[i] = other < parts ? arch::observe(words + other) : 0;
      if (own[i] > 0) least = least_of(least, own[i]), most = greatest_of(most, own[i]);
    }
    const auto count = [&](unsigned bound) {
      unsigned reached = 0;
      WARPFOLD_UNROLL
      for (int i = 0; i < most_thread_words; ++i) reached += own[i] >= bound;
      return reached;
    };
    const auto found =
        bisect(shared, greatest_of(known, 1u), least, most, shares, shares + shares / 8, count, shares == 1);
    if (found.count >= shares) list.raise_bound(found.bound);
  }
  __device__ void clear() const {
    for (int i = arch::flat_thread(); i < parts; i += static_cast<int>(blockDim.x)) arch::publish(words + i, 0);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
