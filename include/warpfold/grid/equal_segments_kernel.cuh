// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of segments of equal lengths that a warp folds several of at once, without ranges or steps: of an item each, or of
// a row of 32 chunks and a few items more. All of their places are known, and all warps have as much to do.
#pragma once
#include <warpfold/grid/segmented_arguments.cuh>
#include <warpfold/grid/segments.cuh>
#include <warpfold/warp/fold_rows.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

template <class Leaves> struct equal_segments {
  using A = typename Leaves::accumulator;
  static constexpr int single_items = sizeof(A) <= 4 ? 16 : sizeof(A) <= 8 ? 8 : 2;  ///< that a lane has on the way
  static constexpr int rows = sizeof(A) <= 16 ? 2 : 1;                               ///< that a warp has

  /// Whether the kernel takes segments of that length.
  __host__ __device__ static constexpr bool takes(std::int64_t length) {
    return length == 1 || warp::is_row_and_few<Leaves::chunk_items>(length);
  }
  /// How many a warp folds at once.
  __host__ __device__ static constexpr int at_once(std::int64_t length) { return length == 1 ? single_items * warp_lanes : rows; }
};

/// Segments `first` to `first` + `count`, of an item each.
template <int AtOnce, class Arguments> __device__ void fold_single_items(const Arguments& arguments, std::int64_t first, int count) {
  const auto& leaves = arguments.leaves;
  const int lane = arch::lane_id();
  typename decltype(Arguments::leaves)::source_type::item items[AtOnce] = {};
  WARPFOLD_UNROLL
  for (int k = 0; k < AtOnce; ++k)
    if (k * warp_lanes + lane < count) items[k] = leaves.source.at(first + k * warp_lanes + lane);
  WARPFOLD_UNROLL
  for (int k = 0; k < AtOnce; ++k)
    if (k * warp_lanes + lane < count) arguments.write(arguments.out + first + k * warp_lanes + lane, leaves.leaf_of(items[k]));
}

/// The same of segments that are a row and a few items.
template <int AtOnce, class Arguments> __device__ void fold_rows(const Arguments& arguments, std::int64_t first, int count) {
  const auto& [segments, leaves, op, out, init, empty, ranges, units] = arguments;
  const std::int64_t begin = first * segments.length;
  const bool inside = leaves.source.is_inside(begin, begin + count * segments.length);
  typename Arguments::A results[AtOnce];
  warp::fold_rows(leaves.template from<>(begin), static_cast<int>(segments.length), count, inside, op, results);
  WARPFOLD_UNROLL
  for (int k = 0; k < AtOnce; ++k)
    if (k < count && arch::lane_id() == 0) arguments.write(out + first + k, results[k]);
}

/// Each warp folds a few neighbouring segments, then those as far on as the grid has warps.
template <class Leaves, class Op, class Out>
__global__ void
__launch_bounds__(segmented_policy<Leaves>.block_threads, segmented_policy<Leaves>.blocks_per_multiprocessor)
    equal_segments_kernel(const __grid_constant__ segmented_arguments<fixed_segments, Leaves, Op, Out> arguments) {
  using equal = equal_segments<Leaves>;
  const auto& segments = arguments.segments;
  constexpr int block_warps = segmented_policy<Leaves>.block_threads / warp_lanes;
  const int at_once = equal::at_once(segments.length);
  std::int64_t first = (std::int64_t{blockIdx.x} * block_warps + arch::uniform_warp()) * at_once;
  for (; first < segments.count; first += std::int64_t{gridDim.x} * block_warps * at_once) {
    const int count = static_cast<int>(least_of(segments.count - first, at_once));
    if (segments.length == 1) fold_single_items<equal::single_items>(arguments, first, count);
    else fold_rows<equal::rows>(arguments, first, count);
  }
}

}  // namespace v1
}  // namespace warpfold::grid
