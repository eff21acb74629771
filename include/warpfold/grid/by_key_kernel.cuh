// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of reduction by key: runs of equal keys to a key and a value each, in one launch. Blocks take tiles in order.
// Of a tile, each thread holds consecutive items; it finds heads by comparing neighbours, and folds what lies between them.
// What is complete within a warp waits in shared memory for its place, and goes out side by side; what is not is joined
// across warps, tiles and laps.
//
// A tile's place is known once all tiles before it have been counted. So that nobody waits for long, it waits up to two turns,
// if there is room for its runs; and one warp of a block has no items, and does all that takes trips to memory:
//
//   warps with items:   heads      |   write       fold     load
//                       of i       |   i - 2       i        i + 1
//   the warp that       look back  |   tell those  join
//   serves:             for i - 2  |   of i        i - 2
//                               barrier
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/block_turns.cuh>
#include <warpfold/grid/by_key_arguments.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

/// Whether all threads of the warp have all of their items, but no more than a head: then no run begins and ends in one.
template <class Tile> __device__ bool heads_are_few(const Tile& own, unsigned heads) {
  return __all_sync(full_warp, own.count == Tile::items && (heads & (heads - 1)) == 0);
}

/// Keeps the keys of the heads, the thread's first one at `place`.
template <class Tile, class Staged> __device__ void stage_keys(Staged& staged, const Tile& own, unsigned heads, bool few, int place) {
  if (few) {
    auto key = own.key(0);
    WARPFOLD_UNROLL
    for (int k = 1; k < Tile::items; ++k)
      if (heads >> k & 1) key = own.key(k);
    if (heads != 0) staged[place] = key;
    return;
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Tile::items; ++k)
    if (heads >> k & 1) staged[place++] = own.key(k);
}

/// Folds a warp's runs, of which `before` begin in lower lanes: those that are complete into `staged`, the first at `place`.
/// Valid in lane 0.
template <class Arguments, class Tile, class Staged, class A = typename Arguments::A>
__device__ thread::open_runs<A> fold_warp_runs(const Arguments& arguments, const Tile& own, unsigned heads, bool few, int before,
                                               Staged& staged, int place) {
  constexpr int chunk_items = decltype(own.values)::chunk_items;
  const auto joiner = arguments.joiner();
  const auto leaf = [&](int k) { return arguments.leaves.leaf(own.values.chunk_of(k), k % chunk_items); };
  const auto close = [&](int rank, const A& value) { staged[place + before + rank] = value; };
  const auto drop = [](int, const A&) {};
  auto runs = few                       ? thread::fold_runs<Tile::items, true>(joiner, leaf, heads, own.count, drop)
              : own.count == Tile::items ? thread::fold_runs<Tile::items, true>(joiner, leaf, heads, own.count, close)
                                         : thread::fold_runs<Tile::items, false>(joiner, leaf, heads, own.count, close);
  runs.heads = __popc(heads);
  return warp::join_runs(joiner, runs, before, [&](int rank, const A& value) { staged[place + rank] = value; });
}

/// If `lap` is another than the last tile's, waits until those before it are done. By one thread.
template <class Storage, class A>
__device__ void enter_lap(Storage& shared, const by_key_scratch<A>& scratch, std::int64_t lap) {
  if (lap == shared.lap) return;
  while (arch::acquire(&scratch.control->laps_done) < lap) arch::pause();
  shared.lap = lap;
  shared.lap_heads = scratch.laps->heads;
}

/// Takes the next tile, or a number past all tiles.
__device__ inline std::int64_t take_tile(by_key_control* control) {
  return static_cast<std::int64_t>(atomicAdd(&control->next_tile, 1ull));
}
/// Tells the block which tile was taken. Of those that find none left, one a block, the last leaves the counter zero.
template <class Summary>
__device__ void tell_tile(Summary& now, by_key_control* control, const lap_schedule& schedule, std::int64_t tile) {
  if (tile == schedule.tiles + gridDim.x - 1) control->next_tile = 0;
  now.next = tile;
}
/// Tells other blocks how many heads the tile has, whose lap has been entered. By one thread.
template <class Storage, class Summary, class Counts>
__device__ void tell_heads(const Storage& shared, Summary& now, Counts& counts, const lap_schedule& schedule, std::int64_t tile) {
  counts.tell_own(schedule.place_of(tile), now.all_heads);
  now.lap_heads = shared.lap_heads;
}

