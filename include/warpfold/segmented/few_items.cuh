// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a tile's segments of few items, one per lane, where joins take long: no warp exchanges nodes, and no segment
// waits for others. Up to 7 items are folded at once, as the operator tells (operator_traits.hpp: fold_few), by full
// nodes, or as plain terms. Longer segments of full nodes, up to 31 items, have nodes of 8 and 16 items beside such a
// rest; the tile's are listed, and 32 of them are folded together.
#pragma once
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/segment_tile.cuh>
#include <warpfold/thread/few_items.cuh>

namespace warpfold::segmented {

/// Items of a segment that a lane folds alone. Those of plain terms (thread/item_terms.cuh) have no full nodes.
template <class Leaves>
inline constexpr int max_lane_items = may_join_full_nodes<wide_leaves<Leaves>> ? 31 : thread::few_items;

/// A segment of a tile, in one word.
struct tile_segment {
  static constexpr int begin_bits = 18, count_bits = 6, none = (1 << count_bits) - 1;
  std::uint32_t word;

  /// From item `begin` of the tile on. `count` is `none` where there is nothing to fold.
  __device__ static tile_segment of(int begin, int count, int number) {
    return {static_cast<unsigned>(begin) | static_cast<unsigned>(count) << begin_bits |
            static_cast<unsigned>(number) << (begin_bits + count_bits)};
  }
  __device__ int begin() const { return static_cast<int>(word & ((1u << begin_bits) - 1)); }
  __device__ int count() const { return static_cast<int>(word >> begin_bits & none); }
  __device__ int number() const { return static_cast<int>(word >> (begin_bits + count_bits)); }
};
/// Those of a warp's tile, in shared memory.
using tile_list = thread::array<tile_segment, tile_segments_per_lane * warp_lanes>;

namespace detail {

/// The node over the `count` > 0 items, at most max_lane_items, from item `first` on, by the operator's own joins: for
/// segments with NaN that do not count. In one loop, and not inlined: it has few registers, and is rare.
template <class Leaves>
WARPFOLD_NO_INLINE __device__ auto fold_item_by_item(Leaves leaves, int first, int count) ->
    typename Leaves::accumulator {
  using A = typename Leaves::accumulator;
  constexpr int levels = log2_of(max_lane_items<Leaves> + 1);
  A nodes[levels];
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < count; ++k) {
    A value = leaves.leaf_of(leaves.source.at(first + k));
    int level = 0;
    WARPFOLD_NO_UNROLL
    for (; k >> level & 1; ++level) value = leaves.transform.op(nodes[level], value);
    nodes[level] = value;
  }
  int level = __ffs(count) - 1;
  A value = nodes[level];
  WARPFOLD_NO_UNROLL
  for (++level; count >> level != 0; ++level)
    if (count >> level & 1) value = leaves.transform.op(nodes[level], value);
  return value;
}

/// Sets `value` to the node over the lane's segment of `count` items, at most max_lane_items, from item `first` on.
/// Returns false if that is not right, which takes a NaN. All lanes call it. `any_longer`: the count of any lane may be
/// above few_items.
template <class Leaves, class A>
__device__ bool fold_lane_segment(const Leaves& leaves, int first, int count, [[maybe_unused]] bool any_longer,
                                  A& value) {
  constexpr int eight = thread::few_items + 1;
  const int rest = count & thread::few_items;
  typename Leaves::chunk own = {};
  leaves.source.load_items(own, first + (count - rest), rest);
  bool is_right = thread::fold_few_items(leaves, own, rest, value) || rest == 0;
  if constexpr (may_join_full_nodes<Leaves>) {
    if (!any_longer) return is_right;
    const full_joins<Leaves> joins{leaves};
    const bool has_8 = (count & eight) != 0, has_16 = (count & 2 * eight) != 0;
    if (__any_sync(full_warp, has_8)) {
      leaves.source.load_items(own, first + (count & 2 * eight), has_8 ? eight : 0);
      const auto node = joins.chunk(own, 0, has_8);
      if (has_8) value = thread::join_on_left(leaves, node, eight, rest > 0, value);
    }
    if (__any_sync(full_warp, has_16)) {
      leaves.source.load_items(own, first, has_16 ? eight : 0);
      const auto left = joins.chunk(own, 0, has_16);
      leaves.source.load_items(own, first + eight, has_16 ? eight : 0);
      const auto node = joins.join(left, joins.chunk(own, 0, has_16), 1);
      if (has_16) value = thread::join_on_left(leaves, node, 2 * eight, (count & (2 * eight - 1)) != 0, value);
    }
    if constexpr (!never_folds_again<Leaves>) is_right = is_right && (count == 0 || thread::all_count(leaves, value));
  }
  return is_right;
}

/// Brings the items of a tile into the L2 cache, if they are behind a pointer, and few: lanes load the items of one
/// segment after another. (On an H200, moments of lengths of 4 take 224 us so, and 264 without.)
template <class Source> __device__ void prefetch_items(const Source& source, std::int64_t first, int count) {
  constexpr int line_bytes = 128;
  if constexpr (requires { source.data; }) {
    const auto* const from = reinterpret_cast<const unsigned char*>(source.data + first);
    const int byte = arch::lane_id() * line_bytes;
    if (byte < count * int{sizeof(typename Source::item)}) arch::prefetch_into_l2(from + byte);
  }
}

/// Folds the segments of at most max_lane_items items of a tile: segment 32 k + lane is word `k` of the lane, and the
/// result of segment 0 is written to `out`. Rows of few items come first; longer segments are listed and folded 32 at a
/// time; so are, in the end, those that were folded wrong. `leaves` begin with the tile's first item, number `origin`.
/// Not inlined: it has registers of its own, and calls nothing that needs many.
template <class Arguments, class Leaves, class Out>
WARPFOLD_NO_INLINE __device__ void fold_tile_in_lanes(const Arguments& arguments, Leaves leaves, Out out,
                                                      std::int64_t origin, tile_list& list, tile_segment word_0,
                                                      tile_segment word_1, tile_segment word_2, tile_segment word_3) {
  constexpr int most = max_lane_items<typename Arguments::leaves_type>,
                tile_segments = tile_segments_per_lane * warp_lanes;
  const int lane = arch::lane_id();
  int longer = 0;     // these are listed from the front
  int wrong[2] = {};  // of rows, which are listed from the back, and of longer ones, in the place of those folded
  WARPFOLD_NO_UNROLL
  for (int done = -tile_segments; done < longer; done += warp_lanes) {
    const bool is_row = done < 0;
    tile_segment own = word_0;
    bool takes = own.count() <= thread::few_items;
    if (is_row) {
      word_0 = word_1, word_1 = word_2, word_2 = word_3;
      if constexpr (most > thread::few_items) {
        const bool is_longer = thread::few_items < own.count() && own.count() <= most;
        const unsigned lanes = __ballot_sync(full_warp, is_longer);
        if (is_longer) list[longer + __popc(lanes & ((1u << lane) - 1))] = own;
        longer += __popc(lanes);
        __syncwarp();
      }
    } else {
      takes = done + lane < longer;
      own = list[takes ? done + lane : 0];
      __syncwarp();  // before wrong ones are listed there
    }
    if (!__any_sync(full_warp, takes)) continue;
    typename Arguments::A result{};
    const bool is_right = fold_lane_segment(leaves, own.begin(), takes ? own.count() : 0, !is_row, result);
    if constexpr (!never_folds_again<Leaves>) {
      const unsigned lanes = __ballot_sync(full_warp, takes && !is_right);
      const int place = (is_row ? wrong[0] : wrong[1]) + __popc(lanes & ((1u << lane) - 1));
      if (takes && !is_right) list[is_row ? tile_segments - 1 - place : place] = own;
      (is_row ? wrong[0] : wrong[1]) += __popc(lanes);
      __syncwarp();
    }
    if (!takes || !is_right) continue;
    // One store for both: a result may be long, and lowering it, too.
    if constexpr (!thread::joins_initial_value<Out>)
      result = own.count() > 0 ? arguments.init.join(result, arguments.op) : arguments.empty.alone();
    thread::put(place_of(out, own.number(), origin + own.begin(), own.count()), result);
  }
  __syncwarp();
  if constexpr (!never_folds_again<Leaves>) {
    WARPFOLD_NO_UNROLL
    for (int place = lane; place < wrong[0] + wrong[1]; place += warp_lanes) {
      const tile_segment own = list[place < wrong[1] ? place : tile_segments - 1 - (place - wrong[1])];
      arguments.write(out, own.number(), origin + own.begin(), own.count(),
                      fold_item_by_item(leaves, own.begin(), own.count()));
    }
    __syncwarp();
  }
}

}  // namespace detail

