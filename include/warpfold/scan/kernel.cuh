// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of a scan of any number of tiles: every prefix has the bits of reduce over it, in one launch. (Few tiles
// have a faster one: quick_kernel.cuh.)
//
//   for each tile, in order, by whichever block takes it:
//     each lane scans consecutive items; warps exchange their nodes; the tile's node is published
//     each warp scans across its lanes by butterflies, while the nodes of other tiles are on their way
//     one warp per level looks back: it reads the nodes of the tile's group (of groups …) that lie before the tile
//     all items are joined to the nodes on their left, the lowest level first, and are written
//
// No prefix travels from tile to tile: blocks read nodes only. A tile publishes its node as soon as it has its items;
// the last tile of a group publishes the group's node. So an item waits for one trip to memory per level. Tiles begin
// in order, so the earliest tile in flight never waits. (Decoupled look-back, Merrill and Garland 2016, passes prefixes
// on; their association depends on timing.) How nodes travel: grid/node_ring.cuh. The items of a warp: items.cuh.
#pragma once
#include <warpfold/arch/earlier_kernels.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/drawn_work.cuh>
#include <warpfold/scan/arguments.cuh>
#include <warpfold/scan/packed_items.cuh>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

enum class scan_kind { inclusive, exclusive };

/// Shared memory of a block that scans tiles in rows.
template <class Leaves, class Op, class Out, class Shape> struct tile_storage {
  using A = typename Leaves::accumulator;
  static constexpr int rows = Shape::value.rows, warps = Shape::value.warps;
  using items = items_of_warp<true, rows, Leaves, Op>;
  static constexpr int warp_items = items::items, tile_items = warps * warp_items;
  static constexpr int publisher = warps - 1;  ///< looks back least, so it has time for a fence
  using stored = warp::stored_chunk_t<Out, result_t<A>, Leaves::chunk_items>;
  static constexpr int room_bytes = greatest_of(items::room_bytes, warp::transpose<stored, rows>::room_bytes);

  struct alignas(16) room {
    unsigned char bytes[greatest_of(room_bytes, 16)];
  };
  room rooms[warps];             ///< where a warp transposes
  thread::array<A, warps> warp;  ///< the warps' nodes
  int tile;
};

/// Shared memory of the kernel.
template <class Leaves, class Op, class Out, class Shape> struct scan_storage : tile_storage<Leaves, Op, Out, Shape> {
  /// Entry b: the node of bit b of the tile's number, if the bit is set.
  thread::array<typename Leaves::accumulator, grid::ring_levels * grid::log_window> before;
};

/// The first item of the calling warp in `tile`.
template <class Storage> __device__ std::int64_t first_item(int tile) {
  return (std::int64_t{tile} * Storage::warps + arch::flat_warp()) * Storage::warp_items;
}
/// How many items of a warp exist, of which `first` is the first one.
template <class Storage, class Leaves> __device__ int count_items(const Leaves& leaves, std::int64_t first) {
  return static_cast<int>(least_of(greatest_of(leaves.source.items - first, 0), Storage::warp_items));
}

/// Whether operations on missing items do no harm, so tiles need not be whole.
template <class Leaves, class Op>
inline constexpr bool all_are_full =
    thread::may_convert_missing<Leaves>&& thread::may_combine_missing<Op, typename Leaves::accumulator>;
template <class Storage, class Leaves, class Op, class Out>
__device__ bool is_full_tile(const scan_arguments<Leaves, Op, Out>& arguments, int tile) {
  return all_are_full<Leaves, Op> || (tile + std::int64_t{1}) * Storage::tile_items <= arguments.leaves.source.items;
}

/// Whether `tile` is the last one of its group of that level, whose node other groups need.
template <class A> __device__ bool completes_group(const tile_ring<A>& nodes, int level, int tile) {
  return ((tile + 1) & ((1 << (grid::log_window * (level + 1))) - 1)) == 0 && tile + 1 < nodes.tiles;
}

/// Looks back on a level: finds the nodes before the tile, and publishes the node of the group that the tile completes.
template <class A, class Before, class Op>
__device__ void look_back_at(int level, const tile_ring<A>& nodes, int tile, Before& before, Op op) {
  const int log = grid::log_window * level, rank = tile >> log & (warp_lanes - 1),
            group = tile >> (log + grid::log_window);
  nodes.look_back(level, rank, nodes.window_place(level, group) + arch::lane_id(), completes_group(nodes, level, tile),
                  group, op, [&](int bit, const A& node) {
                    if (arch::lane_id() == 0) before[log + bit] = node;
                  });
}
/// Looks back on the levels on which the tile completes a group (`Completing`), or does not: a warp for each level.
/// Those that it completes come first: other tiles wait for the group's node.
template <bool Completing, class A, class Storage, class Op>
__device__ void look_back(const tile_ring<A>& nodes, Storage& shared, int tile, Op op) {
  for (int level = arch::flat_warp(); level < grid::ring_levels && tile >> (grid::log_window * level) != 0;
       level += Storage::warps)
    if (completes_group(nodes, level, tile) == Completing) look_back_at(level, nodes, tile, shared.before, op);
}

/// Pushes the nodes before the tile, once all warps have looked back. All threads of the block call it. Returns in the
/// publisher's lane 0 what nodes.finish takes.
template <class A, class Storage, class Before, class Items>
__device__ unsigned push_tiles_before(const tile_ring<A>& nodes, Storage& shared, int tile, Before& before,
                                      Items& items) {
  unsigned departed_before = 0;
  __syncthreads();
  // The publisher has fenced the tile's own node. Other warps have published nodes of groups: these need a release.
  if (arch::flat_warp() == Storage::publisher) departed_before = nodes.leave(tile, completes_group(nodes, 0, tile));
  for (unsigned digits = static_cast<unsigned>(shared.tile); digits != 0; digits &= digits - 1)
    before.push(shared.before[__ffs(static_cast<int>(digits)) - 1], items);
  return departed_before;
}

