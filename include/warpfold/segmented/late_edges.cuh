// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithm for segments of one length of operators whose joins take long: the right edges of a warp's segments are
// joined together (edge_joins.cuh).
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/segmented/edge_joins.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// How a warp folds the chunks of its segments.
enum class edge_order {
  by_lanes,      ///< of few items: each lane folds its own segment
  side_by_side,  ///< of fewer than min_chunks_in_turn
  in_turn        ///< of more: one segment after another
};
/// Segments of several chunks.
template <class Leaves, edge_order Order> struct late_edges {
  using wide = late_leaves<Leaves>;
  static constexpr bool by_lanes = Order == edge_order::by_lanes, in_turn = Order == edge_order::in_turn;
  static constexpr int chunk_items = wide::chunk_items, few_chunks = 4, log_lanes = log2_of(warp_lanes),
                       levels = by_lanes  ? log2_of(few_chunks)
                                : in_turn ? 2 * log_lanes
                                          : detail::log_side_by_side;
  static constexpr int half_chunks =
      may_join_full_nodes<wide> ? max_half_chunks_of_lane : max_half_chunks_of_lane_by_own_joins;
  static constexpr bool is_for_few_rows =
      !may_join_full_nodes<wide> && sizeof(typename Leaves::accumulator) <= max_quick_join_bytes;
  static constexpr std::int64_t longest_by_lanes = half_chunks * chunk_items / 2 - 1,
                                longest_side_by_side = min_chunks_in_turn * chunk_items - 1,
                                longest_in_turn = is_for_few_rows ? max_rows_in_turn * warp_lanes * Leaves::chunk_items
                                                                  : (std::int64_t{1} << levels) * chunk_items;
  static constexpr std::int64_t least = by_lanes  ? Leaves::chunk_items
                                        : in_turn ? longest_side_by_side
                                                  : greatest_of<std::int64_t>(longest_by_lanes, Leaves::chunk_items),
                                most = by_lanes  ? longest_by_lanes
                                       : in_turn ? longest_in_turn
                                                 : longest_side_by_side;
  /// How many segments' edges are joined at once; fewer where shared memory has no room for more.
  static constexpr int segments = in_turn && sizeof(edge_node<wide>) > 16 ? warp_lanes / 2 : warp_lanes;
  using storage = thread::array<edge_storage<wide, levels, segments>, policy_of<Leaves>.block_threads / warp_lanes>;

  __host__ __device__ static constexpr bool takes(std::int64_t length) { return least < length && length <= most; }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t) { return segments; }
  /// For how many segments per resident warp; with fewer of few chunks lanes would be idle.
  static constexpr int min_share = by_lanes ? warp_lanes / 2 : in_turn ? min_share_of_late_edges : 0;
  __host__ __device__ static constexpr int min_segments_per_warp(std::int64_t length) {
    if (by_lanes) return warp_lanes / 4;
    if (in_turn || length > warp_lanes * chunk_items) return 1;
    return warp_lanes / static_cast<int>(greatest_of(length / chunk_items, std::int64_t{1}));
  }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int count) {
    const fixed_length_segments& given = arguments.segments;
    const int length = static_cast<int>(given.length), pitch = static_cast<int>(given.pitch), lane = arch::lane_id();
    const std::int64_t begin = given.begin(first);
    const wide leaves = arguments.leaves.template from<chunk_items>(begin);
    const auto access = [&](int from, int to) {
      return access_of(thread::plain_source(arguments.leaves.source), begin + from, begin + to, pitch);
    };
    auto& own = arch::dynamic_shared<storage>()[arch::flat_warp()];
    const auto write = [&](const typename Leaves::accumulator& result) { arguments.write(first + lane, result); };
    if constexpr (in_turn) fold_lanes_of_length(leaves, length, pitch, count, access, arguments.op, own, write);
    else
      fold_lanes<by_lanes>(leaves, lane * pitch, lane < count ? length : 0, access(0, (count - 1) * pitch + length),
                           arguments.op, own, write);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
