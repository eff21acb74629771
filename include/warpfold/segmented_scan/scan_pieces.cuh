// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of segments that are shorter than a unit, several in a warp's rows.
#pragma once
#include <warpfold/segmented_scan/look_back.cuh>
#include <warpfold/segmented_scan/piece_rows.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/tile_rows.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Loads the first `count` items from item `first` on into the lanes' chunks of `Rows` rows, from any alignment: by the
/// vectors that hold some of the items.
template <int Rows, class Source>
__device__ void load_part(typename Source::chunk (&rows)[Rows], const Source& source, std::int64_t first, int count) {
  constexpr int items = Source::chunk_items;
  const auto each_row = [&](auto load) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int at = (row * warp_lanes + arch::lane_id()) * items;
      load(rows[row], at, least_of(count - at, items));
    }
  };
  if constexpr (requires { source.data; }) {
    using chunk = typename Source::chunk;
    const auto* const data = source.data + first;
    if constexpr (chunk::vector_bytes == 16)
      if (source.is_inside(first, first + count))
        return each_row(
            [&](chunk& to, int at, int left) { to.template load_window<arch::read_once>(data + at, left); });
    each_row([&](chunk& to, int at, int left) { to.template load<arch::read_once>(data + at, left); });
  } else each_row([&](auto& to, int at, int left) { source.load_items(to, first + at, left); });
}

/// Writes the results of the items that exist, from out[first] on, of which `count` exist.
template <int Rows, int Items, class A, class Out>
__device__ void store_part(const A (&values)[Rows][Items], const row_runs<Rows, Items>& runs, Out out,
                           std::int64_t first, int count, bool has_gaps) {
  constexpr int row_items = warp_lanes * Items;
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const int left = least_of(count - row * row_items, row_items);
    if (left <= 0) return;
    const bool is_whole = (runs.live >> (row * Items) & runs.row_mask) == runs.row_mask;
    if (!has_gaps || __all_sync(full_warp, is_whole)) {
      A own[1][Items];
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) own[0][k] = values[row][k];
      warp::store_rows(own, out, first + row * row_items, left);
    } else {
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) {
        const std::int64_t item = first + row * row_items + arch::lane_id() * Items + k;
        if constexpr (std::is_pointer_v<Out>) {
          if (runs.is_live(row, k)) out[item] = static_cast<std::remove_pointer_t<Out>>(values[row][k]);
        } else if (runs.is_live(row, k)) out[static_cast<std::ptrdiff_t>(item)] = values[row][k];
      }
    }
  }
}

/// Scans the pieces of `tile` that the `count` items from item `first` on hold. The first one lies behind
/// `units_before` units of its segment. If not `by_marks`, there is only one piece. All lanes of the warp call it.
template <bool IsExclusive, int Rows, class Segments, class Leaves, class Op, class Out, class Shared>
__device__ void scan_pieces(const scan_arguments<Segments, Leaves, Op, Out>& arguments, Shared& shared, int tile,
                            std::int64_t first, int count, int units_before, bool by_marks,
                            tile_visit<typename Leaves::accumulator>& visit) {
  using A = typename Leaves::accumulator;
  constexpr int items = Leaves::chunk_items;
  piece_rows<Rows, items, A, Op> rows{arguments.op};
  {
    typename Leaves::chunk chunks[Rows] = {};
    load_part(chunks, arguments.leaves.source, first, count);
    visit.enter();  // while the items are on their way
    if (units_before == 0) visit.leave();
    if (by_marks) rows.runs.read(shared.marks, count);
    else rows.runs.read_one(count);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k)
      if (thread::just_items<Leaves> || rows.runs.is_live(row, k))
        rows.values[row][k] = arguments.leaves.leaf(chunks[row], k);
  }
  rows.scan(shared.exchange);

  A before = arguments.first;
  if (units_before > 0) {
    look_back(arguments.units, tile, units_before, false, shared.before, arguments.op);
    bool exists = false;
    each_node_before(units_before, shared.before, [&](const A& each) {
      rows.push_to_first(each);
      if constexpr (IsExclusive) before = exists ? arguments.op(each, before) : each;
      exists = true;
    });
    visit.leave();
  }
  A begin = arguments.first;
  if (arguments.init.exists()) {
    const A init = begin = arguments.init.alone();
    rows.push(init);
    if constexpr (IsExclusive) before = units_before > 0 ? arguments.op(init, before) : init;
  }
  if constexpr (IsExclusive) rows.make_exclusive(before, begin);
  store_part(rows.values, rows.runs, arguments.out, first, count, Segments::has_gaps && by_marks);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
