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
#include <warpfold/scan/tile_access.cuh>
#include <warpfold/scan/warp_rows.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

enum class scan_kind { inclusive, exclusive };

/// Shared memory of the kernel.
template <class A, int Warps> struct scan_storage {
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

/// Makes the inclusive prefixes of a warp exclusive ones. `first` is the result of the warp's first item.
template <int Rows, int Items, class A> __device__ void shift_rows(A (&values)[Rows][Items], const A& first) {
  const int lane = arch::lane_id();
  A before = first;  // in lane 0, the result before the row
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const A rotated = warp::shuffle(values[row][Items - 1], (lane + warp_lanes - 1) & (warp_lanes - 1));
    WARPFOLD_UNROLL
    for (int k = Items - 1; k > 0; --k) values[row][k] = values[row][k - 1];
    values[row][0] = thread::choose(lane == 0, before, rotated);
    before = rotated;
  }
}

/// Scans one tile. `Whole`: all its items exist, or operations on missing ones do no harm.
template <bool Whole, scan_kind Kind, int Rows, int Warps, class Leaves, class Op, class Out>
__device__ void scan_tile(const scan_arguments<Leaves, Op, Out>& arguments,
                          scan_storage<typename Leaves::accumulator, Warps>& shared, int tile) {
  using A = typename Leaves::accumulator;
  constexpr int items = Leaves::chunk_items;
  constexpr bool is_packed = scans_packed<Leaves, Op>;
  constexpr int row_items = warp_lanes * items, warp_items = Rows * row_items;
  using rows_type = std::conditional_t<is_packed, packed_rows<Rows, Leaves, Op>, warp_rows<Whole, Rows, items, A, Op>>;
  const auto& [leaves, op, out, init, identity, nodes] = arguments;
  const int warp = arch::flat_warp(), lane = arch::lane_id();
  const std::int64_t first = (std::int64_t{tile} * Warps + warp) * warp_items, left = leaves.source.items - first;
  const int count = left < warp_items ? static_cast<int>(left < 0 ? 0 : left) : warp_items;

  if (warp == 0 && nodes.tiles > nodes.tiles_without_rounds) nodes.enter(tile);  // the other warps load meanwhile
  const auto load = [&](typename Leaves::chunk(&to)[Rows]) {
    if (Whole || count > 0) load_rows<Rows>(to, leaves.source, first, count);
  };
  auto rows = [&] {
    if constexpr (is_packed) return rows_type{{}, {}, op};
    else return rows_type{{}, op, count};
  }();
  A own;
  if constexpr (is_packed) {
    load(rows.chunks);
    own = rows.scan(leaves);
  } else {
    typename Leaves::chunk chunks[Rows] = {};
    load(chunks);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k)
      if (rows.has(row * row_items + lane * items + k + 1)) rows.values[row][k] = leaves.leaf(chunks[row], k);
    own = rows.scan();
  }

  if (lane == 0) shared.warp[warp] = own;
  __syncthreads();
  left_nodes<Kind == scan_kind::exclusive, A> before;
  const std::int64_t in_tile = left + warp * warp_items;
  const int whole_warps = Whole || in_tile >= Warps * warp_items ? Warps : static_cast<int>(in_tile) / warp_items;
  const A node = warp::nodes_before<Warps>(shared.warp[lane & (Warps - 1)], warp, whole_warps, op,
                                           [&](int, const A& each) { before.push(each, rows); });
  unsigned left_before = 0;
  if (nodes.tiles > 1) {
    if (warp == 0 && lane == 0 && tile + 1 < nodes.tiles) nodes.publish(0, tile, node);
    for (int level = warp; level < levels && tile >> (log_group * level) != 0; level += Warps)
      look_back(nodes, level, tile, shared.before, op);
    __syncthreads();
    if (warp == 0 && lane == 0) left_before = nodes.leave(tile);
    for (unsigned digits = static_cast<unsigned>(shared.tile); digits != 0; digits &= digits - 1)
      before.push(shared.before[__ffs(static_cast<int>(digits)) - 1], rows);
  }
  // (Computed again: the compiler would keep the numbers in registers.)
  const std::int64_t to = (std::int64_t{shared.tile} * Warps + warp) * warp_items;
  const int results = static_cast<int>(least_of(greatest_of(leaves.source.items - to, 0), warp_items));
  if constexpr (is_run_part<A>) {
    result_t<A> values[Rows][items] = {};
    const auto first_of_run = init.exists() ? init.alone() : identity;
    finish_runs<Kind == scan_kind::exclusive>(rows, before.joined, init, first_of_run, values);
    store_rows(values, out, to, results);
  } else if constexpr (is_packed) {
    if (init.exists()) before.push(init.alone(), rows);
    before.finish(rows);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      A values[1][items];
      rows.template results<Kind == scan_kind::exclusive>(leaves, row, values[0]);
      store_rows(values, out, to + row * row_items, results - row * row_items);
    }
  } else {
    if (init.exists()) before.push(init.alone(), rows);
    before.finish(rows);
    if constexpr (Kind == scan_kind::exclusive) shift_rows(rows.values, before.exists ? before.joined : identity);
    store_rows(rows.values, out, to, results);
  }
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
