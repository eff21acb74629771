// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds any number of consecutive items in one warp.
#pragma once
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/fold_chunks.cuh>
#include <warpfold/warp/counter.cuh>
#include <warpfold/warp/fold_batch.cuh>

namespace warpfold::segmented {

/// The canonical tree over the `items` > 0 items from item `first` on, at any alignment. Valid in every lane.
/// - Whole batches of `Rows` rows of 32 chunks are loaded by vectors; misaligned ones are cut out of the aligned
///   vectors around them if these lie within the array.
/// - The rest, and all of what is folded by runs, is loaded in two halves of 32 wide chunks, each as wide as the chunks
///   of Rows / 2 rows together.
/// `OnlyHalves`: all items are loaded so, one half at a time, which takes less code.
template <int Rows, bool OnlyHalves = false, class Leaves, class Op, class A = typename Leaves::accumulator>
  requires(Rows % 2 == 0)
__device__ A fold_span(const Leaves& leaves, std::int64_t first, std::int64_t items, Op op) {
  using chunk = typename Leaves::chunk;
  constexpr int wide_chunk = Rows / 2 * Leaves::chunk_items, half_items = warp_lanes * wide_chunk,
                batch_items = 2 * half_items;
  // Narrow items would have to be cut out of words, which costs more than it saves.
  constexpr bool may_shift = requires(const typename Leaves::source_type& any, chunk& to) {
    any.load_shifted(to, first, 1);
    requires alignof(typename Leaves::source_type::item) % 4 == 0;
  };
  const auto& source = leaves.source;
  const std::int64_t end = first + items;
  const bool inside = source.is_inside(first, end);
  warp::counter<A> nodes;
  unsigned halves = 0;
  std::int64_t from = first;
  const auto fold_batches = [&](auto load) {
    WARPFOLD_NO_UNROLL
    for (; from + batch_items <= end; from += batch_items, halves += 2) {
      nodes.push(halves, warp::fold_whole_batch<Rows>(leaves, from, op, load), op, 1);
      __syncwarp();  // else the compiler assumes a divergent warp from here on
    }
  };
  constexpr bool only_halves = OnlyHalves || thread::folds_parts_by_runs<Leaves>;
  if constexpr (!only_halves) {
    const int shift = source.misaligned_bytes(first);
    if (shift == 0) fold_batches([&](chunk& to, std::int64_t item) { source.load(to, item); });
    else if constexpr (may_shift)
      if (inside) fold_batches([&](chunk& to, std::int64_t item) { source.load_shifted(to, item, shift); });
  }
  // A tail of at most 32 items past whole halves takes one item per lane, loaded together with the halves.
  const int rest = static_cast<int>((end - from) & (half_items - 1)),
            few = rest <= warp_lanes && rest < end - from ? rest : 0;
  typename Leaves::source_type::item last{};
  if (arch::lane_id() < few) last = source.at(end - few + arch::lane_id());
  const auto fold_halves = [&]<int Count>(std::integral_constant<int, Count>) {
    segment_chunk<int> own[Count];
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      const int begin = k * half_items + arch::lane_id() * wide_chunk;
      own[k] = {begin, static_cast<int>(least_of(end - from, std::int64_t{Count * half_items})) - begin,
                arch::lane_id()};
    }
    A values[Count];
    fold_chunks(leaves.template from<wide_chunk>(from), own, warp_lanes, inside, op, values);
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) nodes.push(halves++, warp::shuffle(values[k], 0), op);
    from += Count * half_items;
  };
  // One at a time where folds take many instructions (long_rows_of).
  constexpr int most = folds_halves_in_turn<Leaves> || only_halves ? 1 : 2;
  WARPFOLD_NO_UNROLL
  while (end - few - from > (most - 1) * half_items) fold_halves(std::integral_constant<int, most>{});
  if constexpr (most > 1)
    if (from < end - few) fold_halves(std::integral_constant<int, 1>{});
  if (few > 0) {
    const A value = arch::lane_id() < few ? leaves.leaf_of(last) : A{};
    nodes.push(halves++, warp::shuffle(warp::all_reduce(value, op, few), 0), op);
  }
  return nodes.total(halves, op);
}

}  // namespace warpfold::segmented
