// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a team of lanes loads items of a segment: by whole vectors wherever the segment begins, since its neighbours'
// items can be skipped, and the order of items does not matter.
#pragma once
#include <warpfold/exact/lane_team.cuh>
#include <warpfold/segments/spans.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::exact {

/// The items of `source` in chunks of whole vectors; else one by one.
template <class T, int Items> auto in_vectors(const thread::pointer_source<T, Items>& source) {
  constexpr bool fills_vectors = sizeof(T) <= 16 && 16 % sizeof(T) == 0 && alignof(T) == sizeof(T);
  if constexpr (fills_vectors) return thread::rechunk<static_cast<int>(16 / sizeof(T))>(source);
  else return thread::iterator_source<const T*, 1>{source.data, source.items};
}
template <class It, int Items> auto in_vectors(const thread::iterator_source<It, Items>& source) {
  return thread::rechunk<1>(source);
}

/// The item at or before `first` where a chunk may begin.
template <class Source> __device__ std::int64_t chunk_begin(const Source& source, std::int64_t first) {
  return first - source.misaligned_bytes(first) / static_cast<int>(sizeof(typename Source::item));
}

/// Loads the calling lane's share of a step of its team: Items * team.lanes items from `step` on, where a chunk begins.
/// Items outside `segment` are -0, and no transform sees them.
template <class Leaves, class F, int Items>
__device__ void load_team_items(const Leaves& leaves, std::int64_t step, const segment::segment_span& segment,
                                lane_team team, F (&items)[Items]) {
  constexpr int chunk_items = Leaves::chunk_items, rows = Items / chunk_items, most = Items * warp_lanes;
  static_assert(rows * chunk_items == Items);
  const auto& source = leaves.source;
  const int row_items = team.lanes * chunk_items;
  const std::int64_t first = step + team.own_lane() * chunk_items;
  const auto from_first = [&](std::int64_t item) {
    return static_cast<int>(least_of(greatest_of(item - first, std::int64_t{0}), std::int64_t{most}));
  };
  const int begin = from_first(segment.begin), end = from_first(segment.end);
  typename Leaves::chunk chunks[rows];
  unsigned own[rows];  // bits: the items of the chunk that belong to the segment
  const bool by_vectors = chunk_items == 1 || (step >= 0 && step + rows * row_items <= source.items);
  WARPFOLD_UNROLL
  for (int row = 0; row < rows; ++row) {
    const auto before = [&](int item) { return least_of(greatest_of(item - row * row_items, 0), chunk_items); };
    own[row] = (1u << before(end)) - (1u << before(begin));
    if (by_vectors && own[row] != 0) source.load(chunks[row], first + row * row_items);
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    const int row = k / chunk_items, place = k % chunk_items;
    const bool exists = own[row] >> place & 1;
    items[k] = exists && by_vectors ? warpfold::detail::convert<F>(leaves.leaf(chunks[row], place)) : F(-0.0);
    // Vectors that reach past the input are not loaded.
    if (exists && !by_vectors)
      items[k] = warpfold::detail::convert<F>(leaves.leaf_of(source.at(first + row * row_items + place)));
  }
}

/// The items of a segment that a lane still has to load, counted from the first one of its next chunk.
struct lane_range {
  std::int64_t first;  ///< where its next chunk begins
  int begin, count;

  template <class Source>
  __device__ lane_range(const Source& source, const segment::segment_span& segment, lane_team team)
      : first(chunk_begin(source, segment.begin) + team.own_lane() * Source::chunk_items),
        begin(static_cast<int>(segment.begin - first)),
        count(static_cast<int>(segment.end - segment.begin)) {}
  __device__ bool has_more() const { return begin + count > 0; }
  __device__ bool has(int item) const { return static_cast<unsigned>(item - begin) < static_cast<unsigned>(count); }
};

/// load_team_items for a segment of less than 2^31 items, if all vectors that hold an item of it lie within the input.
/// Moves `range` on.
template <class Leaves, class F, int Items>
__device__ void load_inner_items(const Leaves& leaves, lane_range& range, lane_team team, F (&items)[Items]) {
  constexpr int chunk_items = Leaves::chunk_items, rows = Items / chunk_items;
  static_assert(rows * chunk_items == Items);
  const int row_items = team.lanes * chunk_items;
  typename Leaves::chunk chunks[rows];
  WARPFOLD_UNROLL
  for (int row = 0; row < rows; ++row) {
    const int begin = range.begin - row * row_items;
    if (begin < chunk_items && begin + range.count > 0) leaves.source.load(chunks[row], range.first + row * row_items);
  }
  WARPFOLD_UNROLL
  for (int row = 0; row < rows; ++row) {
    const auto leaf = [&](int k) { return warpfold::detail::convert<F>(leaves.leaf(chunks[row], k)); };
    const int first = row * row_items;
    const bool is_whole = range.begin <= first && range.begin + range.count >= first + chunk_items;
    if (__all_sync(full_warp, is_whole)) {
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k) items[row * chunk_items + k] = leaf(k);
    } else {
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k) items[row * chunk_items + k] = range.has(first + k) ? leaf(k) : F(-0.0);
    }
  }
  range.first += rows * row_items;
  range.begin -= rows * row_items;
}

}  // namespace warpfold::exact
