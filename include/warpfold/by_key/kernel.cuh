// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of reduction by key: a key and a value for each run of equal keys, in one launch.
//
//   for each tile, in order, by whichever block takes it:
//     each thread holds consecutive items, flags the heads of runs by comparing neighbours, and folds between heads
//     complete runs of a warp are staged in shared memory; carries are joined across lanes, warps, tiles and epochs
//     look-back tells where the tile's runs are written (Merrill and Garland 2016); then they are written, coalesced
//
// The place of a tile is known once all earlier tiles are counted. To hide that latency, a block is a pipeline. A tile
// is written up to two steps after it is folded, as long as its outputs have room. One warp has no items; it makes the
// trips to memory:
//
//   warps with items:          count the heads of i         |   write i - 2, join its warps     fold i
//   their copies:              items of i                   |   items of i + 1
//   the look-back warp:        look back for i - 2          |   join neighbouring tiles whose carries have arrived
//                              draw i + 1                   |
//                                                       barrier
//
// The last warp of a block to count its heads publishes the tile's count, before any warp waits.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/by_key/arguments.cuh>
#include <warpfold/by_key/counted_outputs.cuh>
#include <warpfold/by_key/output_staging.cuh>
#include <warpfold/by_key/pipeline.cuh>
#include <warpfold/by_key/split_sums.cuh>
#include <warpfold/grid/drawn_work.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The heads of a tile that the calling warp has found.
struct warp_heads {
  unsigned own;  ///< bit k: whether the lane's item k is a head
  int before;    ///< heads in lower lanes
  int count;     ///< heads of the warp
  bool whole;    ///< whether all of the warp's items exist
  bool few;      ///< whether also no lane has more than one head, so no run begins and ends within a lane
};

template <class Tile, class Schedule, class Equal>
__device__ warp_heads find_heads(const Tile& own, const Schedule& schedule, int tile, bool whole, Equal equal) {
  const unsigned heads = whole ? own.template find_heads<true>(schedule, tile, equal)
                               : own.template find_heads<false>(schedule, tile, equal);
  if (__all_sync(full_warp, whole && (heads & (heads - 1)) == 0)) {
    const unsigned lanes = __ballot_sync(full_warp, heads != 0);
    return {heads, __popc(lanes & ((1u << arch::lane_id()) - 1)), __popc(lanes), true, true};
  }
  const heads_before before = count_heads(__popc(heads));
  return {heads, before.lane, before.warp, whole, false};
}

/// Key number `First` + `index` % `Count` of the thread, Count a power of two: a selection that stays in registers.
template <int Count, int First = 0, class Tile> __device__ auto select_key(const Tile& own, int index) {
  if constexpr (Count == 1) return own.key(First);
  else
    return thread::choose((index & Count / 2) != 0, select_key<Count / 2, First + Count / 2>(own, index),
                          select_key<Count / 2, First>(own, index));
}

/// Stages the keys of the heads, the thread's first one at `place`.
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

/// Folds a warp's runs. Complete runs go into `staged`, the first at `place`. The warp's carry is valid in lane 0.
template <class Arguments, class Tile, class Staged, class A = typename Arguments::A>
__device__ run_carry<A> fold_warp_runs(const Arguments& arguments, const Tile& own, const warp_heads& heads,
                                       Staged& staged, int place) {
  constexpr int items = Tile::items, chunk_items = decltype(own.values)::chunk_items;
  using schedule = std::remove_cvref_t<decltype(arguments.schedule)>;
  const auto joiner = arguments.joiner();
  const auto leaf = [&](int k) { return arguments.leaves.leaf(own.values.chunk_of(k), k % chunk_items); };
  const auto split = [&](unsigned head) {
    using leaves_type = std::remove_cvref_t<decltype(arguments.leaves)>;
    if constexpr (thread::sums_packed<leaves_type, std::remove_cvref_t<decltype(arguments.op)>>)
      return split_sums<A>(own.values.chunks, static_cast<int>(head));
    else return fold_split<items>(joiner, leaf, head);
  };
  if (heads.whole && heads.count == 0) {
    const A all = warp::reduce(split(0).all, arguments.op);
    return {all, all, 0, true};
  }
  const auto close = [&](int rank, const A& value) { staged[place + heads.before + rank] = value; };
  const auto runs = heads.few ? fold_one_head(split, heads.own)
                    : heads.whole
                        ? fold_runs<items, true>(joiner, leaf, heads.own, items, close)
                        : fold_runs<items, false>(joiner, leaf, heads.own, own.template items_through<schedule>(),
                                                  close, own.template items_before<schedule>());
  return join_carries(joiner, runs, {heads.before, heads.count},
                      [&](int rank, const A& value) { staged[place + rank] = value; });
}