/// Ends a lap, whose stretch is `own`, in lane 0: clears its words, and lets the next one begin; or tells what only the end of
/// all items completes. By one warp.
template <class Arguments, class A, class Op>
__device__ void finish_lap(const Arguments& arguments, std::int64_t lap, const thread::open_runs<A>& own,
                           const thread::run_joiner<Op, A>& joiner) {
  auto& control = *arguments.scratch.control;
  const bool is_last = lap == arguments.schedule.lap_of(arguments.schedule.tiles - 1);
  const int lane = arch::lane_id(), tiles = arguments.schedule.tiles_of(lap);
  control.counts.clear(tiles);
  if (lane == 0) {
    auto& laps = *arguments.scratch.laps;
    const auto all = push_lap(laps, lap, is_last, own, joiner, [&](std::int64_t run, const A& value) {
      arguments.write_value(run, value);
    });
    if (is_last) {
      arguments.write_value(laps.heads - 1, all.last);
      arguments.write_count(laps.heads);
      control.laps_done = 0;
    }
  }
  __syncwarp();
  if (lane == 0 && !is_last) arch::release(&control.laps_done, static_cast<unsigned>(lap + 1));
}

/// Joins the warps' stretches to the tile's, and that one to those of other tiles. By one warp.
template <class Arguments, int Warps, class A = typename Arguments::A>
__device__ void join_tile(const Arguments& arguments, tile_summary<A, Warps>& done) {
  const auto& schedule = arguments.schedule;
  const std::int64_t tile = warp::shuffle(done.tile, 0), lap = schedule.lap_of(tile);
  const auto joiner = arguments.joiner();
  const int lane = arch::lane_id();
  const auto close = [&](int rank, const A& value) { arguments.write_value(done.lap_heads + rank, value); };

  placed_runs<A> own{lane < Warps ? done.runs[lane] : joiner.none(), 0};
  own.before = done.before + warp::count_heads(own.runs.heads).lane;
  own.runs = warp::join_runs(joiner, own.runs, own.before, close);
  if (arrive_tile(arguments.scratch, schedule.place_of(tile), schedule.tiles_of(lap), own, joiner, close))
    finish_lap(arguments, lap, own.runs, joiner);
}

/// Writes what the calling warp has staged of a tile from `place` on: the keys of its heads, and the values of the runs that
/// are complete. `heads`: those of warp number `lane`.
template <class Arguments, class Summary, class Keys, class Values>
__device__ void write_warp_runs(const Arguments& arguments, const Summary& tile, int heads, int place, Keys& keys, Values& values) {
  const int warp = arch::uniform_warp(), lane = arch::lane_id(), own = warp::shuffle(heads, warp);
  const std::int64_t run = tile.lap_heads + tile.before + warp::all_reduce(lane < warp ? heads : 0, plus{});  // the warp's first
  for (int rank = lane; rank < own; rank += warp_lanes) {
    arguments.write_key(run + rank, keys[place + rank]);
    if (rank < own - 1) arguments.write_value(run + rank, values[place + rank]);
  }
}

/// Finds the place of a tile, and tells others. By one warp.
template <class Summary, class Counts> __device__ void find_place(Summary& tile, Counts& counts, const lap_schedule& schedule) {
  const int place = schedule.place_of(warp::shuffle(tile.tile, 0)), before = counts.before(place);
  if (arch::lane_id() == 0) {
    tile.before = before;
    counts.tell_through(place, before + tile.all_heads);
  }
}

