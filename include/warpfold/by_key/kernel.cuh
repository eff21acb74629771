// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction by key in one launch: each run of equal keys gives a key and a value.
//
// Input: keys k[0..n), values v[0..n). A *head* is an item i with i = 0 or k[i-1] != k[i]. Each head begins a run.
//
//   1. A persistent block takes the next tile, in order. Each thread holds consecutive items of it.
//   2. Count: each thread compares neighbouring keys; a warp's heads are summed, then the block's. The last warp to be
//      counted publishes the tile's aggregate, before any warp waits.
//   3. Fold: each thread folds its items between heads, and each warp joins its lanes. Runs that are complete within a
//      warp are staged in shared memory. The open ends are the warp's *run carry*.
//   4. Look back: the number of heads before the tile comes from the tiles before it, by the decoupled look-back of
//      Merrill and Garland 2016. It is the place of the tile's first head in the output.
//   5. Write: the staged keys and values go to consecutive places.
//   6. Join: carries are joined across warps, tiles and epochs in the canonical tree's order. The join that completes a
//      run writes its value. (Only counts travel by look-back: its order of additions depends on timing.)
//
// So that no warp waits for long in step 4, a tile stays in flight for up to two steps of the pipeline while the block
// folds others. A *service warp*, which holds no items, makes all round trips to memory. For tile i a block does:
//
//   warps with items:     count the heads of i          |   write i - 2, join its warps     fold i
//   asynchronous copies:  items of i                    |   items of i + 1
//   service warp:         look back for i - 2           |   join a window of tiles, if their carries have arrived
//                         take tile i + 1               |
//                                                   barrier
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/by_key/arguments.cuh>
#include <warpfold/by_key/output_staging.cuh>
#include <warpfold/by_key/pipeline.cuh>
#include <warpfold/by_key/split_bytes.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A warp's heads of a tile, as the calling lane sees them.
struct warp_heads {
  unsigned own;  ///< bit k: the lane's item k is a head
  int before;    ///< the number of heads in lower lanes
  int count;     ///< the number of heads of the warp
  bool whole;    ///< whether all of the warp's items exist
  bool few;      ///< whether also no lane has more than one head: then no run begins and ends within a lane
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

/// Key number `index` modulo `Count`, a power of two, of the keys from number `First` on.
template <int Count, int First = 0, class Tile> __device__ auto select_key(const Tile& own, int index) {
  if constexpr (Count == 1) return own.key(First);
  else
    return thread::choose((index & Count / 2) != 0, select_key<Count / 2, First + Count / 2>(own, index),
                          select_key<Count / 2, First>(own, index));
}

/// Stages the keys of the lane's heads, the first one at `place`.
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

/// Folds a warp's runs. The values of complete runs are staged, of the warp's first head at `place`. Returns the warp's
/// carry; valid in lane 0.
template <class Arguments, class Tile, class Staged, class A = typename Arguments::A>
__device__ run_carry<A> fold_warp_runs(const Arguments& arguments, const Tile& own, const warp_heads& heads,
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
  const auto carry = heads.few     ? fold_one_head(split, heads.own)
                     : heads.whole ? fold_runs<items, true>(joiner, leaf, heads.own, items, close)
                                   : fold_runs<items, false>(joiner, leaf, heads.own, own.count, close);
  return join_run_carries(joiner, carry, {heads.before, heads.count},
                          [&](int rank, const A& value) { staged[place + rank] = value; });
}

/// If the block's last tile was of another epoch than `epoch`, waits until all epochs before it are done. By one warp,
/// all of whose lanes wait: if one lane waits alone, nvcc takes no warp of the kernel for converged any more.
template <class Storage, class A>
__device__ void enter_epoch(Storage& shared, const by_key_scratch<A>& scratch, int epoch) {
  const bool has_entered = epoch == warp::shuffle(shared.epoch, 0);
  __syncwarp();
  if (has_entered) return;
  while (warp::shuffle(static_cast<int>(arch::acquire(&scratch.control->epochs_done)), 0) < epoch) arch::pause();
  if (arch::lane_id() != 0) return;
  shared.epoch = epoch;
  shared.heads_before_epoch = scratch.epochs->heads;
}

/// Takes the next tile, or a number past all tiles. Each block takes one such number; the last one to do so leaves the
/// counter at zero. (By an increment: nvcc merges the additions of a warp, and shares the sum by a shuffle that waits.)
__device__ inline int take_tile(by_key_control* control, const tile_epochs& epochs) {
  return static_cast<int>(atomicInc(&control->next_tile, static_cast<unsigned>(epochs.tiles) + gridDim.x - 1));
}

/// Ends an epoch, whose carry is `own` in lane 0: clears its words and lets the next epoch begin. The end of the last
/// epoch completes the last run. By one warp.
template <class Arguments, class A>
__device__ void finish_epoch(const Arguments& arguments, int epoch, const run_carry<A>& own) {
  auto& control = *arguments.scratch.control;
  const bool is_last = arguments.epochs.is_last(epoch);
  const int lane = arch::lane_id(), tiles = arguments.epochs.tiles_in(epoch);
  control.counts.clear(tiles);
  if (lane == 0) {
    auto& epochs = *arguments.scratch.epochs;
    const auto all = push_epoch(epochs, epoch, is_last, own, arguments.joiner(),
                                [&](std::int64_t run, const A& value) { arguments.write_value(run, value); });
    if (is_last) {
      arguments.write_value(epochs.heads - 1, all.last);
      arguments.write_count(epochs.heads);
      control.epochs_done = 0;
    }
  }
  __syncwarp();
  if (lane == 0 && !is_last) arch::release(&control.epochs_done, static_cast<unsigned>(epoch + 1));
}

/// Joins the pending window of tiles if its carries have arrived; if `waits`, it waits for them. By one warp.
template <class Arguments, class A>
__device__ void join_window(const Arguments& arguments, int epoch, std::int64_t heads_before_epoch, bool waits,
                            pending_window<A>& window) {
  const auto close = [&](int rank, const A& value) { arguments.write_value(heads_before_epoch + rank, value); };
  placed_carry<A> all{};
  if (window.join(waits, arguments.epochs.is_last(epoch), all, arguments.joiner(), close))
    finish_epoch(arguments, epoch, all.carry);
}

/// Joins the carries of a tile's warps, and publishes the tile's carry. By one warp.
template <class Arguments, int Warps, class A = typename Arguments::A>
__device__ void join_warp_carries(const Arguments& arguments, tile_summary<A, Warps>& done) {
  const auto joiner = arguments.joiner();
  const int lane = arch::lane_id();
  placed_carry<A> own{lane < Warps ? done.carries[lane] : joiner.none(), done.before};
  heads_before heads = count_heads<Warps>(own.carry.heads);
  heads.lane += done.before;
  own.carry = join_run_carries<Warps>(joiner, own.carry, heads, [&](int rank, const A& value) {
    arguments.write_value(done.heads_before_epoch + rank, value);
  });
  if (lane == 0) arguments.scratch.carries[arguments.epochs.slot_of(done.tile)].publish(own);
}

/// Finds the number of heads before a tile of the epoch, and publishes the inclusive prefix. By one warp.
template <class Summary, class Counts> __device__ void look_back(Summary& tile, Counts& counts, int slot) {
  const int before = counts.before(slot);
  if (arch::lane_id() == 0) {
    tile.before = before;
    counts.publish_inclusive_prefix(slot, before + tile.all_heads());
  }
}

/// The part of the warps with items.
template <class Arguments, class Storage>
__device__ void fold_tiles(const Arguments& arguments, by_key_pipeline<Storage> pipeline) {
  const int warp = arch::uniform_warp(), lane = arch::lane_id();
  auto& stage = pipeline.shared.stage_of(warp);
  auto& counts = arguments.scratch.control->counts;
  typename Storage::thread_tile own;
  output_staging staged{pipeline.shared.keys[warp], pipeline.shared.values[warp]};
  const auto is_copied = [&](int tile) {
    return Storage::can_stage && arguments.stages && tile < arguments.whole_tiles;
  };
  const auto start_copy = [&](int tile) {
    if (is_copied(tile)) own.start_copy(stage, arguments.keys, arguments.leaves.source, tile, warp);
  };
  start_copy(pipeline.tile);
  while (true) {
    warp_heads heads{};
    if (pipeline.has_tile()) {
      if (is_copied(pipeline.tile)) own.finish_copy(stage, arguments.keys, arguments.leaves.source, pipeline.tile);
      else own.load(arguments.keys, arguments.leaves.source, pipeline.tile);
      heads = find_heads(own, pipeline.tile, pipeline.tile < arguments.whole_tiles, arguments.equal);
    }
    auto& current = pipeline.current();
    if (lane == 0) {
      current.heads[warp] = heads.count;
      current.required_writes[warp] =
          static_cast<std::uint8_t>(staged.required_writes(heads.count, pipeline.in_flight));
      const bool is_last_warp = pipeline.has_tile() && current.count_heads(heads.count);
      if (is_last_warp && pipeline.is_well_in_epoch()) counts.publish_aggregate(pipeline.slot(), current.all_heads());
    }
    const int least = pipeline.min_writes();
    pipeline.sync();
    const int next = pipeline.next(), writes = pipeline.writes(least);
    const bool joins = warp == Storage::warps - 1 && !pipeline.must_drain();
    for (int done = 0; done < writes; ++done, --pipeline.in_flight) {
      if (done >= least) pipeline.sync();
      staged.write(arguments, pipeline.oldest(), pipeline.heads_of(pipeline.oldest()), pipeline.in_flight);
      if (joins) join_warp_carries(arguments, pipeline.oldest());
    }
    if (!pipeline.has_tile()) return;
    start_copy(next);
    if (heads.count > 0) stage_keys(staged.keys, own, heads, staged.place + heads.before);
    const auto carry = fold_warp_runs(arguments, own, heads, staged.values, staged.place);
    if (lane == 0) current.carries[warp] = carry;
    staged.add(heads.count);
    pipeline.advance(next);
  }
}

/// The part of the service warp.
template <class Arguments, class Storage>
__device__ void serve_tiles(const Arguments& arguments, by_key_pipeline<Storage> pipeline) {
  auto* const control = arguments.scratch.control;
  auto& counts = control->counts;
  const auto& epochs = arguments.epochs;
  const int lane = arch::lane_id();
  pending_window<typename Arguments::A> window;
  while (true) {
    auto& current = pipeline.current();
    const bool has_tile = pipeline.has_tile();
    const int least = pipeline.min_writes();
    const auto slot_of_oldest = [&] { return epochs.slot_of(warp::shuffle(pipeline.oldest().tile, 0)); };
    if (least > 0) look_back(pipeline.oldest(), counts, slot_of_oldest());
    // As late as possible: a block that looks back waits for tiles that are taken and not yet counted.
    if (lane == 0 && has_tile) {
      current.next = take_tile(control, epochs);
      current.tile = pipeline.tile;
      pipeline.following().counted = 0;
    }
    pipeline.sync();
    const int next = pipeline.next(), writes = pipeline.writes(least);
    // With many heads, blocks that look back before these writes have gone out slow each other down by a tenth.
    if (pipeline.was_full) __threadfence();
    for (int done = 0;; ++done, --pipeline.in_flight) {
      const bool ends = done == writes;
      const int slot = ends ? 0 : slot_of_oldest(), tiles = epochs.tiles_in(pipeline.shared.epoch);
      const bool adds = !ends && window.is_last_of_window(slot, tiles);
      if (ends || adds)
        join_window(arguments, pipeline.shared.epoch, pipeline.shared.heads_before_epoch, adds || pipeline.must_drain(),
                    window);
      if (ends) break;
      if (done >= least) {
        look_back(pipeline.oldest(), counts, slot);
        pipeline.sync();
      }
      if (pipeline.must_drain()) join_warp_carries(arguments, pipeline.oldest());  // other blocks wait for the carry
      if (adds) window.add(arguments.scratch.carries, slot, tiles);
    }
    if (!has_tile) return;
    // After the joins: the last tile of the epoch before may have been this block's.
    if (pipeline.enters_epoch()) enter_epoch(pipeline.shared, arguments.scratch, pipeline.tile >> pipeline.log_epoch);
    if (lane == 0) {
      if (!pipeline.is_well_in_epoch()) counts.publish_aggregate(pipeline.slot(), current.all_heads());
      current.heads_before_epoch = pipeline.shared.heads_before_epoch;
    }
    pipeline.advance(next);
  }
}

template <class Keys, class Leaves, class Op, class Equal, class OutKeys, class OutValues, class OutCount>
__global__ void __launch_bounds__(by_key_storage<Keys, Leaves>::block_threads,
                                  policy_of<Keys, Leaves>.blocks_per_multiprocessor)
by_key_kernel(
    const __grid_constant__ by_key_arguments<Keys, Leaves, Op, Equal, OutKeys, OutValues, OutCount> arguments) {
  using storage = by_key_storage<Keys, Leaves>;
  auto& shared = arch::dynamic_shared<storage>();
  const auto& epochs = arguments.epochs;
  auto& first = shared.tile[storage::summaries - 1];
  if (arch::flat_thread() == 0) {
    shared.epoch = shared.heads_before_epoch = 0;
    shared.tile[0].counted = 0;
    first.next = take_tile(arguments.scratch.control, epochs);
  }
  __syncthreads();
  const int tile = warp::shuffle(first.next, 0);
  const by_key_pipeline<storage> pipeline{shared, epochs.tiles, epochs.log_epoch, tile,
                                          epochs.epoch_of(tile) == 0 ? by_key_pipeline<storage>::well_in_epoch : 0};
  if (arch::uniform_warp() < storage::warps) fold_tiles(arguments, pipeline);
  else serve_tiles(arguments, pipeline);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
