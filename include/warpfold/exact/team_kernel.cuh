// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of exact sums over segments of one length: a team of warps, in a block of its own, sums each segment. Any
// part of a segment has an exact sum, so all warps of a team get as many items. Each sums its part at one level of
// extraction; the first one adds up these integers, and rounds.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/exact/write_sums.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A sum of level sums, all in the last digits of one level.
struct wide_level_sum {
  std::int64_t high = 0, low = 0;  ///< high * 2^32 + low
  unsigned kinds = 0;

  __device__ void add(const level_sum& sum) {
    high += sum.digits >> 32, low += sum.digits & 0xffffffff;
    kinds |= sum.kinds;
  }
  /// The sum of all lanes' sums. All lanes of the warp call it; valid in each.
  __device__ wide_level_sum of_warp() const {
    wide_level_sum all = *this;
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      all.high += warp::shuffle_xor(all.high, distance), all.low += warp::shuffle_xor(all.low, distance);
      all.kinds |= warp::shuffle_xor(all.kinds, distance);
    }
    return all;
  }
  /// Sets `sum` to it, if 64 bits hold it.
  __device__ bool narrow(level_sum& sum) const {
    const std::int64_t top = high + (low >> 32);
    sum = {static_cast<std::int64_t>(static_cast<std::uint64_t>(top) << 32 | (low & 0xffffffff)), kinds};
    return top == static_cast<std::int32_t>(top);
  }
};

/// The sum of a part of a segment, in shared memory: at a level, or in the first of `sums`.
template <class V> struct part_storage {
  level_sum at_level;
  int exponent;
  bool is_at_level;
  segment_sums<V, 1> sums;
};

inline constexpr int team_lane_items = max_level_lane_items;  ///< that a lane sums at once

/// Sums a part of a segment by the whole warp. Returns whether `own` is its exact sum at `level`; if not, the level may
/// have changed for the next trial. Vectors around the part lie within the input. All lanes call it.
template <class Leaves, class V = typename Leaves::accumulator>
__device__ bool sum_part_at_level(const Leaves& leaves, const segment_span& part, tile_level<V>& level,
                                  level_sum& own) {
  const double start = level.start();
  seen_items seen;
  wide_level_sum all;
  for (std::int64_t first = part.begin; first < part.end; first += tile_level<V>::max_items) {
    lane_range range(leaves.source, {first, least_of(first + tile_level<V>::max_items, part.end)}, whole_warp());
    std::uint64_t sum = 0;
    bool has_other = false;
    WARPFOLD_NO_UNROLL
    while (__any_sync(full_warp, range.has_more())) {
      float values[team_lane_items];
      load_inner_items(leaves, range, whole_warp(), values);
      sum += sum_at_level(values, start, seen, has_other);
    }
    all.add({static_cast<std::int64_t>(sum), has_other ? unsigned{has_other_than_minus_zero} : 0u});
  }
  if (all_at_level(seen, level.limit())) return all.of_warp().narrow(own);
  level.move_to(seen);
  return false;
}

/// Sums a part of a segment: to `at_level`, in the last digits of `level`, which may change for it, or in the first of
/// `sums`. Returns whether it is at a level. All lanes of the warp call it.
template <class Leaves, class V = typename Leaves::accumulator>
__device__ bool sum_part(const Leaves& leaves, const segment_span& part, tile_level<V>& level, level_sum& at_level,
                         segment_sums<V, 1>& sums) {
  constexpr int trials = 3;
  at_level = {};
  if (part.begin >= part.end) return true;
  if (leaves.source.is_inside(part.begin, part.end))
    for (int trial = 0; trial < trials; ++trial)
      if (sum_part_at_level(leaves, part, level, at_level)) return true;
  sum_tile(leaves, {part.begin, arch::lane_id() == 0 ? part.end : part.begin}, sums);
  return false;
}

/// Adds up the `parts` of a segment, and writes the result. One warp calls it.
template <class Arguments, class V = typename Arguments::V>
__device__ void join_parts(const Arguments& arguments, std::int64_t segment, part_storage<V>* parts, int count) {
  const int lane = arch::lane_id();
  const part_storage<V>& own = parts[lane < count ? lane : 0];
  const tile_level<V> level{parts[0].exponent};
  wide_level_sum sum;
  if (lane < count) sum.add(own.at_level);
  level_sum all;
  const bool holds_all = sum.of_warp().narrow(all);
  if (__all_sync(full_warp, holds_all && own.is_at_level && own.exponent == level.exponent)) {
    if (lane == 0) write_sum_of(arguments, segment, all, level);
    return;
  }
  segment_sums<V, 1>& total = parts[0].sums;
  if (parts[0].is_at_level) clear_sums(total);
  WARPFOLD_NO_UNROLL
  for (int i = 0; i < count; ++i) {
    const part_storage<V>& part = parts[i];
    if (part.is_at_level) {
      total.sum[0].add(part.at_level.digits, tile_level<V>{part.exponent}.digit_exponent(), whole_warp());
      if (lane == 0) total.kinds[0] |= part.at_level.kinds;
    } else if (i > 0) {
      for (int k = lane; k < total.sum[0].words; k += warp_lanes) total.sum[0].word[k] += part.sums.sum[0].word[k];
      if (lane == 0) total.kinds[0] |= part.sums.kinds[0];
    }
    __syncwarp();
  }
  if (lane == 0) write_sum_of(arguments, segment, total.sum[0].carried(total.kinds[0]));
}

/// Each block sums the segment of its number.
template <class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(segment_block_warps* warp_lanes, team_blocks_per_multiprocessor)
sum_teams_kernel(const __grid_constant__ segment_sum_arguments<Segments, Leaves, Op, Out> arguments) {
  using V = typename Leaves::accumulator;
  const int warps = static_cast<int>(blockDim.x) / warp_lanes, warp = arch::uniform_warp(), lane = arch::lane_id();
  auto* const parts = arch::dynamic_shared_objects<part_storage<V>>(warps);
  const auto items = arguments.segments.span(blockIdx.x);
  // Parts begin with whole vectors, and have whole steps.
  constexpr std::int64_t step = warp_lanes * team_lane_items;
  const std::int64_t from = chunk_begin(arguments.leaves.source, items.begin),
                     share = ((items.end - from - 1) / (warps * step) + 1) * step;
  const segment_span part{greatest_of(items.begin, from + warp * share),
                          least_of(items.end, from + (warp + 1) * share)};
  tile_level<V> level = sample_level(arguments.leaves, {items.begin, lane == 0 ? items.end : items.begin});
  part_storage<V>& own = parts[warp];
  level_sum sum;
  const bool is_at_level = sum_part(arguments.leaves, part, level, sum, own.sums);
  if (warps == 1 && is_at_level) {
    if (lane == 0) write_sum_of(arguments, blockIdx.x, sum, level);
    return;
  }
  if (lane == 0) own.at_level = sum, own.exponent = level.exponent, own.is_at_level = is_at_level;
  __syncthreads();
  if (warp == 0) join_parts(arguments, blockIdx.x, parts, warps);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
