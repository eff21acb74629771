// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a tile's segments of few items, one per lane, where joins take long: no warp exchanges nodes, and no segment
// waits for others. Up to 7 items are folded at once, as the operator tells (operator_traits.hpp: fold_few), by full
// nodes, or as plain terms. Longer segments of full nodes, up to 31 items, have nodes of 8 and 16 items beside such a
// rest.
//
//   list   the tile's segments by their number of items: up to 3, up to 7, longer ones
//   fold   32 listed ones together, about as long
//   write  all results, in the order of segments: memory must read a sector that is written in parts. (On an H200,
//          statistics of 2^26 floats in geometric lengths of mean 4 take 402 us so, 990 if each is written once it is
//          folded, and 564 if segments are folded in their order.)
#pragma once
#include <warpfold/segmented/edge_joins.cuh>
#include <warpfold/segmented/segment_tile.cuh>
#include <warpfold/thread/few_items.cuh>
#include <warpfold/warp/prefetch.cuh>

namespace warpfold::segmented {

/// The most items of a segment that a lane folds alone: more than few items take full nodes.
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
/// Some of a tile's, in shared memory.
using tile_list = thread::array<tile_segment, tile_segments_per_lane * warp_lanes>;

/// What a warp keeps of a tile's segments of few items in shared memory: a list of those that are folded together, and
/// the results of all, so that neighbours are written together.
template <class A> struct few_items_storage {
  tile_list list;
  thread::array<A, tile_segments_per_lane * warp_lanes> results;
};

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

/// Sets `value` to the node over the lane's segment of `Least` to `Most` items, as `count` says, from item `first` on.
/// Returns false if that is not right, which takes a NaN. All lanes call it.
template <int Least, int Most, class Leaves, class A>
__device__ bool fold_lane_segment(const Leaves& leaves, int first, int count, A& value) {
  constexpr int eight = thread::few_items + 1;
  if constexpr (Most < Leaves::chunk_items) {
    static_assert(Leaves::chunk_items == Most + 1);
    const int known =
        (Least > Most / 2 ? count | (Most + 1) / 2 : count) & Most;  // `count`; the compiler learns bounds
    typename Leaves::chunk own = {};
    leaves.source.load_items(own, first, known);
    return thread::fold_few_items(leaves, own, known, value);
  } else {
    const int rest = count & thread::few_items;
    typename Leaves::chunk own = {};
    leaves.source.load_items(own, first + (count - rest), rest);
    bool is_right = thread::fold_few_items(leaves, own, rest, value) || rest == 0;
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
    if constexpr (!never_folds_again<Leaves>) is_right = is_right && thread::all_count(leaves, value);
    return is_right;
  }
}

/// Lists those of a lane's segments that have `Least` to `Most` items, and so of all lanes. Returns how many there are.
template <int Least, int Most, int Count>
__device__ int list_segments(tile_list& list, const tile_segment (&own)[Count]) {
  const unsigned lanes_before = (1u << arch::lane_id()) - 1;
  bool takes[Count], any = false;
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k) {
    takes[k] = Least <= own[k].count() && own[k].count() <= Most;
    any = any || takes[k];
  }
  if (!__any_sync(full_warp, any)) return 0;
  int listed = 0;
  WARPFOLD_UNROLL
  for (int k = 0; k < Count; ++k) {
    const unsigned lanes = __ballot_sync(full_warp, takes[k]);
    if (takes[k]) list[listed + __popc(lanes & lanes_before)] = own[k];
    listed += __popc(lanes);
  }
  __syncwarp();
  return listed;
}

/// Folds the first `count` listed segments item by item. Not inlined: it is rare.
template <class Leaves, class A>
WARPFOLD_NO_INLINE __device__ void fold_wrong_segments(Leaves leaves, few_items_storage<A>& own, int count) {
  WARPFOLD_NO_UNROLL
  for (int place = arch::lane_id(); place < count; place += warp_lanes) {
    const tile_segment segment = own.list[place];
    own.results[segment.number()] = fold_item_by_item(leaves, segment.begin(), segment.count());
  }
}

/// Folds those of a tile's segments that have `Least` to `Most` items, 32 at a time.
template <int Least, int Most, class Leaves, class A, int Count>
__device__ void fold_segments_of(const Leaves& leaves, few_items_storage<A>& own, const tile_segment (&tile)[Count]) {
  const int lane = arch::lane_id(), listed = list_segments<Least, Most>(own.list, tile);
  int wrong = 0;  // they are listed in the place of those folded
  WARPFOLD_NO_UNROLL
  for (int done = 0; done < listed; done += warp_lanes) {
    const bool takes = done + lane < listed;
    const tile_segment segment = own.list[takes ? done + lane : listed - 1];
    A result{};
    const bool is_right = fold_lane_segment<Least, Most>(leaves, segment.begin(), segment.count(), result);
    if (takes) own.results[segment.number()] = result;
    if constexpr (!never_folds_again<Leaves>) {
      __syncwarp();  // all have read their own
      const unsigned lanes = __ballot_sync(full_warp, takes && !is_right);
      if (takes && !is_right) own.list[wrong + __popc(lanes & ((1u << lane) - 1))] = segment;
      wrong += __popc(lanes);
    }
  }
  __syncwarp();
  if (wrong > 0) fold_wrong_segments(leaves, own, wrong);
  __syncwarp();  // before others are listed
}

