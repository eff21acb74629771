// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for inputs so small that trips to memory cost more than bytes: each segment goes to a group of
// neighbouring warps, which find it by its number, without a search, and join their shares within the block. A segment
// that is too long for a group is left to other blocks: each of their warps has a range of items, and folds the units
// that begin there. No block waits for another.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/warp_groups.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Shared memory: the value of each warp's share.
template <class Arguments>
using warp_group_storage =
    thread::array<typename Arguments::A, policy_of<decltype(Arguments::leaves)>.block_threads / warp_lanes>;

/// Folds units of the segment that covers the begin of the calling warp's range, if it is too long for a group: the
/// units that begin in the range, and, if the segment begins in the previous range, those that begin there. (Such a
/// segment is longer than two ranges, so that it covers the begin of at least one, and at most one begins in a range.)
template <class Arguments> __device__ void fold_units_of_partition(const Arguments& arguments, segment_span range) {
  const auto& [segments, leaves, op, out, init, empty, partition, units] = arguments;
  const segment_start start = warp::shuffle(segments.find_first(range.begin, partition, leaves.source.items), 0);
  const auto before = warp::shuffle(segments.previous(start), 0);
  const segment_span items{before.begin, before.end};
  require_within(start.segment - 1, items, leaves.source.items);
  if (items.end - items.begin <= partition.max_uncut_items) return;
  if (items.begin >= range.begin - partition.positions_per_warp) range.begin = items.begin;
  fold_long_segment(arguments, range, start.segment - 1, items);
}

/// Folds segment number `segment`, unless it is too long, by a group of warps. Each warp has a share: a power of two of
/// rows of 32 chunks, and so a node of the canonical tree. All warps of the block call it; the calling one is number
/// `own` of its group.
template <class Arguments>
__device__ void fold_by_warp_group(const Arguments& arguments, std::int64_t segment, int own, int log_warps,
                                   warp_group_storage<Arguments>& values) {
  const auto& [segments, leaves, op, out, init, empty, partition, units] = arguments;
  using leaves_type = std::remove_cvref_t<decltype(leaves)>;
  constexpr std::int64_t row = warp_lanes * leaves_type::chunk_items;
  constexpr int few_rows = target_share_rows, many_rows = policy_of<leaves_type>.long_rows;
  const int warp = arch::uniform_warp(), lane = arch::lane_id();
  const auto items = warp::shuffle(segments.span_at(segment, 0), 0);
  require_within(segment, items, leaves.source.items);
  const std::int64_t count = items.end - items.begin;
  const bool takes = segment < segments.count && count <= partition.max_uncut_items;
  std::int64_t share = row;
  while (share << log_warps < count) share *= 2;
  const std::int64_t first = own * share;
  if (takes && first < count) {
    const auto fold = [&]<int Rows>(std::integral_constant<int, Rows>) {
      return fold_span<Rows>(leaves, items.begin + first, least_of(count - first, share), op);
    };
    // A share of few rows is folded fastest in one batch of as many rows.
    const auto value = share <= few_rows * row ? fold(std::integral_constant<int, few_rows>{})
                                               : fold(std::integral_constant<int, many_rows>{});
    if (lane == 0) values[warp] = value;
  }
  __syncthreads();
  if (!takes || own > 0) return;
  if (count == 0) {
    if (lane == 0) out[segment] = empty.alone();
    return;
  }
  const int shares = static_cast<int>((count - 1) / share) + 1;
  const auto value = warp::all_reduce(values[warp + (lane < shares ? lane : 0)], op, shares);
  if (lane == 0) arguments.write(out + segment, value);
}

/// The first blocks fold units of segments that are too long for a group; in the others each group folds one segment.
template <class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.block_threads, policy_of<Leaves>.blocks_per_multiprocessor)
segment_per_warp_group_kernel(const __grid_constant__ kernel_arguments<Segments, Leaves, Op, Out> arguments,
                              const warp_groups groups) {
  using arguments_type = kernel_arguments<Segments, Leaves, Op, Out>;
  require_order(arguments.segments, arguments.leaves.source.items);
  if (static_cast<int>(blockIdx.x) < groups.partition_blocks)
    return fold_units_of_partition(arguments, arguments.partition.own_positions());
  constexpr int block_warps = policy_of<Leaves>.block_threads / warp_lanes;
  const std::int64_t place = (std::int64_t{blockIdx.x} - groups.partition_blocks) * block_warps + arch::uniform_warp();
  const int own = static_cast<int>(place & ((1 << groups.log_warps) - 1));
  fold_by_warp_group(arguments, place >> groups.log_warps, own, groups.log_warps,
                     arch::dynamic_shared<warp_group_storage<arguments_type>>());
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
