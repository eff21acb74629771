// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of tiny segments and of mixed lengths, folded from where they lie: those of a few items item by item, and the others once 32
// lanes are full of their chunks, so that a few long ones among many short ones cost what they have.
#pragma once
#include <warpfold/segmented/fold_chunks.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

/// One warp's. All lanes call all of it.
template <class Arguments> class waiting_steps {
 public:
  using leaves_type = decltype(Arguments::leaves);
  using index = typename decltype(Arguments::segments)::index;
  using A = typename leaves_type::accumulator;
  static constexpr int tiny = policy_of<leaves_type>.tiny_items;
  static constexpr bool bounds_items = false;  ///< of a step
  static constexpr int most_items = 0x7FFFFFFF;
  using storage = waiting_segments<index, warp_lanes*(step_packets + 1)>;

  /// `first_segment`: numbers of waiting ones count from it.
  __device__ waiting_steps(const Arguments& arguments, std::int64_t first_segment, storage& queue)
      : arguments_(arguments), first_segment_(first_segment), queue_(queue) {}

  /// Those of a step from segment `first` on that have been kept. Returns how many wait then, of all steps. (A member that counts them
  /// costs spills.)
  template <class Step> __device__ int fold(const Step& step, std::int64_t first, int, int, int waiting) const {
    if (step.any_up_to(tiny)) fold_tiny_in_place<tiny>(arguments_, step, first, [] {});
    const int number = static_cast<int>(first - first_segment_) + arch::lane_id();
    WARPFOLD_UNROLL
    for (int k = 0; k < Step::packets; ++k)
      waiting = add_waiting(queue_, waiting, step.count(k) > tiny, static_cast<index>(step.base + step.begin[k]),
                            step.count(k), number + k * warp_lanes);
    __syncwarp();
    int from = 0;
    while (waiting - from >= warp_lanes) from += fold_some(from, waiting, false);
    return keep_waiting(queue_, from, waiting);
  }
  /// Those of a step where all are tiny. Calls meanwhile() while their items are on their way.
  template <class Step, class Meanwhile>
  __device__ void fold_tiny(const Step& step, std::int64_t first, Meanwhile meanwhile) const {
    fold_tiny_in_place<tiny>(arguments_, step, first, meanwhile);
  }
  template <class Step> __device__ static constexpr bool holds(const Step&) { return true; }
  /// Those that still wait.
  __device__ void finish(int waiting) const {
    for (int from = 0; from < waiting;) from += fold_some(from, waiting, true);
  }

 private:
  __device__ int fold_some(int from, int waiting, bool all) const {
    return fold_waiting(
        arguments_.leaves.template from<wide_items<leaves_type>>(0), queue_, from, waiting, all, arguments_.op,
        [&](int number, const A& value) { arguments_.write(arguments_.out + first_segment_ + number, value); });
  }

  const Arguments& arguments_;
  const std::int64_t first_segment_;
  storage& queue_;
};

}  // namespace warpfold::segmented