/// Waits until all earlier epochs are done, if `epoch` is not that of the last tile. All lanes of one warp call it.
template <class Storage, class A>
__device__ void enter_epoch(Storage& shared, const by_key_scratch<A>& scratch, int epoch) {
  const bool has_entered = epoch == warp::shuffle(shared.epoch, 0);
  __syncwarp();
  if (has_entered) return;
  const auto earlier = finished_epochs::wait(&scratch.control->finished, epoch);
  if (arch::lane_id() != 0) return;
  shared.epoch = epoch;
  shared.heads_before_epoch = earlier.heads;
}

/// Draws the block's next tile, or a number past all tiles.
template <class Schedule> __device__ int draw_tile(by_key_control* control, const Schedule& schedule) {
  return schedule.first_tile +
         static_cast<int>(grid::draw_item(&control->next_tile, schedule.tiles - schedule.first_tile, true));
}

/// Ends an epoch, whose carry is `own` in lane 0, and which `before` heads precede. It clears the words of the epoch,
/// and lets the next one begin. After the last epoch, it writes the last run and the number of runs. One warp calls it.
template <class Arguments, class A>
__device__ void finish_epoch(const Arguments& arguments, int epoch, std::int64_t before, const run_carry<A>& own) {
  auto& control = *arguments.scratch.control;
  const bool is_last = arguments.schedule.is_last(epoch);
  control.counts.clear_groups(arguments.schedule.tiles_of(epoch));
  __syncwarp();
  if (arch::lane_id() != 0) return;
  const std::int64_t heads = before + own.heads;
  const auto all = push_epoch(
      *arguments.scratch.epochs, epoch, is_last, own, before, arguments.joiner(),
      [&](std::int64_t run, const A& value) { arguments.write_value(run, value); }, arguments.schedule.first_epoch());
  if (!is_last) return finished_epochs{epoch + 1, heads}.release(&control.finished);
  arguments.write_value(heads - 1, all.last);
  arguments.write_count(heads);
  if (epoch > arguments.schedule.first_epoch()) arch::publish(&control.finished, arch::message{});
}

/// Joins the pending group of tiles if their carries have arrived; if `waits`, once they have. One warp calls it.
template <class Arguments, class A>
__device__ void join_neighbours(const Arguments& arguments, int epoch, std::int64_t heads_before_epoch, bool waits,
                                pending_join<A>& neighbours) {
  const auto close = [&](int rank, const A& value) { arguments.write_value(heads_before_epoch + rank, value); };
  placed_carry<A> all{};
  if (neighbours.join(waits, arguments.schedule, epoch, arguments.scratch.control->counts, all, arguments.joiner(),
                      close))
    finish_epoch(arguments, epoch, heads_before_epoch, all.runs);
}

/// Joins the warps' carries to the tile's carry, and sends that to the warp that joins the tile's group. One warp calls
/// it.
template <class Arguments, int Warps, class A = typename Arguments::A>
__device__ void join_warps(const Arguments& arguments, tile_summary<A, Warps>& done) {
  const auto joiner = arguments.joiner();
  const int lane = arch::lane_id();
  placed_carry<A> own{lane < Warps ? done.runs[lane] : joiner.none(), done.before};
  heads_before heads = count_heads<Warps>(own.runs.heads);
  heads.lane += done.before;
  own.runs = join_carries<Warps>(joiner, own.runs, heads, [&](int rank, const A& value) {
    arguments.write_value(done.heads_before_epoch + rank, value);
  });
  if (lane == 0) arguments.scratch.carries[arguments.schedule.place_of(done.tile)].send(own);
}

/// The steps of the warps with items.
template <class Arguments, class Storage>
__device__ void fold_tiles(const Arguments& arguments, pipeline<Storage> block) {
  const int warp = arch::uniform_warp(), lane = arch::lane_id();
  auto& stage = block.shared.stage_of(warp);
  auto& counts = arguments.scratch.control->counts;
  const auto& schedule = arguments.schedule;
  typename Storage::thread_tile own;
  auto& keys = block.shared.keys[warp];
  auto& values = block.shared.values[warp];
  output_staging<std::remove_reference_t<decltype(keys)>, std::remove_reference_t<decltype(values)>> staged{keys,
                                                                                                            values};
  const auto is_staged = [&](int tile) { return Storage::can_stage && arguments.stages && arguments.is_whole(tile); };
  const auto start = [&](int tile) {
    if (is_staged(tile)) own.start(stage, arguments.keys, arguments.leaves.source, schedule, tile, warp);
  };
  start(block.tile);
  while (true) {
    warp_heads heads{};
    if (block.has_tile()) {
      if (is_staged(block.tile)) own.take(stage, arguments.keys, arguments.leaves.source, schedule, block.tile);
      else own.load(arguments.keys, arguments.leaves.source, schedule, block.tile);
      heads = find_heads(own, schedule, block.tile, arguments.is_whole(block.tile), arguments.equal);
    }
    auto& now = block.now();
    if (lane == 0) {
      now.heads[warp] = heads.count;
      now.required_writes[warp] = static_cast<std::uint8_t>(staged.required_writes(heads.count, block.in_flight));
      const bool completes = block.has_tile() && now.count_heads(heads.count);
      if (completes && block.knows_previous_epoch_done())
        publish_heads(counts, schedule, block.tile, block.place(), now.all_heads());
    }
    const int least = block.min_writes();
    block.sync();
    const int next = block.next(), writes = block.writes(least);
    const bool joins = warp == Storage::warps - 1 && !block.must_drain();
    for (int done = 0; done < writes; ++done, --block.in_flight) {
      if (done >= least) block.sync();
      staged.write(arguments, block.oldest(), block.heads_of(block.oldest()), block.in_flight);
      if (joins) join_warps(arguments, block.oldest());
    }
    if (!block.has_tile()) return;
    start(next);
    if (heads.count > 0) stage_keys(staged.keys, own, heads, staged.place + heads.before);
    const auto runs = fold_warp_runs(arguments, own, heads, staged.values, staged.place);
    if (lane == 0) now.runs[warp] = runs;
    staged.add(heads.count);
    block.end_step(next);
  }
}

