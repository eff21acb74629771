// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of a scan: every prefix has the bits of reduce over it, in one launch.
//
//   for each tile, in order, by whichever block takes it:
//     each warp loads its rows, and scans them by butterflies; warps exchange their nodes; the tile's node is published
//     a warp a level looks back: it reads the nodes of the tile's group (then groups of groups …) that lie before it
//     all items are joined to the nodes on their left, the lowest level first, and are written
//
// No prefix travels from tile to tile: blocks read nodes only, which are published as soon as their own items are
// there, or, by the last tile of a group, once the group's are. So an item waits for one trip to memory a level, and
// tiles begin in order, so that the earliest tile in flight never waits. (Decoupled look-back, Merrill and Garland
// 2016, passes prefixes on; their association depends on timing.)
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/scan/arguments.cuh>
#include <warpfold/scan/packed_rows.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/scan.cuh>
#include <warpfold/warp/scan_rows.cuh>
#include <warpfold/warp/tile_rows.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

enum class scan_kind { inclusive, exclusive };

/// Shared memory of the kernel.
template <class A, int Warps> struct scan_storage {
  static constexpr int warps = Warps;
  int tile;
  thread::array<A, Warps> warp;                 ///< the warps' nodes
  thread::array<A, levels * log_group> before;  ///< entry b: the node of bit b of the tile's number, if the bit is set
};

/// Reads the nodes of a level that lie before `tile`, and publishes the node of the group that the tile completes. One
/// warp calls it.
template <class A, class Op>
__device__ void look_back(const node_table<A>& nodes, int level, int tile, thread::array<A, levels * log_group>& before,
                          Op op) {
  const int rank = tile >> (log_group * level) & (warp_lanes - 1), group = tile >> (log_group * (level + 1));
  const bool completes = ((tile + 1) & ((1 << (log_group * (level + 1))) - 1)) == 0 && tile + 1 < nodes.tiles;
  const int needed = completes ? warp_lanes : rank;
  if (needed == 0) return;
  const A value = nodes.receive(level, group, needed);
  const A all = warp::nodes_before(value, rank, needed, op, [&](int bit, const A& node) {
    if (arch::lane_id() == 0) before[log_group * level + bit] = node;
  });
  if (completes && arch::lane_id() == 0) nodes.publish(level + 1, group, all);
}

/// Loads a warp's rows from item `first` on, of which `count` items exist, and scans them. Returns their node.
template <int Rows, class Leaves, class Op>
__device__ auto load_and_scan(const Leaves& leaves, std::int64_t first, int count,
                              packed_rows<Rows, Leaves, Op>& rows) {
  load_rows<Rows>(rows.chunks, leaves.source, first, count);
  return rows.scan(leaves);
}
template <bool Whole, int Rows, int Items, class Leaves, class Op, class A>
__device__ A load_and_scan(const Leaves& leaves, std::int64_t first, int count,
                           warp_rows<Whole, Rows, Items, A, Op>& rows) {
  typename Leaves::chunk chunks[Rows] = {};
  if (Whole || count > 0) load_rows<Rows>(chunks, leaves.source, first, count);
  rows.count = count;
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k)
    if (rows.has(row * rows.row_items + arch::lane_id() * Items + k + 1))
      rows.values[row][k] = leaves.leaf(chunks[row], k);
  return rows.scan();
}

/// Publishes the tile's node, looks back, and pushes the nodes before the tile. All threads of the block call it.
/// Returns in thread 0 what nodes.finish takes.
template <class A, class Storage, class Op, class Before, class Rows>
__device__ unsigned push_tiles_before(const node_table<A>& nodes, Storage& shared, int tile, const A& node, Op op,
                                      Before& before, Rows& rows) {
  const int warp = arch::flat_warp();
  unsigned left_before = 0;
  if (arch::flat_thread() == 0 && tile + 1 < nodes.tiles) nodes.publish(0, tile, node);
  for (int level = warp; level < levels && tile >> (log_group * level) != 0; level += Storage::warps)
    look_back(nodes, level, tile, shared.before, op);
  __syncthreads();
  if (arch::flat_thread() == 0) left_before = nodes.leave(tile);
  for (unsigned digits = static_cast<unsigned>(shared.tile); digits != 0; digits &= digits - 1)
    before.push(shared.before[__ffs(static_cast<int>(digits)) - 1], rows);
  return left_before;
}

/// Joins what is left to be joined, and writes the `count` results of a warp from item `first` on.
template <scan_kind Kind, bool Whole, int Rows, int Items, class A, class Op, class Arguments, class Before>
__device__ void write_results(const Arguments& arguments, warp_rows<Whole, Rows, Items, A, Op>& rows, Before& before,
                              std::int64_t first, int count) {
  const auto& init = arguments.init;
  if constexpr (is_run_part<A>) {
    result_t<A> results[Rows][Items] = {};
    finish_runs<Kind == scan_kind::exclusive>(rows, before.joined, init, init.exists() ? init.alone() : arguments.first,
                                              results);
    store_rows(results, arguments.out, first, count);
  } else {
    if (init.exists()) before.push(init.alone(), rows);
    before.finish(rows);
    if constexpr (Kind == scan_kind::exclusive)
      shift_rows(rows.values, before.exists ? before.joined : arguments.first);
    store_rows(rows.values, arguments.out, first, count);
  }
}
template <scan_kind Kind, int Rows, class Leaves, class Op, class Arguments, class Before>
__device__ void write_results(const Arguments& arguments, packed_rows<Rows, Leaves, Op>& rows, Before& before,
                              std::int64_t first, int count) {
  constexpr int row_items = rows.row_items;
  if (arguments.init.exists()) before.push(arguments.init.alone(), rows);
  before.finish(rows);
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    typename Leaves::accumulator results[1][Leaves::chunk_items];
    rows.template results<Kind == scan_kind::exclusive>(arguments.leaves, row, results[0]);
    store_rows(results, arguments.out, first + row * row_items, count - row * row_items);
  }
}

