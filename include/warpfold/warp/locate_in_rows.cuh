// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where the extremum of a batch lies (thread/locate.cuh): the warp folds values only, finds by votes the row and
// the lane that hold the extremum, and then its position in one chunk.
#pragma once
#include <warpfold/thread/locate.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::warp {

namespace detail {

/// The item taken of all items of a batch whose first item has number `first`. Valid in every lane.
template <class Part, int Rows, class Leaves, class V = thread::located_value<Leaves>>
__device__ thread::located<V> locate_part(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows],
                                          std::int64_t first) {
  using extremum = typename Part::extremum;
  constexpr int chunk_items = Leaves::chunk_items;
  constexpr bool keeps_values = sizeof(V) <= 4;  // two registers per row would be too many
  V values[keeps_values ? Rows : 1], best = thread::extremum_of<Part>(leaves, rows[0]);
  values[0] = best;
  WARPFOLD_UNROLL
  for (int row = 1; row < Rows; ++row) {
    const V value = thread::extremum_of<Part>(leaves, rows[row]);
    if constexpr (keeps_values) values[row] = value;
    best = extremum{}(best, value);
  }
  best = all_reduce(best, extremum{});
  // The row in which the extremum lies, and the lanes that hold it there.
  unsigned lanes = 0;
  int own_row = 0;
  typename Leaves::chunk chunk = rows[0];
  WARPFOLD_UNROLL
  for (int i = 0; i < Rows; ++i) {
    const int row = Part::takes_first ? Rows - 1 - i : i;
    bool holds = false;
    if constexpr (keeps_values) holds = Part::ties_with(values[row], best);
    else holds = thread::any_ties<Part>(leaves, rows[row], best);
    const unsigned holders = __ballot_sync(full_warp, holds);
    if (holders != 0) lanes = holders, own_row = row, chunk = rows[row];
  }
  const int lane = Part::takes_first ? __ffs(static_cast<int>(lanes)) - 1 : 31 - __clz(static_cast<int>(lanes));
  const auto found = thread::find<Part>(leaves, chunk, best);  // valid in that lane
  const int offset = (own_row * warp_lanes + arch::lane_id()) * chunk_items + found.position;
  return {warp::shuffle(found.value, lane), first + warp::shuffle(offset, lane)};
}

}  // namespace detail

/// The node over a batch of whole rows, whose first item has number `number`. All lanes call it; valid in every lane.
template <int Rows, class Leaves>
__device__ auto locate_in_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows], std::int64_t number) {
  return leaves.transform.op.assemble(
      [&](auto part) { return detail::locate_part<decltype(part)>(leaves, rows, number); }, number);
}

}  // namespace warpfold::warp
