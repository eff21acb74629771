// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of a scan along an axis: every prefix has the bits of reduce over it, in one launch.
//
// strip_kernel, for many columns:
//
//   for each strip of neighbouring columns: down the strip, tile after tile
//     each thread scans its rows of a column, while those of the next tile are on their way
//     the nodes of the tile's threads are made in shared memory
//     all items are joined to the nodes above them: in the tile, then of earlier tiles, the lowest level first
//     results are written, and the tile's node is pushed to the binary counter of its column
//
// band_kernel, for few columns:
//
//   for each tile, bands of them from the top down, by whichever block takes it:
//     each thread scans its rows; the tile's node, of all its columns, is published
//     one warp per level looks back for the nodes of earlier tiles of the strip
//     all items are joined to the nodes above them, as before, and are written
//
// Tiles begin in order, and only wait for earlier ones, which have published their node before they wait.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/scan_counted.cuh>
#include <warpfold/axes/scan_tile.cuh>
#include <warpfold/grid/drawn_work.cuh>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Policy, class Arguments> struct strip_storage {
  using A = typename Arguments::A;
  thread::array<A, Policy::threads> nodes;
  thread::array<A, Policy::lanes * counter_levels> before;  ///< digit d of the tiles' number: from d * lanes on
  typename strip_tiles<Policy, Arguments>::stage_type stage;
};

/// Pushes the node of tile number `tile` to the binary counter of its column. Threads of the last group call it.
template <class A, class Op>
__device__ void count_tile(A* before, const tile_place& place, std::int64_t tile, A node, Op op) {
  A* own = before + place.lane;
  WARPFOLD_NO_UNROLL
  for (; tile & 1; tile >>= 1, own += place.lanes()) node = op(*own, node);
  *own = node;
}

/// Joins the items to the nodes of earlier tiles: one for each digit of the tile's number, the lowest first.
template <class A, class Before, class Items>
__device__ void push_tiles_before(const A* nodes, const tile_place& place, std::int64_t tile, Before& before,
                                  Items& items) {
  WARPFOLD_NO_UNROLL
  for (; tile != 0; tile &= tile - 1) before.push(nodes[((__ffsll(tile) - 1) << place.log_lanes) + place.lane], items);
}

/// Joins init and the nodes before the items that have not been pushed, and makes exclusive prefixes.
template <bool IsExclusive, class Arguments, class Before, class Items>
__device__ void finish(const Arguments& arguments, Before& before, Items& items) {
  if (arguments.init.exists()) before.push(arguments.init.alone(), items);
  before.finish(items);
  if constexpr (IsExclusive) items.shift(before.exists ? before.joined : arguments.first);
}

template <bool IsExclusive, class Policy, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks_per_multiprocessor)
strip_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> given) {
  const auto& arguments = with_known_items<Policy::rows>(given);
  using known_arguments = std::remove_cvref_t<decltype(arguments)>;
  using A = typename Leaves::accumulator;
  using strip_type = strip_tiles<Policy, known_arguments>;
  auto& shared = arch::dynamic_shared<strip_storage<Policy, known_arguments>>();
  const tile_place place(arguments.plan.log_lanes, arguments.plan.log_groups);
  for (std::int64_t number = blockIdx.x; number < arguments.plan.strips; number += gridDim.x) {
    strip_type strip(arguments, shared.stage, place, number);
    if constexpr (Policy::is_staged) __syncthreads();
    typename Leaves::chunk loaded[Policy::rows] = {};
    strip.load(loaded, 0);
    WARPFOLD_NO_UNROLL
    for (std::int64_t tile = 0; tile < arguments.plan.tiles; ++tile) {
      typename strip_type::items_type items{arguments.op};
      strip.take(items, loaded, tile);
      if (tile + 1 < arguments.plan.tiles) strip.load(loaded, tile + 1);
      thread::inclusive_scan(items.values, items.op, items.count);
      const A node = make_nodes(shared.nodes.data(), place, items, items.values[Policy::rows - 1]);
      warp::left_nodes<IsExclusive, A> before;
      push_groups_before(shared.nodes.data(), place, before, items);
      push_tiles_before(shared.before.data(), place, tile, before, items);
      finish<IsExclusive>(arguments, before, items);
      const bool counts = place.is_last_group() && items.is_whole();
      strip.write(items, tile);
      __syncthreads();  // all have read the nodes
      if (counts && tile + 1 < arguments.plan.tiles) count_tile(shared.before.data(), place, tile, node, items.op);
    }
  }
}

