// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp offers the keys that other blocks have stored to the list of its block.
#pragma once
#include <warpfold/top_k/best_list.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The keys of a warp: `together` for each lane in a step.
template <class Key> class key_stream {
 public:
  __device__ key_stream(const Key* keys, int count) : keys_(keys), count_(count), next_(arch::flat_warp() * batch) {}

  /// Offers a batch, or what is left of it.
  __device__ bool step(best_list<Key>& to) {
    const Key last = to.last();
    const unsigned bound = to.bound();
    if (!__any_sync(full_warp, waiting_ != 0)) {
      if (next_ >= count_) return false;
      load();
    }
    unsigned refused = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < together; ++i)
      if (to.refuses((waiting_ >> i & 1) && own_[i].leading() >= bound && own_[i].comes_before(last), own_[i]))
        refused |= 1u << i;
    waiting_ = refused;
    return __any_sync(full_warp, refused != 0) || next_ < count_;
  }

 private:
  static constexpr int together = 4, batch = together * warp_lanes;

  __device__ void load() {
    waiting_ = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < together; ++i) {
      const int place = next_ + i * warp_lanes + arch::lane_id();
      own_[i] = place < count_ ? keys_[place] : Key::none();
      if (own_[i].holds()) waiting_ |= 1u << i;
    }
    next_ += batch * static_cast<int>(blockDim.x / warp_lanes);
  }

  const Key* keys_;
  int count_, next_;
  unsigned waiting_ = 0;  // a bit for each of the lane's keys that has not been offered
  Key own_[together];
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