/// What the warps with items do.
template <class Arguments, class Storage> __device__ void fold_tiles(const Arguments& arguments, block_turns<Storage> block) {
  const int warp = arch::uniform_warp(), lane = arch::lane_id();
  auto &keys = block.shared.keys[warp];
  auto &values = block.shared.values[warp];
  typename Storage::thread_tile own;
  if (block.has_tile()) own.load(arguments.keys, arguments.leaves.source, block.tile);
  for (int place = 0;;) {  // where the warp's next runs are staged
    unsigned heads = 0;
    if (block.has_tile()) heads = own.find_heads(block.tile, arguments.equal);
    const warp::heads_before before = warp::count_heads(__popc(heads));
    auto& now = block.now();
    if (lane == 0) now.heads[warp] = before.warp;
    bool writes = block.should_write();
    do {
      block.sync();
      if (writes) {
        const auto& then = block.oldest();
        write_warp_runs(arguments, then, block.heads_of(then), place - warp::shuffle(block.waiting_heads(), warp), keys, values);
        --block.waiting;
      }
      writes = block.must_write();
    } while (writes);
    if (!block.has_tile()) return;
    __syncwarp();  // what has been written makes room
    const bool few = heads_are_few(own, heads);
    if (before.warp > 0) stage_keys(keys, own, heads, few, place + before.lane);
    const auto runs = fold_warp_runs(arguments, own, heads, few, before.lane, values, place);
    if (lane == 0) now.runs[warp] = runs;
    place = (place + before.warp) % block.warp_items;
    block.end_turn();
    if (block.has_tile()) own.load(arguments.keys, arguments.leaves.source, block.tile);
  }
}

/// What the warp does that serves them.
template <class Arguments, class Storage> __device__ void serve_tiles(const Arguments& arguments, block_turns<Storage> block) {
  auto* const control = arguments.scratch.control;
  auto& counts = control->counts;
  const auto& schedule = arguments.schedule;
  const int lane = arch::lane_id();
  for (;; block.end_turn()) {
    auto& now = block.now();
    const bool has_tile = block.has_tile();
    const std::int64_t taken = lane == 0 && has_tile ? take_tile(control) : 0;
    bool writes = block.should_write(), is_counted = false;
    do {
      if (writes) find_place(block.oldest(), counts, schedule);
      if (lane == 0 && has_tile && !is_counted) tell_tile(now, control, schedule, taken);
      block.sync();
      if (has_tile && !is_counted) {
        const int tile_heads = warp::all_reduce(block.heads_of(now), plus{});
        if (lane == 0) {
          now.tile = block.tile;
          now.all_heads = tile_heads;
          if (!block.enters_lap()) tell_heads(block.shared, now, counts, schedule, block.tile);
        }
        is_counted = true;
      }
      if (writes) {
        join_tile(arguments, block.oldest());
        --block.waiting;
      }
      writes = block.must_write();
    } while (writes);
    if (!has_tile) return;
    if (block.enters_lap() && lane == 0) {  // the last of the lap before may have been this block's last tile
      enter_lap(block.shared, arguments.scratch, schedule.lap_of(block.tile));
      tell_heads(block.shared, now, counts, schedule, block.tile);
    }
  }
}

template <class Keys, class Leaves, class Op, class Equal, class OutKeys, class OutValues, class OutCount>
__global__ void
__launch_bounds__(by_key_storage<Keys, Leaves>::block_threads, by_key_policy<Keys, Leaves>.blocks_per_multiprocessor)
    by_key_kernel(const __grid_constant__ by_key_arguments<Keys, Leaves, Op, Equal, OutKeys, OutValues, OutCount> arguments) {
  using storage = by_key_storage<Keys, Leaves>;
  auto& shared = arch::dynamic_shared<storage>();
  const auto& schedule = arguments.schedule;
  auto& first = shared.tile[storage::summaries - 1];
  if (arch::flat_thread() == 0) {
    shared.lap = shared.lap_heads = 0;
    tell_tile(first, arguments.scratch.control, schedule, take_tile(arguments.scratch.control));
  }
  __syncthreads();
  const block_turns<storage> block{shared, schedule, static_cast<int>(warp::shuffle(first.next, 0))};
  if (arch::uniform_warp() < storage::warps) fold_tiles(arguments, block);
  else serve_tiles(arguments, block);
}

}  // namespace v1
}  // namespace warpfold::grid
