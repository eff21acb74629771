// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of reduction by key: runs of equal keys to a key and a value each, in one launch. Blocks take tiles in order.
// Of a tile, each thread holds consecutive items; it finds heads by comparing neighbours, and folds what lies between them.
// What is complete within a warp waits in shared memory for its place, and goes out side by side; what is not is joined
// across warps, tiles and laps.
//
// A tile's place is looked up while the next one's items are on their way: until then the tiles before it have been counted,
// too, and nobody waits for long. So in a turn a block counts a tile, writes the one before, and folds the tile:
//
//   warp 0         all            warp 0     all         all      all          warp 1
//   look back for  heads      |   tell       write       fold     load         join
//   i - 1          of i       |   those      i - 1       i        i + 1        i - 1
//                          barrier
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/grid/join_tiles.cuh>
#include <warpfold/grid/lap_schedule.cuh>
#include <warpfold/grid/thread_tile.cuh>
#include <warpfold/thread/array.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

template <class Keys, class Leaves, class Op, class Equal, class OutKeys, class OutValues, class OutCount>
struct by_key_arguments {
  using key = typename Keys::item;
  using A = typename Leaves::accumulator;

  Keys keys;
  Leaves leaves;
  Op op;
  Equal equal;
  OutKeys out_keys;
  OutValues out_values;
  OutCount out_count;
  std::int64_t capacity;  ///< of the outputs; later runs are counted only
  initial_value<A> init;
  lap_schedule schedule;
  by_key_scratch<A> scratch;

  __device__ thread::run_joiner<Op, A> joiner() const { return {op}; }
  __device__ void write_key(std::int64_t run, const key& k) const {
    if (run < capacity) out_keys[static_cast<std::iter_difference_t<OutKeys>>(run)] = k;
  }
  __device__ void write_value(std::int64_t run, const A& result) const {
    if (run < capacity) out_values[static_cast<std::iter_difference_t<OutValues>>(run)] = init.join(result, op);
  }
  __device__ void write_count(std::int64_t runs) const { *out_count = static_cast<std::iter_value_t<OutCount>>(runs); }
};

/// A warp's heads, or complete runs, of the tiles that wait for their place, one after another, round and round. (Threads' own
/// are `ThreadItems` apart: the gaps keep them in different banks.)
template <class T, int ThreadItems> struct staged_runs {
  static constexpr int capacity = warp_lanes * ThreadItems;
  static constexpr bool gaps = ThreadItems > 1;
  thread::array<T, capacity + gaps * warp_lanes> slots;
  __device__ T& operator[](int place) {
    const int own = place & (capacity - 1);
    return slots[own + gaps * (own / ThreadItems)];
  }
};

/// What the warps of a block make of a tile, until it is joined with others.
template <class A, int Warps> struct tile_summary {
  thread::array<thread::open_runs<A>, Warps> runs;
  int heads[Warps];
  int all_heads;
  int before;              ///< heads of the lap before the tile
  std::int64_t lap_heads;  ///< heads of the laps before it
  std::int64_t tile;       ///< its number
  std::int64_t next;       ///< the tile after it
};

template <class Keys, class Leaves> struct by_key_storage {
  static constexpr tuning::by_key_policy policy = by_key_policy<Keys, Leaves>;
  static constexpr int warps = policy.block_threads / warp_lanes;
  static constexpr int summaries = tuning::waiting_tiles + 2;  ///< of the tile at hand, of those that wait, and, for fast warps, of the next
  using A = typename Leaves::accumulator;

  thread::array<staged_runs<typename Keys::item, policy.thread_items>, warps> keys;
  thread::array<staged_runs<A, policy.thread_items>, warps> values;
  tile_summary<A, warps> tile[summaries];
  std::int64_t lap, lap_heads;  ///< the last tile's lap; heads of those before it
};

/// Keeps the keys of the heads, the thread's first one at `place`.
template <class Tile, class Staged> __device__ void stage_keys(Staged& staged, const Tile& own, unsigned heads, int place) {
  WARPFOLD_UNROLL
  for (int k = 0; k < Tile::items; ++k)
    if (heads >> k & 1) staged[place++] = own.key(k);
}

