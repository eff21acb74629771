// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments of at most 7 items whose operator has full nodes (thread/full_form.cuh), one per lane: the nodes of 4,
// 2 and 1 items, and at most two joins that count and may divide. Segments wait for no others, and no warp exchanges
// nodes, so they take a third of the instructions that edges of longer segments do.
#pragma once
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/segment_tile.cuh>

namespace warpfold::segmented {

inline constexpr int few_items = 7;

namespace detail {

/// The node over the first `count` items, at most few_items, of a chunk of 8; with `count` < 1 the result means
/// nothing, and nothing is joined: a division of zeros takes long.
template <class Leaves>
__device__ auto fold_few_items(const Leaves& leaves, const typename Leaves::chunk& from, int count) ->
    typename Leaves::accumulator {
  static_assert(Leaves::chunk_items == few_items + 1);
  const auto& op = thread::full_form_of(leaves);
  using T = typename thread::detail::full_form<Leaves>::item;
  T items[few_items];
  WARPFOLD_UNROLL
  for (int k = 0; k < few_items; ++k) items[k] = full_item(leaves, from, k, k < count);
  const bool has_4 = count >= 4, has_2 = count > 0 && (count & 2) != 0, has_1 = count > 0 && (count & 1) != 0;
  const auto four = thread::detail::fold_full_items<0, 4>(op, [&](int k) { return items[k]; });
  T rest[3];
  WARPFOLD_UNROLL
  for (int k = 0; k < 3; ++k) rest[k] = has_4 ? items[4 + k] : items[k];
  const auto two = thread::detail::fold_full_items<0, 2>(op, [&](int k) { return rest[k]; });
  typename Leaves::accumulator value = op.of_full(op.lift_full(has_2 ? rest[2] : rest[0]), 1);
  if (has_2) value = has_1 ? thread::detail::join_fewer(op, two, 2, value) : op.of_full(two, 2);
  if (has_4) value = has_1 || has_2 ? thread::detail::join_fewer(op, four, 4, value) : op.of_full(four, 4);
  return value;
}

}  // namespace detail

/// Folds the segments of at most few_items items among the `taken` kept ones of the tile that begins with segment
/// `first`, and writes their results, those of empty ones too. Calls meanwhile() while loads are in flight. All lanes
/// call it.
template <class Arguments, class Tile, class Meanwhile>
__device__ void fold_few_items_in_place(const Arguments& arguments, Tile tile, std::int64_t first, int taken,
                                        Meanwhile meanwhile) {
  static_assert(never_folds_again<wide_leaves<typename Arguments::leaves_type>>);
  const auto leaves = arguments.leaves.template from<few_items + 1>(tile.base);
  const bool inside =
      arguments.leaves.source.is_inside(tile.base + tile.first_item(), tile.base + tile.end_of(taken - 1));
  const auto count_of = [&](int k) { return tile.count(k) <= few_items ? tile.count(k) : -1; };
  typename std::remove_const_t<decltype(leaves)>::chunk own = {}, next = {};
  detail::load_chunk(leaves, own, tile.begin[0], greatest_of(count_of(0), 0), inside);
  meanwhile();
  auto out = arguments.out + first + arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < Tile::segments_per_lane; ++k, out += warp_lanes) {
    const int count[1] = {count_of(0)};
    const typename Tile::index begin[1] = {tile.begin[0]};
    tile.template drop_first<1>();
    if (k + 1 < Tile::segments_per_lane)
      detail::load_chunk(leaves, next, tile.begin[0], greatest_of(count_of(0), 0), inside);
    typename Arguments::A results[1] = {detail::fold_few_items(leaves, own, count[0])};
    write_tile(arguments, results, count, tile.base, begin, out);
    own = next;
  }
}

}  // namespace warpfold::segmented
