// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of a segmented scan: every prefix of a segment has the bits of reduce over it, in one launch.
//
//   segments are cut at multiples of 2^log_unit items, counted from their own first item, into units and a tail
//   for each tile of 2^log_unit items, in order, by whichever warp takes it:
//     search the first piece that begins in the tile; if it is a unit, nothing else begins there; if not, mark all
//     if it is a unit, or the last piece is one and its segment goes on: scan this unit row by row, publish its node if
//     the segment goes on, look back if other units lie before it, and write its results
//     row by row: scan the other pieces, counted from the begin of each, and write their results
//     if the first one lies behind other units of its segment: look back, and write its results only then
//
// Units come first, since others may wait for their nodes. One loop scans the rows of both, so that the kernel fits the
// instruction cache: otherwise warps at different places of the code wait for instructions.
//
// A unit begins in one tile. So a tile has between zero and twice as many items as a unit, and a long segment has one
// unit per tile, whatever lies around it. No prefix travels from tile to tile: warps read nodes only (see
// grid/node_ring.cuh), which are published before anything is waited for. Tiles begin in order, so the earliest tile in
// flight never waits.
#pragma once
#include <warpfold/arch/earlier_kernels.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/drawn_work.cuh>
#include <warpfold/segmented_scan/arguments.cuh>
#include <warpfold/segmented_scan/known_segments.cuh>
#include <warpfold/segmented_scan/look_back.cuh>
#include <warpfold/segmented_scan/owned_segments.cuh>
#include <warpfold/segmented_scan/scan_parts.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Finds the parts of the tile that has the items [first, end), at whose first item the cut is `before`. Something
/// begins there. All lanes of the warp call it.
template <class Arguments, class Shared>
__device__ void find_parts(const Arguments& arguments, Shared& shared, const piece_cut& before, std::int64_t first,
                           std::int64_t end) {
  const auto& segments = arguments.segments;
  const int log_unit = arguments.log_unit, unit_items = 1 << log_unit;
  const std::int64_t items = arguments.leaves.source.items;
  const bool leads = arch::lane_id() == 0;
  const int units_before = before.continues ? before.units_before(before.next, log_unit) : 0;
  if (before.continues && segments.goes_on_until(before, before.unit + unit_items, items)) {
    const bool goes_on = segments.goes_on_until(before, before.unit + unit_items + 1, items);
    if (leads) shared.parts[0] = {before.unit, 0, unit_items, units_before, true, goes_on, true};
  } else {
    shared.marks.clear();
    constexpr int chunk_items = Arguments::chunk_items;
    const std::int64_t base = first - ((first - greatest_of(arguments.aligned_at, 0)) & (chunk_items - 1));
    const piece_cut after = segments.mark_begins(before, base, end, log_unit, items, shared.marks);
    const bool has_unit = after.continues;
    tile_part pieces{
        base, static_cast<int>(before.next - base), static_cast<int>(after.end - base), units_before, false, false,
        true};
    if (has_unit) pieces.end -= unit_items;
    if (leads) {
      shared.parts[has_unit] = pieces;
      if (has_unit)
        shared.parts[0] = {after.unit - unit_items, 0, unit_items, 0, true, true, pieces.begin >= pieces.end};
    }
  }
  __syncwarp();
}

/// Scans the pieces that begin in one tile. Returns the number that grid::node_ring::finish takes. All lanes of a warp
/// call it.
template <bool IsExclusive, int Rows, class Arguments, class Shared>
__device__ unsigned scan_tile(const Arguments& arguments, Shared& shared, int tile) {
  constexpr int most = Rows * warp_lanes * Arguments::chunk_items;
  const auto& segments = arguments.segments;
  const std::int64_t items = arguments.leaves.source.items, first = std::int64_t{tile} << arguments.log_unit,
                     end = least_of(first + (1 << arguments.log_unit), items);
  const auto count = static_cast<int>(end - first);
  const piece_cut before = segments.cut_at(first, arguments.log_unit, items);
  // Not before the search, which would wait while items are on their way.
  warp::prefetch_items<most>(arguments.leaves.source, first, count);
  if constexpr (requires { segments.owners(); }) warp::prefetch_items<most>(segments.owners(), first, count);
  if (before.next >= end) {
    arguments.units.enter(tile);
    return arguments.units.leave(tile);
  }
  find_parts(arguments, shared, before, first, end);
  return scan_parts<IsExclusive, log2_of(most)>(arguments, shared, tile);
}

template <bool IsExclusive, class Policy, class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Policy::warps* warp_lanes, Policy::blocks_per_multiprocessor)
segmented_scan_kernel(const __grid_constant__ scan_arguments<Segments, Leaves, Op, Out> given, int given_block_tiles) {
  constexpr bool is_counted = segment::is_counted<Segments>;
  arch::wait_for_earlier_kernels();
  const auto& arguments = with_known_segments(given);
  using shared_type =
      scan_storage<typename Leaves::accumulator, Policy::rows, Leaves::chunk_items, Policy::warps, Segments::has_gaps>;
  auto& shared = arch::dynamic_shared<shared_type>();
  const auto& units = arguments.units;
  const int block_tiles = is_counted ? (units.tiles - 1) / Policy::warps + 1 : given_block_tiles;
  const bool loops = is_counted ? given.units.tiles > 1 : static_cast<int>(gridDim.x) < block_tiles;
  segment::require_order("segmented_scan", arguments.segments, arguments.leaves.source.items);
  do {
    __syncthreads();  // all have read the number before
    if (arch::flat_thread() == 0)
      shared.block_tile =
          given.units.tiles > 1 ? static_cast<int>(grid::draw_item(&units.control->next_tile, block_tiles, loops)) : 0;
    __syncthreads();
    if (shared.block_tile >= block_tiles) return;
    const int warp = arch::uniform_warp(), tile = shared.block_tile * Policy::warps + warp;
    if (tile >= units.tiles) continue;
    units.finish(tile, scan_tile<IsExclusive, Policy::rows>(arguments, shared.warp[warp], tile));
  } while (loops);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
