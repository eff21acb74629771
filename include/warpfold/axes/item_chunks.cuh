// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How lanes read the items of an output in chunks, one after another: by vectors where these lie together, else item by
// item.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/place_walk.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The chunks of an output. If `Map` is scattered, items are read one by one.
template <class Leaves, class Map> struct item_chunks {
  using chunk = typename Leaves::chunk;
  static constexpr bool are_gathered = false;
  static constexpr int chunk_items = Leaves::chunk_items;

  const Leaves& leaves;
  const Map& reduced;
  std::int64_t origin;  ///< place of the first item
  bool is_aligned;      ///< whether chunks are vectors; if not, all items are adjacent, or `Map` is scattered
  bool is_inside;       ///< whether misaligned chunks can be read by vectors

  /// For the items [first, end) of the output whose first item lies at place `at`.
  __device__ item_chunks(const Leaves& of, const Map& axes, std::int64_t at, std::int64_t first, std::int64_t end,
                         bool aligned)
      : leaves(of),
        reduced(axes),
        origin(at),
        is_aligned(aligned),
        is_inside(!aligned && of.is_inside(at + first, at + end)) {}

  /// The chunk at item `item`, of which `count` > 0 items exist. Divisions find its place.
  __device__ void load(chunk& to, std::int64_t item, int count) const {
    if constexpr (Map::is_scattered) load_by_calls(to, item, count);
    else load_from(to, place_of(reduced, origin, item, count), count);
  }
  /// The calling lane's chunks of `Rows` rows of 32, the first at its item `item`, from which on `count` items exist.
  /// Where there are few axes, a walk finds their places.
  template <int Rows> __device__ void load_rows(chunk (&to)[Rows], std::int64_t item, int count) const {
    constexpr int axes = Map::is_scattered && Map::most_axes > 2 ? 3 : 2;
    const bool may_walk = !Map::is_scattered || reduced.inner_extent() >= chunk_items;
    // Sums of rows over two axes would take up to a fifth longer by the walk over three; of bytes, by two walks.
    if constexpr (axes > 2 && !folds_runs<Leaves> && chunk_items <= 8)
      if (may_walk && reduced.axis_count() <= 2) return walk_rows<2>(to, item, count);
    if (may_walk && reduced.axis_count() <= axes) return walk_rows<axes>(to, item, count);
    if constexpr (Map::most_axes > axes) {
      WARPFOLD_UNROLL
      for (int r = 0; r < Rows; ++r)
        if (r * row_items < count) load_by_calls(to[r], item + r * row_items, count - r * row_items);
    }
  }
  /// `Rows` rows of 32 chunks, the first at item `from`, all of which exist. Where they lie in at most two stretches of
  /// the innermost axis, their places are found by two divisions, not by one for each.
  template <int Rows> __device__ void load_batch(chunk (&to)[Rows], std::int64_t from) const {
    const int lane_items = arch::lane_id() * chunk_items;
    if (Map::is_scattered || reduced.inner_extent() < Rows * row_items)
      return load_rows(to, from + lane_items, Rows * row_items);
    const stretch_place stretch = reduced.stretch_at(from);
    const std::int64_t step = reduced.inner_stride(), first = origin + stretch.in;
    const std::int64_t second = stretch.remaining < Rows * row_items
                                    ? origin + reduced.in(from + stretch.remaining) - stretch.remaining * step
                                    : first;
    WARPFOLD_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const int item = r * row_items + lane_items;
      load_adjacent(to[r], (item < stretch.remaining ? first : second) + item * step, chunk_items);
    }
  }

 private:
  static constexpr int row_items = warp_lanes * chunk_items;

  template <int Axes, int Rows> __device__ void walk_rows(chunk (&to)[Rows], std::int64_t item, int count) const {
    place_walk<Axes, row_items, Map> walk(reduced, origin, item);
    WARPFOLD_UNROLL
    for (int r = 0; r < Rows; ++r) {
      if (r * row_items < count) load_from(to[r], walk.place(), count - r * row_items);
      walk.step();
    }
  }
  /// The chunk whose first item lies at `from`.
  __device__ void load_from(chunk& to, const near_place& from, int count) const {
    if constexpr (Map::is_scattered) {
      const std::int64_t step = reduced.inner_stride();
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k)
        if (k < count) leaves.load_item(to, k, (k < from.remaining ? from.at : from.next) + k * step);
    } else load_adjacent(to, from.at, count);
  }
  __device__ void load_adjacent(chunk& to, std::int64_t at, int count) const {
    if (is_aligned && (chunk_items == 1 || count >= chunk_items)) leaves.load(to, at);
    else leaves.load(to, at, count, is_inside);
  }
  /// The place of item `item`, of which, and of those behind it, `count` are wanted.
  __device__ static near_place place_of(const Map& reduced, std::int64_t origin, std::int64_t item, int count) {
    if constexpr (Map::most_axes == 1 && chunk_items > 1 && !Map::is_scattered) return {origin + item, endless, 0};
    const stretch_place stretch = reduced.stretch_at(item);
    near_place place{origin + stretch.in, near_items(stretch.remaining), 0};
    if (Map::is_scattered && place.remaining < count)
      place.next = origin + reduced.in(item + place.remaining) - place.remaining * reduced.inner_stride();
    return place;
  }
  /// As load(), with less code where that is rare: a function finds the place, and the loads of several chunks do not
  /// wait for one another. Another function loads scattered chunks that may lie in more than two stretches.
  __device__ void load_by_calls(chunk& to, std::int64_t item, int count) const {
    if constexpr (Map::is_scattered)
      if (reduced.inner_extent() < chunk_items)
        return void(to = chunk_of_singles(leaves, reduced, origin, item, count));
    load_from(to, called_place_of(reduced, origin, item, count), count);
  }
  WARPFOLD_NO_INLINE __device__ static near_place called_place_of(const Map& reduced, std::int64_t origin,
                                                                  std::int64_t item, int count) {
    return place_of(reduced, origin, item, count);
  }
  WARPFOLD_NO_INLINE __device__ static chunk chunk_of_singles(const Leaves& leaves, const Map& reduced,
                                                              std::int64_t origin, std::int64_t item, int count) {
    chunk loaded{};
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_items; ++k)
      if (k < count) leaves.load_item(loaded, k, origin + reduced.in(item + k));
    return loaded;
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
