// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of reduction by key: runs of equal keys to a key and a value each, in one launch. Blocks take tiles in order.
// Of a tile, each thread holds consecutive items; it finds heads by comparing neighbours, and folds what lies between them.
// What is complete within a warp waits in shared memory for its place, and goes out side by side; what is not is joined
// across warps, tiles and laps.
//
// A tile's place is known once all tiles before it have been counted. So that nobody waits for long, it waits up to two turns,
// if there is room for its runs; and one warp of a block has no items, and makes the trips to memory:
//
//   warps with items:          count the heads of i         |   write i - 2, join its warps     fold i
//   their copies:              items of i                   |   items of i + 1
//   the warp that serves:      look back for i - 2          |   join neighbours of tiles, if they are there
//                              take i + 1                   |
//                                                       barrier
//
// The last of a block's warps to have counted its heads tells other blocks, before any of them waits.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/by_key/arguments.cuh>
#include <warpfold/by_key/output_staging.cuh>
#include <warpfold/by_key/pipeline.cuh>
#include <warpfold/by_key/split_bytes.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What the calling warp finds of a tile's heads.
struct warp_heads {
  unsigned own;  ///< bit k: the lane's item k
  int before;    ///< in lower lanes
  int count;     ///< of the warp
  bool whole;    ///< whether all of the warp's items exist
  bool few;      ///< and no lane has more than a head: then no run begins and ends in one
};

template <class Tile, class Equal>
__device__ warp_heads find_heads(const Tile& own, int tile, bool whole, Equal equal) {
  const unsigned heads =
      whole ? own.template find_heads<true>(tile, equal) : own.template find_heads<false>(tile, equal);
  if (__all_sync(full_warp, whole && (heads & (heads - 1)) == 0)) {
    const unsigned lanes = __ballot_sync(full_warp, heads != 0);
    return {heads, __popc(lanes & ((1u << arch::lane_id()) - 1)), __popc(lanes), true, true};
  }
  const heads_before before = count_heads(__popc(heads));
  return {heads, before.lane, before.warp, whole, false};
}

/// Key number `index` of those from `First` on, modulo `Count`, a power of two.
template <int Count, int First = 0, class Tile> __device__ auto select_key(const Tile& own, int index) {
  if constexpr (Count == 1) return own.key(First);
  else
    return thread::choose((index & Count / 2) != 0, select_key<Count / 2, First + Count / 2>(own, index),
                          select_key<Count / 2, First>(own, index));
}

/// Keeps the keys of the heads, the thread's first one at `place`.
template <class Tile, class Staged>
__device__ void stage_keys(Staged& staged, const Tile& own, const warp_heads& heads, int place) {
  if (heads.few) {
    const auto key = select_key<Tile::items>(own, __ffs(static_cast<int>(heads.own)) - 1);
    if (heads.own != 0) staged[place] = key;
    return;
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Tile::items; ++k)
    if (heads.own >> k & 1) staged[place++] = own.key(k);
}

/// Folds a warp's runs: those that are complete into `staged`, the first at `place`. Valid in lane 0.
template <class Arguments, class Tile, class Staged, class A = typename Arguments::A>
__device__ open_runs<A> fold_warp_runs(const Arguments& arguments, const Tile& own, const warp_heads& heads,
                                       Staged& staged, int place) {
  constexpr int items = Tile::items, chunk_items = decltype(own.values)::chunk_items;
  const auto joiner = arguments.joiner();
  const auto leaf = [&](int k) { return arguments.leaves.leaf(own.values.chunk_of(k), k % chunk_items); };
  const auto split = [&](unsigned head) {
    using leaves_type = std::remove_cvref_t<decltype(arguments.leaves)>;
    if constexpr (thread::sums_bytes<leaves_type, std::remove_cvref_t<decltype(arguments.op)>>)
      return split_bytes<A>(own.values.chunks, static_cast<int>(head));
    else return fold_split<items>(joiner, leaf, head);
  };
  if (heads.whole && heads.count == 0) {
    const A all = warp::reduce(split(0).all, arguments.op);
    return {all, all, 0, true};
  }
  const auto close = [&](int rank, const A& value) { staged[place + heads.before + rank] = value; };
  const auto runs = heads.few     ? fold_one_head(split, heads.own)
                    : heads.whole ? fold_runs<items, true>(joiner, leaf, heads.own, items, close)
                                  : fold_runs<items, false>(joiner, leaf, heads.own, own.count, close);
  return join_runs(joiner, runs, {heads.before, heads.count},
                   [&](int rank, const A& value) { staged[place + rank] = value; });
}

