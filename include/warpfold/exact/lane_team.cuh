// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of neighbouring lanes that sum together. Their size is known at run time; the whole warp reduces by redux.sync.
#pragma once
#include <warpfold/warp/reduce.cuh>

namespace warpfold::exact {

/// `lanes`, a power of two, is the same in the whole warp. All lanes of the warp call each member; results are valid in
/// all.
struct lane_team {
  int lanes;
  bool has_items = true;  ///< if not, the team takes part in the warp's exchanges, and adds nothing

  __device__ int own_lane() const { return arch::lane_id() & (lanes - 1); }
  __device__ unsigned mask() const {
    return lanes == warp_lanes ? full_warp : ((1u << lanes) - 1) << (arch::lane_id() & ~(lanes - 1));
  }
  __device__ unsigned largest(unsigned value) const {
    if (lanes == warp_lanes) return warp::all_reduce(value, maximum{});
    for (int distance = 1; distance < lanes; distance *= 2)
      value = maximum{}(value, warp::shuffle_xor(value, distance));
    return value;
  }
  /// The sum of values between -2^51 and 2^51.
  __device__ std::int64_t sum(std::int64_t value) const {
    if (lanes == warp_lanes) {
      const auto low = static_cast<unsigned>(value) & ((1u << 26) - 1);
      const auto high = static_cast<int>(value >> 26);
      return (std::int64_t{warp::all_reduce(high, plus{})} << 26) + warp::all_reduce(low, plus{});
    }
    for (int distance = 1; distance < lanes; distance *= 2) value += warp::shuffle_xor(value, distance);
    return value;
  }
};
__device__ constexpr lane_team whole_warp() { return {warp_lanes, true}; }

}  // namespace warpfold::exact