/// Scans one tile. `Whole`: all its items exist, or operations on missing ones do no harm.
template <bool Whole, scan_kind Kind, int Rows, int Warps, class Leaves, class Op, class Out>
__device__ void scan_tile(const scan_arguments<Leaves, Op, Out>& arguments,
                          scan_storage<typename Leaves::accumulator, Warps>& shared, int tile) {
  using A = typename Leaves::accumulator;
  using rows_type = std::conditional_t<scans_packed<Leaves, Op>, packed_rows<Rows, Leaves, Op>,
                                       warp_rows<Whole, Rows, Leaves::chunk_items, A, Op>>;
  constexpr int warp_items = rows_type::warp_items;
  const auto& nodes = arguments.nodes;
  const int warp = arch::flat_warp(), lane = arch::lane_id();
  const auto first_of = [=](int of) { return (std::int64_t{of} * Warps + warp) * warp_items; };
  const auto count_from = [&](std::int64_t first) {
    return static_cast<int>(least_of(greatest_of(arguments.leaves.source.items - first, 0), warp_items));
  };

  if (warp == 0 && nodes.tiles > nodes.tiles_without_rounds) nodes.enter(tile);  // the other warps load meanwhile
  rows_type rows{arguments.op};
  const A own = load_and_scan(arguments.leaves, first_of(tile), count_from(first_of(tile)), rows);
  if (lane == 0) shared.warp[warp] = own;
  __syncthreads();

  left_nodes<Kind == scan_kind::exclusive, A> before;
  const std::int64_t in_tile = arguments.leaves.source.items - first_of(tile) + warp * warp_items;
  const int whole_warps = Whole || in_tile >= Warps * warp_items ? Warps : static_cast<int>(in_tile) / warp_items;
  const A node = warp::nodes_before<Warps>(shared.warp[lane & (Warps - 1)], warp, whole_warps, arguments.op,
                                           [&](int, const A& each) { before.push(each, rows); });
  unsigned left_before = 0;
  if (nodes.tiles > 1) left_before = push_tiles_before(nodes, shared, tile, node, arguments.op, before, rows);

  // (The place is computed again: the compiler would keep it in registers.)
  const std::int64_t first = first_of(shared.tile);
  write_results<Kind>(arguments, rows, before, first, count_from(first));
  if (nodes.tiles > 1 && warp == 0) nodes.finish(shared.tile, left_before);
}

/// Whether operations on items that do not exist do no harm: nothing of the user's is called, and no result shows it.
template <class Leaves, class Op>
inline constexpr bool ignores_missing =
    thread::just_items<Leaves>&& thread::has_exact_identity<Op, typename Leaves::accumulator>;

/// Takes the next tile, one for each block, or number after number until there is none, if there are fewer `Blocks`.
///
/// Blocks that take more than one tile also take a number past all tiles, once each. The last number leaves zero.
__device__ inline int take_tile(scan_control* control, int tiles, bool loops) {
  return static_cast<int>(atomicInc(&control->next_tile, static_cast<unsigned>(loops ? tiles + gridDim.x : tiles) - 1));
}

/// A block for each tile, or, if `Loops`, fewer blocks, each of which takes tile after tile. (In the same kernel, the
/// loop would cost registers: the compiler keeps what does not change.)
template <scan_kind Kind, bool Loops, class Shape, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Shape::value.threads(),
                                  greatest_of(Shape::value.blocks_per_multiprocessor - Loops, 1))
scan_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> arguments) {
  constexpr int rows = Shape::value.rows, warps = Shape::value.warps;
  constexpr int tile_items = rows * warps * warp_lanes * Leaves::chunk_items;
  auto& shared = arch::dynamic_shared<scan_storage<typename Leaves::accumulator, warps>>();
  const int tiles = arguments.nodes.tiles;
  do {
    if (Loops) __syncthreads();  // all have read the number of the tile before
    if (arch::flat_thread() == 0) shared.tile = tiles > 1 ? take_tile(arguments.nodes.control, tiles, Loops) : 0;
    __syncthreads();
    const int tile = shared.tile;
    if (Loops && tile >= tiles) return;
    if (ignores_missing<Leaves, Op> || (tile + std::int64_t{1}) * tile_items <= arguments.leaves.source.items)
      scan_tile<true, Kind, rows, warps>(arguments, shared, tile);
    else if constexpr (!ignores_missing<Leaves, Op>) scan_tile<false, Kind, rows, warps>(arguments, shared, tile);
  } while (Loops && tiles > 1);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