/// If `lap` is another than the last tile's, waits until those before it are done. By one warp, all of whose lanes wait: where
/// one does alone, the compiler takes no warp for converged any more, anywhere in the kernel.
template <class Storage, class A>
__device__ void enter_lap(Storage& shared, const by_key_scratch<A>& scratch, int lap) {
  const bool has_entered = lap == warp::shuffle(shared.lap, 0);
  __syncwarp();
  if (has_entered) return;
  while (warp::shuffle(static_cast<int>(arch::acquire(&scratch.control->laps_done)), 0) < lap) arch::pause();
  if (arch::lane_id() != 0) return;
  shared.lap = lap;
  shared.lap_heads = scratch.laps->heads;
}

/// Takes the next tile, or a number past all tiles. Of those that find none left, one a block, the last leaves the counter
/// zero. (An increment, since additions of a warp's lanes would be made one, and shared by a shuffle that waits for memory.)
__device__ inline int take_tile(by_key_control* control, const lap_schedule& schedule) {
  return static_cast<int>(atomicInc(&control->next_tile, static_cast<unsigned>(schedule.tiles) + gridDim.x - 1));
}

/// Ends a lap, whose stretch is `own`, in lane 0: clears its words, and lets the next one begin; or tells what only the end of
/// all items completes. By one warp.
template <class Arguments, class A>
__device__ void finish_lap(const Arguments& arguments, int lap, const open_runs<A>& own) {
  auto& control = *arguments.scratch.control;
  const bool is_last = arguments.schedule.is_last(lap);
  const int lane = arch::lane_id(), tiles = arguments.schedule.tiles_of(lap);
  control.counts.clear(tiles);
  if (lane == 0) {
    auto& laps = *arguments.scratch.laps;
    const auto all = push_lap(laps, lap, is_last, own, arguments.joiner(),
                              [&](std::int64_t run, const A& value) { arguments.write_value(run, value); });
    if (is_last) {
      arguments.write_value(laps.heads - 1, all.last);
      arguments.write_count(laps.heads);
      control.laps_done = 0;
    }
  }
  __syncwarp();
  if (lane == 0 && !is_last) arch::release(&control.laps_done, static_cast<unsigned>(lap + 1));
}

/// Joins tiles of the lap to their neighbours, if these are there, or once they are. By one warp.
template <class Arguments, class A>
__device__ void join_neighbours(const Arguments& arguments, int lap, std::int64_t lap_heads, bool waits,
                                waiting_neighbours<A>& neighbours) {
  const auto close = [&](int rank, const A& value) { arguments.write_value(lap_heads + rank, value); };
  placed_runs<A> all{};
  if (neighbours.join(waits, arguments.schedule.is_last(lap), all, arguments.joiner(), close))
    finish_lap(arguments, lap, all.runs);
}

/// Joins the warps' stretches to the tile's, and tells that one to who joins it to others. By one warp.
template <class Arguments, int Warps, class A = typename Arguments::A>
__device__ void join_warps(const Arguments& arguments, tile_summary<A, Warps>& done) {
  const auto joiner = arguments.joiner();
  const int lane = arch::lane_id();
  placed_runs<A> own{lane < Warps ? done.runs[lane] : joiner.none(), done.before};
  heads_before heads = count_heads<Warps>(own.runs.heads);
  heads.lane += done.before;
  own.runs = join_runs<Warps>(joiner, own.runs, heads,
                              [&](int rank, const A& value) { arguments.write_value(done.lap_heads + rank, value); });
  if (lane == 0) arguments.scratch.stretches[arguments.schedule.place_of(done.tile)].tell(own);
}

/// Finds where a tile's runs go, and tells others. By one warp.
template <class Summary, class Counts> __device__ void find_place(Summary& tile, Counts& counts, int place) {
  const int before = counts.before(place);
  if (arch::lane_id() == 0) {
    tile.before = before;
    counts.tell_through(place, before + tile.all_heads());
  }
}

