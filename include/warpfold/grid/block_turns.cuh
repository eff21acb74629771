// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The turns of a block of the reduction by key: what it keeps from one to the next, and where it stands.
#pragma once
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/grid/lap_schedule.cuh>
#include <warpfold/grid/thread_tile.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/open_runs.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

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
  static constexpr int warps = policy.tile_threads / warp_lanes;
  static constexpr int block_threads = policy.tile_threads + warp_lanes;
  /// Of the tile at hand, of those that wait, and, for fast warps, of the next one.
  static constexpr int summaries = tuning::waiting_tiles + 2;
  using A = typename Leaves::accumulator;
  using thread_tile = grid::thread_tile<Keys, Leaves>;

  thread::array<staged_runs<typename Keys::item, policy.thread_items>, warps> keys;
  thread::array<staged_runs<A, policy.thread_items>, warps> values;
  tile_summary<A, warps> tile[summaries];
  std::int64_t lap, lap_heads;  ///< the last tile's lap; heads of those before it
};

/// Where a block stands: all of its warps agree.
template <class Storage> struct block_turns {
  static constexpr int warps = Storage::warps, summaries = Storage::summaries;
  static constexpr int warp_items = warp_lanes * Storage::policy.thread_items;

  Storage& shared;
  const lap_schedule& schedule;
  int tile;             ///< the one at hand
  bool new_lap = true;  ///< which is the block's first one of its lap
  int turn = 0;         ///< counted round and round
  int waiting = 0;      ///< tiles that are counted and folded, and not yet written

  __device__ bool has_tile() const { return tile < schedule.tiles; }
  __device__ bool enters_lap() const { return has_tile() && new_lap; }
  __device__ auto& now() const { return shared.tile[turn]; }
  __device__ auto& before(int turns) const { return shared.tile[turn - turns + (turn < turns ? summaries : 0)]; }
  __device__ auto& oldest() const { return before(waiting); }
  /// The heads of warp number `lane` in a tile; in all that wait.
  template <class Summary> __device__ static int heads_of(const Summary& summary) {
    return arch::lane_id() < warps ? summary.heads[arch::lane_id()] : 0;
  }
  __device__ int waiting_heads() const {
    int all = 0;
    WARPFOLD_UNROLL
    for (int i = 1; i <= tuning::waiting_tiles; ++i) all += i <= waiting ? heads_of(before(i)) : 0;
    return all;
  }
  /// Whether the oldest tile must be written before this one is folded; and whether it should be, as far as is known before
  /// this one's heads are: it may have about as many as the last one. All lanes call these.
  __device__ bool must_write() const { return waiting > 0 && !has_room_for(heads_of(now())); }
  __device__ bool should_write() const {
    return waiting == tuning::waiting_tiles || (waiting > 0 && !has_room_for(heads_of(before(1))));
  }
  __device__ void sync() const { arch::sync_warps<1, Storage::block_threads>(); }
  /// Goes on to the next tile.
  __device__ void end_turn() {
    __syncwarp();
    const int next = static_cast<int>(warp::shuffle(now().next, 0));
    new_lap = schedule.lap_of(tile) != schedule.lap_of(next);
    tile = next;
    turn = turn + 1 == summaries ? 0 : turn + 1;
    ++waiting;
  }

 private:
  __device__ bool has_room_for(int more) const {
    return has_tile() && !enters_lap() && __all_sync(full_warp, waiting_heads() + more <= warp_items);
  }
};

}  // namespace v1
}  // namespace warpfold::grid
