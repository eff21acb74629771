// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best K items that a warp has met, for top_k and bottom_k: each lane holds one place of the list.
#pragma once
#include <warpfold/warp/reduce.cuh>

namespace warpfold::warp {

/// The K-th best of the values that exist, at most one per lane. Among values of one rank it is the worst. At least one
/// must exist; if fewer than K do, the result is the worst of them. All lanes call it; valid in all.
template <class Op, class V> __device__ V kth_best(const V& value, bool exists) {
  std::uint32_t rank = exists ? Op::rank(value) : 0;
  V least{};
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < Op::selected; ++k) {
    const std::uint32_t threshold = all_reduce(rank, maximum{});
    if (threshold == 0) break;
    const int holder = __ffs(static_cast<int>(__ballot_sync(full_warp, rank == threshold))) - 1;
    const V held = warp::shuffle(value, holder);
    if (k == 0 || Op::is_worse(held, least)) least = held;
    if (arch::lane_id() == holder) rank = 0;
  }
  return least;
}

/// The best `K` items: lane i holds place i. `Place` is the type of items' numbers. All lanes call each member.
template <class Op, class V, class Place = int> class lane_list {
 public:
  static constexpr int K = Op::selected;

  /// Enters the items of the lanes that have a `candidate`, each with its number `place`, unless K items beat it.
  __device__ void enter(bool candidate, V value, Place place) {
    while (true) {
      const V last = warp::shuffle(value_, K - 1);
      const Place last_place = warp::shuffle(place_, K - 1);
      candidate = candidate && (count_ < K || Op::beats(value, place, last, last_place));
      const unsigned waiting = __ballot_sync(full_warp, candidate);
      if (waiting == 0) return;
      const int source = __ffs(static_cast<int>(waiting)) - 1;
      insert(warp::shuffle(value, source), warp::shuffle(place, source));
      candidate = candidate && arch::lane_id() != source;
    }
  }
  __device__ bool is_full() const { return count_ == K; }
  /// The worst item's value. The list must be full.
  __device__ V last() const { return warp::shuffle(value_, K - 1); }

  /// The item that the calling lane holds, if `holds`.
  __device__ bool holds() const { return arch::lane_id() < count_; }
  __device__ V value() const { return value_; }
  __device__ Place place() const { return place_; }

  /// The list in every lane; item 0 is number `first` of the input.
  template <class A> __device__ A all(std::int64_t first) const {
    A list = Op::template none<V>();
    WARPFOLD_UNROLL
    for (int i = 0; i < K; ++i) {
      const V value = warp::shuffle(value_, i);
      const Place place = warp::shuffle(place_, i);
      if (i < count_) list.item[i] = {value, first + place};
    }
    return list;
  }

 private:
  __device__ void insert(V value, Place place) {
    const int lane = arch::lane_id();
    const bool stays = lane < count_ && Op::beats(value_, place_, value, place);
    const int own = __popc(__ballot_sync(full_warp, stays));
    const V before = shuffle_up(value_, 1);
    const Place place_before = shuffle_up(place_, 1);
    if (lane >= own) value_ = lane == own ? value : before, place_ = lane == own ? place : place_before;
    count_ = least_of(count_ + 1, K);
  }

  V value_{};
  Place place_ = 0;
  int count_ = 0;
};

}  // namespace warpfold::warp