template <class Policy, class Arguments> struct band_storage {
  using A = typename Arguments::A;
  static constexpr int warps = Policy::threads / warp_lanes, rooms = least_of(warps, strip_levels);
  using row = node_row<Arguments::row_bytes>;
  thread::array<A, Policy::threads> nodes;
  thread::array<A, Policy::lanes * log_strip_window * strip_levels> before;  ///< digit d: from d * lanes on
  row published;
  row received[rooms][strip_window];
  int tile;
  typename strip_tiles<Policy, Arguments>::stage_type stage;
};

/// Looks back on the levels on which the tile completes a window (`Completing`), or does not: a warp for each level.
template <bool Completing, class Storage, class Ring, class Op>
__device__ void look_back(Storage& shared, const Ring& ring, int band, int lanes, int columns, Op op) {
  const int warp = arch::uniform_warp(), warps = static_cast<int>(blockDim.x) / warp_lanes;
  WARPFOLD_NO_UNROLL
  for (int level = warp; level < strip_levels && band >> (log_strip_window * level) != 0; level += warps)
    if (completes_window(ring, level, band) == Completing)
      look_back_at(level, ring, band, shared.received[warp], shared.before.data(), lanes, columns, op);
}

/// Scans one tile of a strip, whose ring's place it has entered or enters.
template <bool IsExclusive, class Policy, class Arguments, class Storage>
__device__ void scan_band_tile(const Arguments& arguments, Storage& shared, const tile_place& place, int strip_number,
                               int band) {
  using A = typename Arguments::A;
  using strip_type = strip_tiles<Policy, Arguments>;
  const int bands = static_cast<int>(arguments.plan.tiles);
  const auto ring = arguments.rings.of(strip_number, static_cast<int>(arguments.plan.strips), bands);
  strip_type strip(arguments, shared.stage, place, strip_number);
  if constexpr (Policy::is_staged) __syncthreads();
  typename Arguments::leaves_type::chunk loaded[Policy::rows] = {};
  strip.load(loaded, band);
  const bool publishes = arch::flat_thread() < warp_lanes;
  if (publishes) ring.enter(band);  // while the items are on their way
  typename strip_type::items_type items{arguments.op};
  strip.take(items, loaded, band);
  thread::inclusive_scan(items.values, items.op, items.count);
  const A node = make_nodes(shared.nodes.data(), place, items, items.values[Policy::rows - 1]);
  if (band + 1 < bands) {
    if (place.is_last_group()) shared.published.set(place.lane, node);
    __syncthreads();
    if (publishes) ring.nodes[ring.node_place(0, band)].publish(shared.published);
    look_back<true>(shared, ring, band, place.lanes(), strip.columns(), items.op);
  }
  warp::left_nodes<IsExclusive, A> before;
  push_groups_before(shared.nodes.data(), place, before, items);
  look_back<false>(shared, ring, band, place.lanes(), strip.columns(), items.op);
  __syncthreads();
  const unsigned departed_before = publishes ? ring.leave(band, true) : 0;
  push_tiles_before(shared.before.data(), place, band, before, items);
  finish<IsExclusive>(arguments, before, items);
  strip.write(items, band);
  if (publishes) ring.finish(band, departed_before);
}

template <bool IsExclusive, class Policy, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks_per_multiprocessor)
band_kernel(const __grid_constant__ scan_arguments<Leaves, Op, Out> given) {
  const auto& arguments = with_known_items<Policy::rows>(given);
  auto& shared = arch::dynamic_shared<band_storage<Policy, std::remove_cvref_t<decltype(arguments)>>>();
  const tile_place place(arguments.plan.log_lanes, arguments.plan.log_groups);
  const int strips = static_cast<int>(arguments.plan.strips), tiles = static_cast<int>(arguments.plan.tiles) * strips;
  const bool loops = is_counted<Out> || static_cast<int>(gridDim.x) < tiles;
  do {
    __syncthreads();  // all have read the number before, and what it shared
    if (arch::flat_thread() == 0)
      shared.tile = static_cast<int>(grid::draw_item(arguments.rings.next_tile, tiles, loops));
    __syncthreads();
    const int tile = shared.tile;
    if (tile >= tiles) return;
    const int band = tile / strips;
    scan_band_tile<IsExclusive, Policy>(arguments, shared, place, tile - band * strips, band);
  } while (loops);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
