// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans the pieces that begin in a tile: first a whole unit, if it has one, then the others, a row at a time.
#pragma once
#include <limits>
#include <warpfold/segmented_scan/look_back.cuh>
#include <warpfold/segmented_scan/row_access.cuh>
#include <warpfold/segmented_scan/row_scan.cuh>
#include <warpfold/thread/fold_chunk.cuh>

namespace warpfold::segmented_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// From inclusive prefixes to results: joins init to them, makes exclusive prefixes, and writes them.
template <bool IsExclusive, int Items, class A, class Op, class Out> struct row_writer {
  static constexpr bool is_exclusive = IsExclusive;

  Op op;
  Out out;
  std::int64_t base;          ///< item of the output that rows are counted from
  bool has_init, is_aligned;  ///< is_aligned: chunks begin at boundaries of vectors
  A init;
  A first;     ///< the first result of a run, if exclusive
  A latest{};  ///< in lane 0: the last inclusive prefix of the row before

  /// That of a part, whose rows are counted from item `base` of the output.
  template <class Arguments> __device__ static row_writer of(const Arguments& arguments, std::int64_t base) {
    row_writer writer{arguments.op,    arguments.out,  base, arguments.init.exists(), arguments.aligned_at >= 0,
                      arguments.first, arguments.first};
    if (writer.has_init) writer.init = writer.first = arguments.init.alone();
    return writer;
  }

  /// Those of a row whose bits are set in `live`, or all if it `is_whole`. They are used up. All lanes call it.
  __device__ void write(A (&values)[Items], unsigned begins, unsigned live, int row, bool is_whole = false) {
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
    if constexpr (is_finished<Out>) out.finish(values, live, base + row + arch::lane_id() * Items);
    if (is_whole) store_row(values, target_of(out), base + row);
    else store_chunk(values, live, target_of(out), base, row, is_aligned);
  }
};

/// The end of the items that wait for earlier nodes, as long as no other piece than the first one has begun.
inline constexpr int open_end = std::numeric_limits<int>::max();

/// The first item of a row in [first, end) that begins a run, or open_end. `begins` are the bits of the chunk that
/// begins at item `at`. All lanes call it.
__device__ inline int first_begin(unsigned begins, int at, int first, int end) {
  const unsigned own = begins & bits_below(end - at) & ~bits_below(first - at),
                 lanes = __ballot_sync(full_warp, own != 0);
  if (lanes == 0) return open_end;
  return __shfl_sync(full_warp, at + __ffs(static_cast<int>(own)) - 1, __ffs(static_cast<int>(lanes)) - 1);
}

/// Joins the nodes of look_back to the items [begin, end) of a part, which have waited since they were scanned, and
/// writes them. `own` is the row that lanes keep, if there is one only. All lanes of the warp call it.
template <class Scan, class Shared, class Op, class A, int Items, class Writer>
__device__ void write_waiting(Shared& shared, Op op, const lane_results<A, Items>& own, int begin, int end,
                              int units_before, bool is_unit, Writer& writer) {
  constexpr int row_items = warp_lanes * Items;
  constexpr int most = greatest_of(32 / int{sizeof(own)}, 1);  // rows at once, which share the loads of nodes
  const int lane = arch::lane_id();
  A joined{};
  if constexpr (Writer::is_exclusive || Scan::joins_late) {
    bool exists = false;
    each_node_before(units_before, shared.before, [&](const A& each) {
      joined = exists ? op(each, joined) : each;
      exists = true;
    });
    if constexpr (Writer::is_exclusive)
      if (exists) writer.first = writer.has_init ? op(writer.init, joined) : joined;
  }
  const auto* waiting = shared.waiting.data() + lane;
  WARPFOLD_NO_UNROLL
  for (int first = begin & ~(Items - 1); first < end; first += most * row_items, waiting += most * warp_lanes) {
    lane_results<A, Items> rows[most];
    unsigned live[most];
    WARPFOLD_UNROLL
    for (int r = 0; r < most; ++r) {
      const int at = first + r * row_items + lane * Items;
      live[r] = bits_below(end - at) & ~bits_below(begin - at) & chunk_runs<Items>::all;
      if constexpr (Shared::unit_rows == 1) rows[r] = own;
      else if (first + r * row_items < end) rows[r] = waiting[r * warp_lanes];
    }
    const auto push = [&](const A& node) {
      WARPFOLD_UNROLL
      for (int r = 0; r < most; ++r) WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k)
        if (thread::may_combine_missing<Op, A> || live[r] >> k & 1) rows[r].value[k] = op(node, rows[r].value[k]);
    };
    if constexpr (!Scan::joins_late) each_node_before(units_before, shared.before, push);
    else if (units_before > 0) push(joined);
    WARPFOLD_UNROLL
    for (int r = 0; r < most; ++r) {
      const int row = first + r * row_items, at = row + lane * Items;
      if (row < end) writer.write(rows[r].value, at <= begin ? 1u << (begin - at) : 0, live[r], row, is_unit);
    }
  }
}