/// What the warps with items do.
template <class Arguments, class Storage>
__device__ void fold_tiles(const Arguments& arguments, block_turns<Storage> block) {
  const int warp = arch::uniform_warp(), lane = arch::lane_id();
  auto& stage = block.shared.stage_of(warp);
  auto& counts = arguments.scratch.control->counts;
  typename Storage::thread_tile own;
  waiting_runs staged{block.shared.keys[warp], block.shared.values[warp]};
  const auto is_staged = [&](int tile) {
    return Storage::can_stage && arguments.stages && tile < arguments.whole_tiles;
  };
  const auto start = [&](int tile) {
    if (is_staged(tile)) own.start(stage, arguments.keys, arguments.leaves.source, tile, warp);
  };
  start(block.tile);
  while (true) {
    warp_heads heads{};
    if (block.has_tile()) {
      if (is_staged(block.tile)) own.take(stage, arguments.keys, arguments.leaves.source, block.tile);
      else own.load(arguments.keys, arguments.leaves.source, block.tile);
      heads = find_heads(own, block.tile, block.tile < arguments.whole_tiles, arguments.equal);
    }
    auto& now = block.now();
    if (lane == 0) {
      now.heads[warp] = heads.count;
      now.too_many[warp] = static_cast<std::uint8_t>(staged.too_many(heads.count, block.waiting));
      const bool completes = block.has_tile() && now.count_heads(heads.count);
      if (completes && block.is_well_in_lap()) counts.tell_own(block.place(), now.all_heads());
    }
    const int least = block.least_writes();
    block.sync();
    const int next = block.next(), writes = block.writes(least);
    const bool joins = warp == Storage::warps - 1 && !block.writes_all();
    for (int done = 0; done < writes; ++done, --block.waiting) {
      if (done >= least) block.sync();
      staged.write(arguments, block.oldest(), block.heads_of(block.oldest()), block.waiting);
      if (joins) join_warps(arguments, block.oldest());
    }
    if (!block.has_tile()) return;
    start(next);
    if (heads.count > 0) stage_keys(staged.keys, own, heads, staged.place + heads.before);
    const auto runs = fold_warp_runs(arguments, own, heads, staged.values, staged.place);
    if (lane == 0) now.runs[warp] = runs;
    staged.add(heads.count);
    block.end_turn(next);
  }
}

/// What the warp does that serves them.
template <class Arguments, class Storage>
__device__ void serve_tiles(const Arguments& arguments, block_turns<Storage> block) {
  auto* const control = arguments.scratch.control;
  auto& counts = control->counts;
  const auto& schedule = arguments.schedule;
  const int lane = arch::lane_id();
  waiting_neighbours<typename Arguments::A> neighbours;
  while (true) {
    auto& now = block.now();
    const bool has_tile = block.has_tile();
    const int least = block.least_writes();
    const auto place_of_oldest = [&] { return schedule.place_of(warp::shuffle(block.oldest().tile, 0)); };
    if (least > 0) find_place(block.oldest(), counts, place_of_oldest());
    // As late as can be: who looks back waits for tiles that have been taken and not yet counted.
    if (lane == 0 && has_tile) {
      now.next = take_tile(control, schedule);
      now.tile = block.tile;
      block.following().counted = 0;
    }
    block.sync();
    const int next = block.next(), writes = block.writes(least);
    // Where there is much to write, those who look back at once, before that has gone out, slow each other down by a tenth.
    if (block.were_many) __threadfence();
    for (int done = 0;; ++done, --block.waiting) {
      const bool ends = done == writes;
      const int place = ends ? 0 : place_of_oldest(), tiles = schedule.tiles_of(block.shared.lap);
      const bool adds = !ends && neighbours.are_joined_with(place, tiles);
      if (ends || adds)
        join_neighbours(arguments, block.shared.lap, block.shared.lap_heads, adds || block.writes_all(), neighbours);
      if (ends) break;
      if (done >= least) {
        find_place(block.oldest(), counts, place);
        block.sync();
      }
      if (block.writes_all()) join_warps(arguments, block.oldest());  // nothing else is to be done, and others wait
      if (adds) neighbours.add(arguments.scratch.stretches, place, tiles);
    }
    if (!has_tile) return;
    // The last of the lap before may have been this block's last tile.
    if (block.enters_lap()) enter_lap(block.shared, arguments.scratch, block.tile >> block.log_lap);
    if (lane == 0) {
      if (!block.is_well_in_lap()) counts.tell_own(block.place(), now.all_heads());
      now.lap_heads = block.shared.lap_heads;
    }
    block.end_turn(next);
  }
}

template <class Keys, class Leaves, class Op, class Equal, class OutKeys, class OutValues, class OutCount>
__global__ void __launch_bounds__(by_key_storage<Keys, Leaves>::block_threads,
                                  policy_of<Keys, Leaves>.blocks_per_multiprocessor)
by_key_kernel(
    const __grid_constant__ by_key_arguments<Keys, Leaves, Op, Equal, OutKeys, OutValues, OutCount> arguments) {
  using storage = by_key_storage<Keys, Leaves>;
  auto& shared = arch::dynamic_shared<storage>();
  const auto& schedule = arguments.schedule;
  auto& first = shared.tile[storage::summaries - 1];
  if (arch::flat_thread() == 0) {
    shared.lap = shared.lap_heads = 0;
    shared.tile[0].counted = 0;
    first.next = take_tile(arguments.scratch.control, schedule);
  }
  __syncthreads();
  const int tile = warp::shuffle(first.next, 0);
  const block_turns<storage> block{shared, schedule.tiles, schedule.log_lap, tile,
                                   tile >> schedule.log_lap == 0 ? block_turns<storage>::well_in_lap : 0};
  if (arch::uniform_warp() < storage::warps) fold_tiles(arguments, block);
  else serve_tiles(arguments, block);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
