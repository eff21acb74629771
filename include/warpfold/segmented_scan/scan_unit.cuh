// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole unit: as many items as a warp's rows hold, all of one segment.
#pragma once
#include <warpfold/segmented_scan/look_back.cuh>
#include <warpfold/warp/scan_rows.cuh>
#include <warpfold/warp/tile_rows.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Scans the unit of `tile` that begins at item `first`, behind `units_before` units of its segment. If the segment
/// `continues` behind it, its node is published. If `is_last_use`, the tile needs no other nodes. All lanes of the warp
/// call it.
template <bool IsExclusive, int Rows, class Segments, class Leaves, class Op, class Out, class Shared>
__device__ void scan_unit(const scan_arguments<Segments, Leaves, Op, Out>& arguments, Shared& shared, int tile,
                          std::int64_t first, int units_before, bool continues,
                          tile_visit<typename Leaves::accumulator>& visit, bool is_last_use) {
  using A = typename Leaves::accumulator;
  constexpr int items = Leaves::chunk_items;
  using rows_type = warp::warp_rows<true, Rows, items, A, Op>;
  rows_type rows{arguments.op};
  {
    typename Leaves::chunk chunks[Rows] = {};
    warp::load_rows<Rows>(chunks, arguments.leaves.source, first, rows_type::warp_items);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k) rows.values[row][k] = arguments.leaves.leaf(chunks[row], k);
  }
  visit.enter();  // while the items are on their way
  const A node = rows.scan();
  if (continues && arch::lane_id() == 0) arguments.units.publish(0, tile, node);

  warp::left_nodes<IsExclusive, A> before;
  if (units_before > 0) {
    look_back(arguments.units, tile, units_before, continues, shared.before, arguments.op);
    each_node_before(units_before, shared.before, [&](const A& each) { before.push(each, rows); });
  }
  if (is_last_use) visit.leave();
  if (arguments.init.exists()) before.push(arguments.init.alone(), rows);
  before.finish(rows);
  if constexpr (IsExclusive) warp::shift_rows(rows.values, before.exists ? before.joined : arguments.first);
  warp::store_rows(rows.values, arguments.out, first, rows_type::warp_items);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
