// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans the pieces of segments that begin in a tile, a row at a time.
#pragma once
#include <warpfold/segmented_scan/look_back.cuh>
#include <warpfold/segmented_scan/row_access.cuh>
#include <warpfold/segmented_scan/row_scan.cuh>
#include <warpfold/thread/fold_chunk.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The pieces that begin in a tile, counted as its items are.
struct tile_pieces {
  int begin, end;     ///< of their items, and of gaps between them
  int units_before;   ///< units of the first piece's segment that lie before it
  bool is_published;  ///< whether the last piece is a unit, and its segment goes on behind it
};

/// From inclusive prefixes to results: joins init to them, makes exclusive prefixes, and writes them.
template <bool IsExclusive, int Items, class A, class Op, class Out> struct row_writer {
  Op op;
  Out out;
  bool is_aligned;
  bool has_init;
  A init;
  A first;     ///< the first result of a run, if exclusive
  A latest{};  ///< in lane 0: the last inclusive prefix of the row before

  /// Those of the chunk that begins at item `at` of the output, whose bits are set in `live`. All lanes call it.
  __device__ void write(lane_results<A, Items> result, unsigned begins, unsigned live, std::int64_t at) {
    auto& values = result.value;
    if (has_init) WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (live >> k & 1) values[k] = op(init, values[k]);
    if constexpr (IsExclusive) {
      const int lane = arch::lane_id();
      const A left = warp::shuffle(values[Items - 1], lane - 1);
      A before = thread::choose(lane == 0, latest, left);
      latest = left;
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) {
        const A own = values[k];
        values[k] = thread::choose((begins >> k & 1) != 0, first, before);
        before = own;
      }
    }
    store_chunk(values, live, out, at, is_aligned);
  }
};

/// Scans the pieces of a tile. Results of the first piece wait in shared memory, if units lie before it: the tile
/// publishes its own node before it waits for others. All lanes of the warp call it.
template <bool IsExclusive, int Levels, class Segments, class Leaves, class Op, class Out, class Shared, class Reader>
__device__ void scan_pieces(const scan_arguments<Segments, Leaves, Op, Out>& arguments, Shared& shared, int tile,
                            const Reader& reader, const tile_pieces& pieces,
                            tile_visit<typename Leaves::accumulator>& visit) {
  using A = typename Leaves::accumulator;
  constexpr int items = Leaves::chunk_items, row_items = warp_lanes * items;
  constexpr bool is_one_row = Shared::unit_rows == 1;
  using scan_type = row_scan<Levels, items, A, Op>;
  const int lane = arch::lane_id(), first_row = pieces.begin & ~(items - 1);
  scan_type scan{arguments.op};
  row_runs<items, decltype(shared.marks)> runs{shared.marks, pieces.begin, pieces.end, first_row};
  row_writer<IsExclusive, items, A, Op, Out> writer{
      arguments.op,    arguments.out,  arguments.aligned_at >= 0, arguments.init.exists(),
      arguments.first, arguments.first};
  if (writer.has_init) writer.init = writer.first = arguments.init.alone();
  bool is_first = pieces.units_before > 0;                 // whether the first piece waits, and no other has begun yet
  int waiting_end = is_first ? pieces.end : pieces.begin;  // of the items that wait
  lane_results<A, items> result{}, waiting_row{};
  auto* waiting = shared.waiting.data() + lane;

  typename Leaves::chunk next{};
  reader.load(next, first_row);
  visit.enter();  // while the items are on their way
  WARPFOLD_NO_UNROLL
  for (int row = first_row; row < pieces.end; row += row_items) {
    const typename Leaves::chunk chunk = next;
    if (row + row_items < pieces.end) reader.load(next, row + row_items);
    const auto own = runs.template next<scan_type::counts>(row);
    WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k)
      if (thread::just_items<Leaves> || own.live >> k & 1) result.value[k] = arguments.leaves.leaf(chunk, k);
    scan.scan(result.value, own);

    const int at = row + lane * items;
    unsigned live = own.live;
    if (is_first) {
      const unsigned others = own.begins & bits_below(pieces.end - at) & ~bits_below(pieces.begin + 1 - at);
      const unsigned beginning = __ballot_sync(full_warp, others != 0);
      if (beginning != 0) {
        waiting_end =
            __shfl_sync(full_warp, at + __ffs(static_cast<int>(others)) - 1, __ffs(static_cast<int>(beginning)) - 1);
        is_first = false;
      }
    }
    if (row < waiting_end) {
      if constexpr (is_one_row) waiting_row = result;
      else *waiting = result;
      waiting += warp_lanes;
      live &= ~bits_below(waiting_end - at);
    }
    writer.write(result, own.begins, live, reader.base + at);
  }
  if (pieces.is_published) {
    const int last = pieces.end - 1 - first_row;
    A node = result.value[0];
    WARPFOLD_UNROLL
    for (int k = 1; k < items; ++k) node = thread::choose((last & (items - 1)) == k, result.value[k], node);
    if (lane == (last / items & (warp_lanes - 1))) arguments.units.publish(0, tile, node);
  }
  if (pieces.units_before == 0) return visit.leave();

  look_back(arguments.units, tile, pieces.units_before, pieces.is_published && is_first, shared.before, arguments.op);
  visit.leave();
  A joined{};
  if constexpr (IsExclusive || scan_type::joins_late) {
    bool exists = false;
    each_node_before(pieces.units_before, shared.before, [&](const A& each) {
      joined = exists ? arguments.op(each, joined) : each;
      exists = true;
    });
    if constexpr (IsExclusive) writer.first = writer.has_init ? arguments.op(writer.init, joined) : joined;
  }
  constexpr int most_rows = is_one_row ? 1 : greatest_of(8 / items, 1);  // at once: they share the nodes' loads
  waiting = shared.waiting.data() + lane;
  WARPFOLD_NO_UNROLL
  for (int first = first_row; first < waiting_end; first += most_rows * row_items) {
    lane_results<A, items> rows[most_rows];
    unsigned live[most_rows];
    WARPFOLD_UNROLL
    for (int r = 0; r < most_rows; ++r) {
      const int at = first + r * row_items + lane * items;
      live[r] = bits_below(waiting_end - at) & ~bits_below(pieces.begin - at) & chunk_runs<items>::all;
      if constexpr (is_one_row) rows[r] = waiting_row;
      else if (first + r * row_items < waiting_end) rows[r] = waiting[r * warp_lanes];
    }
    const auto push = [&](const A& node) {
      WARPFOLD_UNROLL
      for (int r = 0; r < most_rows; ++r) WARPFOLD_UNROLL
      for (int k = 0; k < items; ++k)
        if (!scan_type::spares_missing || live[r] >> k & 1) rows[r].value[k] = arguments.op(node, rows[r].value[k]);
    };
    if constexpr (scan_type::joins_late) push(joined);
    else each_node_before(pieces.units_before, shared.before, push);
    WARPFOLD_UNROLL
    for (int r = 0; r < most_rows; ++r) {
      const int row = first + r * row_items, at = row + lane * items;
      if (row < waiting_end)
        writer.write(rows[r], at <= pieces.begin ? 1u << (pieces.begin - at) : 0, live[r], reader.base + at);
    }
    waiting += most_rows * warp_lanes;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