/// Whether lanes may fold few items of these leaves alone.
template <class Leaves>
inline constexpr bool folds_few =
    thread::tells_few<Leaves> || joins_edges_late<Leaves> || thread::detail::has_terms<Leaves>;

/// Whether the items of all segments of a tile, of which `taken` are kept, can be numbered in tile_segment.
template <class Tile> __device__ bool numbers_items(const Tile& tile, int taken) {
  return tile.end_of(taken - 1) - tile.first_item() < 1 << tile_segment::begin_bits;
}

/// Folds the segments of at most max_lane_items items among the `taken` kept ones of the tile that begins with segment
/// `first`, where numbers_items, and writes their results, those of empty ones too. All lanes call it.
template <class Arguments, class Tile>
__device__ void fold_few_in_place(const Arguments& arguments, const Tile& tile, std::int64_t first, int taken,
                                  tile_list& list) {
  static_assert(Tile::segments_per_lane == 4);
  constexpr int most = max_lane_items<typename Arguments::leaves_type>;
  const auto first_item = tile.first_item();
  const auto word = [&](int k) {
    const int count = tile.count(k);
    return tile_segment::of(count < 0 ? 0 : static_cast<int>(tile.begin[k] - first_item),
                            0 <= count && count <= most ? count : tile_segment::none, k * warp_lanes + arch::lane_id());
  };
  const std::int64_t origin = tile.base + first_item;
  detail::prefetch_items(arguments.leaves.source, origin, static_cast<int>(tile.end_of(taken - 1) - first_item));
  detail::fold_tile_in_lanes(arguments, arguments.leaves.template from<thread::few_items + 1>(origin),
                             arguments.out + first, origin, list, word(0), word(1), word(2), word(3));
}