/// The steps of the look-back warp.
template <class Arguments, class Storage>
__device__ void serve_tiles(const Arguments& arguments, pipeline<Storage> block) {
  auto* const control = arguments.scratch.control;
  auto& counts = control->counts;
  const auto& schedule = arguments.schedule;
  const int lane = arch::lane_id();
  pending_join<typename Arguments::A> neighbours;
  while (true) {
    auto& now = block.now();
    const bool has_tile = block.has_tile();
    const int least = block.min_writes();
    const auto tile_of_oldest = [&] { return warp::shuffle(block.oldest().tile, 0); };
    if (least > 0) find_place(block.oldest(), counts, schedule, tile_of_oldest());
    // As late as possible: a look-back waits for every tile that is drawn and not yet counted.
    if (lane == 0 && has_tile) {
      now.next = draw_tile(control, schedule);
      now.tile = block.tile;
      block.following().counted = 0;
    }
    block.sync();
    const int next = block.next(), writes = block.writes(least);
    // If much is written, look-backs that do not wait for the writes slow each other down by a tenth.
    if (block.was_full) __threadfence();
    for (int done = 0;; ++done, --block.in_flight) {
      const bool ends = done == writes;
      const int tile = ends ? 0 : tile_of_oldest(), place = schedule.place_of(tile),
                tiles = schedule.tiles_of(block.shared.epoch);
      const bool adds = !ends && neighbours.completes_group(place, tiles);
      if (ends || adds)
        join_neighbours(arguments, block.shared.epoch, block.shared.heads_before_epoch, adds || block.must_drain(),
                        neighbours);
      if (ends) break;
      if (done >= least) {
        find_place(block.oldest(), counts, schedule, tile);
        block.sync();
      }
      if (block.must_drain()) join_warps(arguments, block.oldest());  // there is no other work, and other blocks wait
      if (adds) neighbours.add(arguments.scratch.carries, place, tiles);
    }
    if (!has_tile) return;
    // The last tile of the epoch before may have been this block's previous tile.
    if (block.enters_epoch()) enter_epoch(block.shared, arguments.scratch, block.tile >> block.log_epoch);
    if (lane == 0) {
      if (!block.knows_previous_epoch_done())
        publish_heads(counts, schedule, block.tile, block.place(), now.all_heads());
      now.heads_before_epoch = block.shared.heads_before_epoch;
    }
    block.end_step(next);
  }
}

template <class Keys, class Leaves, class Op, class Equal, class Outputs, class Schedule = tile_epochs>
__global__ void __launch_bounds__(by_key_storage<Keys, Leaves>::block_threads,
                                  policy_of<Keys, Leaves>.blocks_per_multiprocessor)
by_key_kernel(const __grid_constant__ by_key_arguments<Keys, Leaves, Op, Equal, Outputs, Schedule> given) {
  using storage = by_key_storage<Keys, Leaves>;
  const auto& arguments = with_known_items(given);
  if constexpr (is_counted<Outputs>)
    if (arguments.schedule.tiles == 0) {
      if (blockIdx.x == 0 && arch::flat_thread() == 0) arguments.write_count(0);
      return;
    }
  auto& shared = arch::dynamic_shared<storage>();
  const auto& schedule = arguments.schedule;
  auto& first = shared.tile[storage::summaries - 1];
  if (arch::flat_thread() == 0) {
    shared.epoch = schedule.first_epoch();
    shared.heads_before_epoch = 0;
    shared.tile[0].counted = 0;
    first.next = draw_tile(arguments.scratch.control, schedule);
  }
  __syncthreads();
  const int tile = warp::shuffle(first.next, 0);
  const pipeline<storage> block{
      shared, schedule.tiles, schedule.log_epoch, tile,
      schedule.epoch_of(tile) == schedule.first_epoch() ? pipeline<storage>::tiles_until_known : 0};
  if (arch::uniform_warp() < storage::warps) fold_tiles(arguments, block);
  else serve_tiles(arguments, block);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