/// `value`, which is the same in all lanes. Now the compiler knows it is, too, and does not guard the shuffles behind a
/// branch on it. All lanes of the warp call it.
__device__ inline int uniform(int value) { return __shfl_sync(full_warp, value, 0); }

/// Reads rows of a part, whose items are [begin, end) from item `base` on. In place, other warps write what lies around
/// the part: it is not even read.
template <int Levels, class Arguments>
__device__ auto reader_of(const Arguments& arguments, std::int64_t base, int begin, int end) {
  constexpr int reach = 4 << Levels;
  const bool stays = is_in_place(arguments.leaves.source, target_of(arguments.out));
  return row_reader<typename Arguments::leaves_type::source_type>::of(arguments.leaves.source, base,
                                                                      stays ? begin : -reach, stays ? end : reach);
}

/// Publishes the node of a part, which the last lane has, if it `is_published`; then gets the nodes of the units before
/// it. All lanes of the warp call it.
template <class Arguments, class Shared, class A>
__device__ void exchange_nodes(const Arguments& arguments, Shared& shared, int tile, const A& node, int units_before,
                               bool is_published) {
  if (is_published) {
    if (arch::lane_id() == warp_lanes - 1) arguments.units.publish(0, tile, node);
    arguments.units.fence();
  }
  if (units_before > 0) look_back(arguments.units, tile, units_before, is_published, shared.before, arguments.op);
}

/// Scans the parts of a tile. Results wait in shared memory if units lie before them: the tile publishes its own node
/// before it waits for others. A unit's results wait, too: its node is published before they are written. Returns the
/// number that grid::node_ring::finish takes. All lanes of the warp call it.
template <bool IsExclusive, int Levels, class Arguments, class Shared>
__device__ unsigned scan_parts(const Arguments& arguments, Shared& shared, int tile) {
  using Leaves = typename Arguments::leaves_type;
  using Op = typename Arguments::operator_type;
  using Out = typename Arguments::output_type;
  using A = typename Leaves::accumulator;
  constexpr int items = Leaves::chunk_items, row_items = warp_lanes * items;
  using scan_type = row_scan<Levels, items, A, Op>;
  const int lane = arch::lane_id();
  WARPFOLD_NO_UNROLL
  for (int number = 0;; ++number) {
    // Values that are needed behind the rows are read again there: registers are short.
    const tile_part& part = shared.parts[number];
    const int begin = uniform(part.begin), end = uniform(part.end), first_row = begin & ~(items - 1);
    const bool is_unit = uniform(part.is_unit);
    int waiting_end = is_unit || uniform(part.units_before) > 0 ? open_end : begin;
    scan_type scan{arguments.op};
    row_runs<items, decltype(shared.marks)> runs{shared.marks, begin, end, first_row};
    auto writer = row_writer<IsExclusive, items, A, Op, Out>::of(arguments, part.base);
    lane_results<A, items> result{}, waiting_row{};
    auto* waiting = shared.waiting.data() + lane;
    const auto reader = reader_of<Levels>(arguments, part.base, begin, end);
    typename Leaves::chunk next{};
    reader.load(next, first_row);
    if (number == 0) arguments.units.enter(tile);  // while the items are on their way
    WARPFOLD_NO_UNROLL
    for (int row = first_row; row < end; row += row_items) {
      const typename Leaves::chunk chunk = next;
      if (row + row_items < end) reader.load(next, row + row_items);
      auto own = chunk_runs<items>::of_node(row);
      if (!is_unit) own = runs.template next<scan_type::counts>(row);
      WARPFOLD_UNROLL
      for (int k = 0; k < items; ++k)
        if (thread::may_convert_missing<Leaves> || own.live >> k & 1) result.value[k] = arguments.leaves.leaf(chunk, k);
      scan.scan(result.value, own);

      __syncwarp();  // in place, lanes have read what others overwrite: vectors around misaligned chunks
      const int at = row + lane * items;
      unsigned live = own.live;
      if (!is_unit && waiting_end == open_end) waiting_end = first_begin(own.begins, at, begin + 1, end);
      if (row < waiting_end) {
        if constexpr (Shared::unit_rows == 1) waiting_row = result;
        else *waiting = result;
        waiting += warp_lanes;
        if (waiting_end == open_end) continue;
        live &= ~bits_below(waiting_end - at);
      }
      writer.write(result.value, own.begins, live, row);
    }
    const int units_before = uniform(part.units_before);
    const bool is_last = uniform(part.is_last);
    exchange_nodes(arguments, shared, tile, result.value[items - 1], units_before, uniform(part.is_published));
    const unsigned departed_before = is_last ? arguments.units.leave(tile) : 0;
    write_waiting<scan_type>(shared, arguments.op, waiting_row, begin, least_of(waiting_end, end), units_before,
                             is_unit, writer);
    if (is_last) return departed_before;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented_scan