/// Folds the segments of at most max_lane_items items of a tile: segment 32 k + lane is word `k` of the lane, and the
/// result of segment 0 is written to `out`. Those of about as many items are folded together, so that few lanes wait
/// for others. `leaves` begin with the tile's first item, number `origin`. Not inlined: it has registers of its own,
/// and calls nothing that needs many.
template <class Arguments, class Leaves, class Out>
WARPFOLD_NO_INLINE __device__ void fold_tile_in_lanes(const Arguments& arguments, Leaves leaves, Out out,
                                                      std::int64_t origin,
                                                      few_items_storage<typename Arguments::A>& own,
                                                      tile_segment word_0, tile_segment word_1, tile_segment word_2,
                                                      tile_segment word_3) {
  constexpr int most = max_lane_items<typename Arguments::leaves_type>, few = thread::few_items, fewer = few / 2;
  const tile_segment tile[] = {word_0, word_1, word_2, word_3};
  fold_segments_of<1, fewer>(leaves.template from<fewer + 1>(0), own, tile);
  fold_segments_of<fewer + 1, few>(leaves, own, tile);
  if constexpr (most > few) fold_segments_of<few + 1, most>(leaves, own, tile);
  typename Arguments::A none{};
  if constexpr (!thread::joins_initial_value<Out>) none = arguments.empty.alone();
  const auto* from = own.results.data() + arch::lane_id();
  auto to = out + arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (int row = 0; row < tile_segments_per_lane; ++row, from += warp_lanes, to += warp_lanes) {
    const tile_segment segment = word_0;
    word_0 = word_1, word_1 = word_2, word_2 = word_3;
    if (segment.count() > most) continue;
    typename Arguments::A result = *from;
    if constexpr (!thread::joins_initial_value<Out>)
      result = segment.count() > 0 ? arguments.init.join(result, arguments.op) : none;
    thread::put(place_of(to, 0, origin + segment.begin(), segment.count()), result);
  }
  __syncwarp();  // all have read the results
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
                                  few_items_storage<typename Arguments::A>& own) {
  static_assert(Tile::segments_per_lane == 4);
  constexpr int most = max_lane_items<typename Arguments::leaves_type>;
  const auto first_item = tile.first_item();
  const auto word = [&](int k) {
    const int count = tile.count(k);
    return tile_segment::of(count < 0 ? 0 : static_cast<int>(tile.begin[k] - first_item),
                            0 <= count && count <= most ? count : tile_segment::none, k * warp_lanes + arch::lane_id());
  };
  const std::int64_t origin = tile.base + first_item;
  constexpr int prefetched = max_prefetched_bytes / sizeof(typename Arguments::leaves_type::source_type::item);
  warp::prefetch_items<prefetched>(arguments.leaves.source, origin,
                                   static_cast<int>(tile.end_of(taken - 1) - first_item));
  detail::fold_tile_in_lanes(arguments, arguments.leaves.template from<thread::few_items + 1>(origin),
                             arguments.out + first, origin, own, word(0), word(1), word(2), word(3));
}

/// Which segments of a tile lanes fold alone, and how: `TakesFew`, those of few items (see above), else those of up to
/// `Tiny`, item by item.
template <class Arguments, int Tiny, bool TakesFew> struct lane_folds {
  using leaves_type = typename Arguments::leaves_type;
  static constexpr int most = TakesFew ? max_lane_items<leaves_type> : Tiny;
  struct nothing {};
  using storage = std::conditional_t<TakesFew, few_items_storage<typename Arguments::A>, nothing>;  ///< of a warp

  /// The most items of such a segment among the `taken` kept ones of a tile: only empty ones if few items lie too far
  /// apart, or if there are too few of them where others need not wait for full lanes.
  template <class Tile> __device__ static int most_of([[maybe_unused]] const Tile& tile, [[maybe_unused]] int taken) {
    if constexpr (!TakesFew) return most;
    else if (!numbers_items(tile, taken)) return 0;
    else if constexpr (may_join_full_nodes<wide_leaves<leaves_type>>) return most;
    else return tile.count_above(most) <= max_longer_of_few ? most : 0;
  }
  /// Folds those of up to `most_of_tile` items of the tile that begins with segment `first`. Calls meanwhile() on the
  /// way. All lanes call it.
  template <class Tile, class Meanwhile>
  __device__ static void fold(const Arguments& arguments, const Tile& tile, std::int64_t first,
                              [[maybe_unused]] int taken, [[maybe_unused]] int most_of_tile,
                              [[maybe_unused]] storage& own, Meanwhile meanwhile) {
    if constexpr (TakesFew) {
      if (most_of_tile > 0) fold_few_in_place(arguments, tile, first, taken, own);
      else write_empty(arguments, tile, first);
      meanwhile();  // not before: what is loaded would be kept in local memory
    } else fold_tiny_in_place<Tiny>(arguments, tile, first, meanwhile);
  }
};

}  // namespace warpfold::segmented