/// Which segments of a tile lanes fold alone, and how: `TakesFew`, those of few items (see above), else those of up to
/// `Tiny`, item by item.
template <class Arguments, int Tiny, bool TakesFew> struct lane_folds {
  static constexpr int most = TakesFew ? max_lane_items<typename Arguments::leaves_type> : Tiny;
  struct nothing {};
  using storage = std::conditional_t<TakesFew, tile_list, nothing>;  ///< of a warp, in shared memory

  /// The most items of such a segment among the `taken` kept ones of a tile: only empty ones if few items lie too far
  /// apart.
  template <class Tile> __device__ static int most_of([[maybe_unused]] const Tile& tile, [[maybe_unused]] int taken) {
    if constexpr (TakesFew) return numbers_items(tile, taken) ? most : 0;
    else return most;
  }
  /// Folds those of up to `most_of_tile` items of the tile that begins with segment `first`. Calls meanwhile() on the
  /// way. All lanes call it.
  template <class Tile, class Meanwhile>
  __device__ static void fold(const Arguments& arguments, const Tile& tile, std::int64_t first,
                              [[maybe_unused]] int taken, [[maybe_unused]] int most_of_tile,
                              [[maybe_unused]] storage& list, Meanwhile meanwhile) {
    if constexpr (TakesFew) {
      meanwhile();
      if (most_of_tile > 0) fold_few_in_place(arguments, tile, first, taken, list);
      else write_empty(arguments, tile, first);
    } else fold_tiny_in_place<Tiny>(arguments, tile, first, meanwhile);
  }
};

}  // namespace warpfold::segmented
