// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any number of consecutive items, folded by one warp.
#pragma once
#include <warpfold/warp/counter.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/fold_segments.cuh>

namespace warpfold::warp {

/// The canonical tree over the `items` > 0 items from item `first` on, by one warp: by `Rows` rows of 32 chunks where these are
/// aligned, else by 32 chunks of `WideItems` items, twice at once, which need not be. Valid in every lane.
template <int Rows, int WideItems, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_span(const Leaves& leaves, std::int64_t first, std::int64_t items, Op op) {
  using chunk = typename Leaves::chunk;
  constexpr int wide_items = warp_lanes * WideItems, batch_items = Rows * warp_lanes * Leaves::chunk_items;
  static_assert(batch_items % wide_items == 0);
  const auto& source = leaves.source;
  const std::int64_t end = first + items;
  counter<A> nodes;
  unsigned count = 0;
  std::int64_t from = first;
  if (source.misaligned_bytes(first) == 0)
    WARPFOLD_NO_UNROLL
    for (; from + batch_items <= end; from += batch_items, count += batch_items / wide_items)
      nodes.push(count, fold_whole_batch<Rows>(leaves, from, op, [&](chunk& to, std::int64_t item) { source.load(to, item); }),
                 op, log2_of(batch_items / wide_items));
  const bool inside = source.is_inside(first, end);
  // A few items past whole steps take an item a lane, on its way with the others.
  const int left = static_cast<int>((end - from) & (wide_items - 1)), few = left <= warp_lanes && left < end - from ? left : 0;
  typename Leaves::source_type::item last{};
  if (arch::lane_id() < few) last = source.at(end - few + arch::lane_id());
  const auto fold_steps = [&]<int Steps>(std::integral_constant<int, Steps>) {
    segment_chunk<int> own[Steps];
    WARPFOLD_UNROLL
    for (int step = 0; step < Steps; ++step) {
      const int begin = step * wide_items + arch::lane_id() * WideItems;
      own[step] = {begin, static_cast<int>(least_of(end - from, Steps * wide_items)) - begin, arch::lane_id()};
    }
    A values[Steps];
    fold_chunks(leaves.template from<WideItems>(from), own, warp_lanes, inside, op, values);
    WARPFOLD_UNROLL
    for (int step = 0; step < Steps; ++step) nodes.push(count++, shuffle(values[step], 0), op);
    from += Steps * wide_items;
  };
  WARPFOLD_NO_UNROLL
  while (end - few - from > wide_items) fold_steps(std::integral_constant<int, 2>{});
  if (from < end - few) fold_steps(std::integral_constant<int, 1>{});
  if (few > 0) {
    A value{};
    if (arch::lane_id() < few) value = leaves.leaf_of(last);
    nodes.push(count++, shuffle(all_reduce(value, op, few), 0), op);
  }
  return nodes.total(count, op);
}

}  // namespace warpfold::warp