/// Writes the results of a warp's items, of which `first` is the first one.
template <scan_kind Kind, class Storage, class Leaves, class Op, class Out, class Items>
__device__ void write_results(const scan_arguments<Leaves, Op, Out>& arguments, Items& items,
                              warp::left_nodes<Kind == scan_kind::exclusive, typename Leaves::accumulator>& before,
                              unsigned char* room, std::int64_t first) {
  using stored = typename Storage::stored;
  stored results[Storage::rows] = {};
  items.results(arguments, before, results);
  warp::transpose<stored, Storage::rows>::to_rows(results, room);
  warp::store_rows<Leaves::chunk_items>(results, arguments.out, first, count_items<Storage>(arguments.leaves, first));
}

/// Scans one tile. `Whole`: all its items exist, or operations on missing ones do no harm.
template <bool Whole, scan_kind Kind, class Storage, class Leaves, class Op, class Out>
__device__ void scan_tile(const scan_arguments<Leaves, Op, Out>& arguments, Storage& shared, int tile) {
  using A = typename Leaves::accumulator;
  constexpr int warps = Storage::warps;
  using items_type = items_of_warp<Whole, Storage::rows, Leaves, Op>;
  constexpr int warp_items = Storage::warp_items;
  const auto& nodes = arguments.nodes;
  const int warp = arch::flat_warp(), lane = arch::lane_id();
  unsigned char* const room = shared.rooms[warp].bytes;

  if (warp == 0) nodes.enter(tile);  // the other warps load meanwhile
  items_type items{{arguments.op}};
  const std::int64_t first = first_item<Storage>(tile);
  items.load(arguments.leaves, first, count_items<Storage>(arguments.leaves, first), room);
  const A own = items.scan_lanes(arguments.leaves);
  if (lane == 0) shared.warp[warp] = own;
  __syncthreads();
  if (tile + 1 < nodes.tiles) {  // so all items exist
    if (warp == Storage::publisher) {
      const A node = warp::reduce<warps>(shared.warp[lane & (warps - 1)], arguments.op);
      if (lane == 0) {
        nodes.publish(0, tile, node);
        arch::fence_before_arrival();
      }
    }
    look_back<true>(nodes, shared, tile, arguments.op);
  }
  items.scan_across_lanes();

  warp::left_nodes<Kind == scan_kind::exclusive, A> before;
  const std::int64_t in_tile = arguments.leaves.source.items - std::int64_t{tile} * Storage::tile_items;
  const int whole_warps = Whole || in_tile >= warps * warp_items ? warps : static_cast<int>(in_tile) / warp_items;
  warp::nodes_before<warps>(shared.warp[lane & (warps - 1)], warp, whole_warps, arguments.op,
                            [&](int, const A& each) { before.push(each, items); });
  unsigned departed_before = 0;
  if (nodes.tiles > 1) {
    look_back<false>(nodes, shared, tile, arguments.op);
    departed_before = push_tiles_before(nodes, shared, tile, before, items);
  }

  // (The place is computed again: the compiler would keep it in registers.)
  write_results<Kind, Storage>(arguments, items, before, room, first_item<Storage>(shared.tile));
  if (warp == Storage::publisher) nodes.finish(shared.tile, departed_before);
}

/// The output without the number of items that the kernel is to read there (counted_output.cuh).
template <class Out> struct uncounted {
  using output = Out;
  static constexpr bool is_counted = false;
};
/// The arguments as the host planned them, for as many items as there are.
template <int TileItems, class Arguments> __device__ const Arguments& with_counted_items(const Arguments& planned) {
  return planned;
}

/// A block for each tile. At `LowOccupancy`, one block fewer fits a multiprocessor, so each has more registers, and
/// there may be fewer blocks than tiles: these take tile after tile. (The loop costs registers, in which the compiler
/// keeps values that do not change.)
template <scan_kind Kind, bool LowOccupancy, class Shape, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Shape::value.threads(),
                                  greatest_of(Shape::value.blocks_per_multiprocessor - LowOccupancy, 1))
scan_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> planned) {
  using storage = scan_storage<Leaves, Op, typename uncounted<Out>::output, Shape>;
  constexpr bool is_counted = uncounted<Out>::is_counted;
  static_assert(LowOccupancy || !is_counted, "there may be more blocks than tiles");
  auto& shared = arch::dynamic_shared<storage>();
  arch::wait_for_earlier_kernels();
  const auto& arguments = with_counted_items<storage::tile_items>(planned);
  const int tiles = arguments.nodes.tiles;
  const bool loops = LowOccupancy && (is_counted || static_cast<int>(gridDim.x) < tiles);
  do {
    if (LowOccupancy) __syncthreads();  // all have read the number of the tile before
    int taken = 0;
    if (arch::flat_thread() == 0) {
      if (is_counted || tiles > 1)
        taken = static_cast<int>(
            grid::draw_item_in_turn(&arguments.nodes.control->next_tile, tiles, loops, arguments.first_blocks));
      shared.tile = taken;
    }
    __syncthreads();
    const int tile = shared.tile;
    if (LowOccupancy && tile >= tiles) return;
    if (is_full_tile<storage>(arguments, tile)) scan_tile<true, Kind>(arguments, shared, tile);
    else if constexpr (!all_are_full<Leaves, Op>) scan_tile<false, Kind>(arguments, shared, tile);
  } while (loops);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
