// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short segments, folded side by side: each by a group of neighbouring lanes, a chunk a lane, by the canonical tree from
// the segment's first item. The rows of a batch are reduced together, as in batched_reduce.
#pragma once
#include <warpfold/thread/optional.cuh>
#include <warpfold/thread/source.cuh>
#include <warpfold/warp/batched_reduce.cuh>

namespace warpfold::warp {

/// A segment of few items: `count` of them from item `first` on, which is relative to an item that all lanes know.
struct short_segment {
  int first;
  int count;  ///< none: nothing is folded, nothing stored
  int id;     ///< for the caller
};

/// Folds `segments` segments, that of number j held by lane j, none with more items than 2^log_group chunks. Calls
/// store(id, result) in one lane each. 2^log_group is Rows, or from Rows to 32 Rows if Rows is MaxRows. `inside`: whether
/// is_inside is known of all their items.
template <int Rows, class Leaves, class Op, class Store>
__device__ void fold_groups(const Leaves& leaves, std::int64_t base, short_segment own, int segments, int log_group,
                            bool inside, Op op, Store store) {
  using A = typename Leaves::accumulator;
  using optional = thread::optional<Op, A>;
  using value_type = typename optional::type;
  constexpr int chunk_items = Leaves::chunk_items;
  const typename optional::join join_op{op};
  const int lane = arch::lane_id(), group = 1 << log_group, batch_segments = (Rows * warp_lanes) >> log_group;
  // Which segment's result a lane is left with, after the exchanges, relative to the batch.
  const int place = row_of_lane<Rows>() * warp_lanes + (lane & ~(Rows - 1));
  WARPFOLD_NO_UNROLL
  for (int begin = 0; begin < segments; begin += batch_segments) {
    typename Leaves::chunk rows[Rows] = {};
    int count[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int position = row * warp_lanes + lane, segment = begin + (position >> log_group);
      const int item = (position & (group - 1)) * chunk_items;
      const int first = __shfl_sync(full_warp, own.first, segment);
      count[row] = __shfl_sync(full_warp, own.count, segment) - item;
      leaves.source.load_some(rows[row], base + first + item, count[row], inside);
    }
    value_type values[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row)
      values[row] = optional::template fold<chunk_items>([&](int k) { return leaves.leaf(rows[row], k); }, op, count[row]);
    detail::exchange_rows<Rows / 2>(values, [&](int, int, bool upper, const value_type& kept, const value_type& other) {
      return join(upper, kept, other, join_op);
    });
    value_type value = values[0];
    WARPFOLD_NO_UNROLL
    for (int distance = Rows; distance < group && distance < warp_lanes; distance *= 2)
      value = join(lane & distance, value, shuffle_xor(value, distance), join_op);
    WARPFOLD_NO_UNROLL
    for (int distance = Rows / 2, rows_joined = 1; rows_joined * warp_lanes < group; distance /= 2, rows_joined *= 2)
      value = join(lane & distance, value, shuffle_xor(value, distance), join_op);  // neighbouring rows are farthest apart
    const int segment = begin + (place >> log_group), id = __shfl_sync(full_warp, own.id, segment);
    if ((place & (group - 1)) == 0 && segment < segments) store(id, optional::value(value));
  }
}

/// fold_groups with as many rows as the groups have lanes, up to MaxRows.
template <int MaxRows, class Leaves, class Op, class Store>
__device__ void fold_groups_in_rows(const Leaves& leaves, std::int64_t base, short_segment own, int segments,
                                    int log_group, bool inside, Op op, Store store) {
  if constexpr (MaxRows > 1)
    if (1 << log_group < MaxRows)
      return fold_groups_in_rows<MaxRows / 2>(leaves, base, own, segments, log_group, inside, op, store);
  fold_groups<MaxRows>(leaves, base, own, segments, log_group, inside, op, store);
}

/// The index of the set bit of `mask` that has `rank` set bits below it; where there is none, 31.
__device__ inline int set_bit(unsigned mask, int rank) {
  int index = 0;
  WARPFOLD_UNROLL
  for (int width = 16; width >= 1; width /= 2) {
    const int below = __popc(mask & ((1u << width) - 1));
    if (rank >= below) rank -= below, mask >>= width, index += width;
  }
  return index;
}

/// Folds the segments of all lanes, up to 32 MaxRows chunks each: those of about one length together, so that a long one
/// among them costs what it has, not what it has times 32. Calls store(id, result) in one lane each. All lanes call it.
template <int MaxRows, class Leaves, class Op, class Store>
__device__ void fold_short_segments(const Leaves& leaves, std::int64_t base, short_segment own, Op op, Store store) {
  const bool inside = __all_sync(full_warp, own.count <= 0 || leaves.source.is_inside(base + own.first, base + own.first + own.count));
  const int chunks = (own.count + Leaves::chunk_items - 1) / Leaves::chunk_items;
  unsigned remaining = __ballot_sync(full_warp, chunks > 0);
  while (remaining != 0) {
    const int segments = __popc(remaining);
    int log_group = 0;
    unsigned fit = __ballot_sync(full_warp, chunks <= 1) & remaining;
    while (4 * __popc(fit) < 3 * segments) fit = __ballot_sync(full_warp, chunks <= 2 << log_group++) & remaining;
    short_segment chosen = own;
    if (fit != full_warp) {
      const int source = set_bit(fit, arch::lane_id());
      chosen = {__shfl_sync(full_warp, own.first, source), __shfl_sync(full_warp, own.count, source),
                __shfl_sync(full_warp, own.id, source)};
      if (arch::lane_id() >= __popc(fit)) chosen.count = 0;
    }
    fold_groups_in_rows<MaxRows>(leaves, base, chosen, __popc(fit), log_group, inside, op, store);
    remaining &= ~fit;
  }
}

}  // namespace warpfold::warp