/// Folds a warp's runs, of which `before` begin in lower lanes: those that are complete into `staged`, the first at `place`.
/// Valid in lane 0.
template <class Arguments, class Tile, class Staged, class A = typename Arguments::A>
__device__ thread::open_runs<A> fold_warp_runs(const Arguments& arguments, const Tile& own, unsigned heads, int before,
                                               Staged& staged, int place) {
  constexpr int chunk_items = decltype(own.values)::chunk_items;
  const auto joiner = arguments.joiner();
  const auto leaf = [&](int k) { return arguments.leaves.leaf(own.values.chunk_of(k), k % chunk_items); };
  const auto close = [&](int rank, const A& value) { staged[place + before + rank] = value; };
  auto runs = own.count == Tile::items ? thread::fold_runs<Tile::items, true>(joiner, leaf, heads, own.count, close)
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

template <class Keys, class Leaves, class Op, class Equal, class OutKeys, class OutValues, class OutCount>
__global__ void
__launch_bounds__(by_key_policy<Keys, Leaves>.block_threads, by_key_policy<Keys, Leaves>.blocks_per_multiprocessor)
    by_key_kernel(const __grid_constant__ by_key_arguments<Keys, Leaves, Op, Equal, OutKeys, OutValues, OutCount> arguments) {
  using storage = by_key_storage<Keys, Leaves>;
  constexpr int warps = storage::warps, summaries = storage::summaries, warp_items = warp_lanes * storage::policy.thread_items;
  auto& shared = arch::dynamic_shared<storage>();
  const auto& schedule = arguments.schedule;
  auto* const control = arguments.scratch.control;
  auto& counts = control->counts;
  const int warp = arch::uniform_warp(), lane = arch::lane_id();
  constexpr int joining_warp = warps > 1 ? 1 : 0;  // another than the one that looks back, if there is one

  if (arch::flat_thread() == 0) {
    shared.lap = shared.lap_heads = 0;
    tell_tile(shared.tile[summaries - 1], control, schedule, take_tile(control));
  }
  __syncthreads();
  std::int64_t tile = warp::shuffle(shared.tile[summaries - 1].next, 0);
  int lap = -1;
  thread_tile<Keys, Leaves> own;
  if (tile < schedule.tiles) own.load(arguments.keys, arguments.leaves.source, tile);
  int waiting = 0;  // tiles that are counted and folded, and not yet written
  int place = 0;    // where the calling warp's next runs are staged
  for (int turn = 0;; turn = turn + 1 == summaries ? 0 : turn + 1) {
    auto& now = shared.tile[turn];
    const bool has_tile = tile < schedule.tiles, enters_lap = has_tile && schedule.lap_of(tile) != lap;
    const auto before_this = [&](int turns) -> auto& { return shared.tile[turn - turns + (turn < turns ? summaries : 0)]; };
    // Of one tile, or of all that wait, the heads of warp number `lane`.
    const auto heads_of = [&](const auto& summary) { return lane < warps ? summary.heads[lane] : 0; };
    const auto heads_waiting = [&] {
      int all = 0;
      WARPFOLD_UNROLL
      for (int i = 1; i <= tuning::waiting_tiles; ++i) all += i <= waiting ? heads_of(before_this(i)) : 0;
      return all;
    };
    const auto has_room_for = [&](int more) {
      return has_tile && !enters_lap && __all_sync(full_warp, heads_waiting() + more <= warp_items);
    };
    const int waited = waiting;
    unsigned heads = 0;
    warp::heads_before before{};
    // The oldest tile's place is looked up while this one's heads are found, if it will have to make room for about as many
    // heads as the last one had.
    bool writes = waiting == tuning::waiting_tiles || (waiting > 0 && !has_room_for(heads_of(before_this(1)))), is_counted = false;
    do {
      if (warp == 0) {
        const std::int64_t taken = lane == 0 && has_tile && !is_counted ? take_tile(control) : 0;
        if (writes) find_place(before_this(waiting), counts, schedule);
        if (lane == 0 && has_tile && !is_counted) tell_tile(now, control, schedule, taken);
      }
      if (!is_counted) {
        if (has_tile) heads = own.find_heads(tile, arguments.equal);
        before = warp::count_heads(__popc(heads));
        if (lane == 0) now.heads[warp] = before.warp;
      }
      __syncthreads();
      if (!is_counted) {
        if (warp == 0 && has_tile) {
          const int tile_heads = warp::all_reduce(heads_of(now), plus{});
          if (lane == 0) {
            now.tile = tile;
            now.all_heads = tile_heads;
            if (!enters_lap) tell_heads(shared, now, counts, schedule, tile);
          }
        }
        is_counted = true;
      }
      if (writes) {
        const auto& then = before_this(waiting);
        write_warp_runs(arguments, then, heads_of(then), place - warp::shuffle(heads_waiting(), warp), shared.keys[warp], shared.values[warp]);
        --waiting;
      }
      writes = waiting > 0 && !has_room_for(heads_of(now));
    } while (writes);
    const int written = waited - waiting;
    if (has_tile) {
      __syncwarp();  // what has been written makes room
      if (before.warp > 0) stage_keys(shared.keys[warp], own, heads, place + before.lane);
      const auto runs = fold_warp_runs(arguments, own, heads, before.lane, shared.values[warp], place);
      if (lane == 0) now.runs[warp] = runs;
      place = (place + before.warp) % warp_items;
      ++waiting;
      const std::int64_t next = warp::shuffle(now.next, 0);
      if (next < schedule.tiles) own.load(arguments.keys, arguments.leaves.source, next);
    }
    if (warp == joining_warp)
      WARPFOLD_NO_UNROLL
      for (int i = 0; i < written; ++i) join_tile(arguments, before_this(waited - i));
    if (!has_tile) return;
    if (enters_lap) {
      lap = static_cast<int>(schedule.lap_of(tile));
      if (warp == 0 && lane == 0) {  // the last of the lap before may have been this block's last tile
        enter_lap(shared, arguments.scratch, lap);
        tell_heads(shared, now, counts, schedule, tile);
      }
    }
    __syncwarp();
    tile = warp::shuffle(now.next, 0);
  }
}

}  // namespace v1
}  // namespace warpfold::grid
