// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp offers the lists of other blocks to the list of its block.
#pragma once
#include <warpfold/top_k/best_list.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The lists of a warp, `together` of them at a time. Lists are sorted: once a key is not among the best, no later one
/// of its list is.
template <class Key> class list_stream {
 public:
  /// `lists` lists of `k` keys each, one after another from `keys` on.
  __device__ list_stream(const Key* keys, int lists, int k)
      : keys_(keys), lists_(lists), k_(k), next_(arch::flat_warp() * together) {}

  /// Offers 32 keys of some lists, or what is left of them.
  __device__ bool step(best_list<Key>& to) {
    const Key last = to.last();
    if (!__any_sync(full_warp, waiting_ != 0)) {
      if (going_on_ == 0) {
        if (next_ >= lists_) return false;
        first_list_ = next_, first_key_ = 0;
        next_ += static_cast<int>(blockDim.x / warp_lanes) * together;
        going_on_ = (1u << least_of(together, lists_ - first_list_)) - 1;
      }
      load(last, to.bound());
    }
    unsigned refused = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < together; ++i)
      if (to.refuses((waiting_ >> i & 1) && own_[i].comes_before(last), own_[i])) refused |= 1u << i;
    waiting_ = refused;
    return __any_sync(full_warp, refused != 0) || going_on_ != 0 || next_ < lists_;
  }

 private:
  static constexpr int together = 4;

  __device__ void load(const Key& last, unsigned bound) {
    const int place = first_key_ + arch::lane_id();
    WARPFOLD_UNROLL
    for (int i = 0; i < together; ++i) {
      const bool exists = going_on_ >> i & 1 && place < k_;
      own_[i] = exists ? keys_[std::int64_t{first_list_ + i} * k_ + place] : Key::none();
    }
    first_key_ += warp_lanes;
    waiting_ = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < together; ++i) {
      const bool may_enter = own_[i].comes_before(last) && own_[i].leading() >= bound;
      if (may_enter) waiting_ |= 1u << i;
      if (first_key_ >= k_ || !__all_sync(full_warp, may_enter)) going_on_ &= ~(1u << i);
    }
  }

  const Key* keys_;
  int lists_, k_, next_;
  int first_list_ = 0, first_key_ = 0;
  unsigned going_on_ = 0;  // a bit for each list that may have more keys; the same in all lanes
  unsigned waiting_ = 0;   // a bit for each of the lane's keys that has not been offered
  Key own_[together];
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
