// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The turns of a block of the reduction by key: what it keeps from one to the next, and where it stands.
#pragma once
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/by_key/run_carry.cuh>
#include <warpfold/by_key/thread_tile.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

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
  thread::array<open_runs<A>, Warps> runs;
  int heads[Warps];
  alignas(8) std::uint8_t
      too_many[Warps];     ///< of the tiles that wait, so many must be written before the warp's runs have room
  unsigned counted;        ///< 2^24 m + n: m warps have found n heads together
  int before;              ///< heads of the lap before the tile
  std::int64_t lap_heads;  ///< heads of the laps before it
  int tile;                ///< its number
  int next;                ///< the tile after it

  /// Counts a warp's heads, and says whether these are all warps'. By one lane.
  __device__ bool count_heads(int count) {
    const unsigned own = (1u << 24) + static_cast<unsigned>(count);
    return (atomicAdd(&counted, own) + own) >> 24 == Warps;
  }
  /// The tile's, once all have been counted.
  __device__ int all_heads() const { return static_cast<int>(counted & 0xFFFFFF); }
};

template <class Keys, class Leaves> struct alignas(128) by_key_storage {
  static constexpr kernel_policy policy = policy_of<Keys, Leaves>;
  static constexpr int warps = policy.tile_threads / warp_lanes;
  static constexpr int block_threads = policy.tile_threads + warp_lanes;
  /// Of the tile at hand, of those that wait, and, for fast warps, of the next one.
  static constexpr int summaries = waiting_tiles + 2;
  using A = typename Leaves::accumulator;
  using thread_tile = by_key::thread_tile<Keys, Leaves>;
  using stage = typename thread_tile::stage;
  static constexpr bool can_stage = thread_tile::stages_keys || thread_tile::stages_values;

  thread::array<staged_runs<typename Keys::item, policy.thread_items>, warps> keys;
  thread::array<staged_runs<A, policy.thread_items>, warps> values;
  tile_summary<A, warps> tile[summaries];
  int lap;                 ///< the last tile's
  std::int64_t lap_heads;  ///< heads of those before it

  /// What a block needs, with or without room for tiles that come through shared memory.
  static constexpr std::size_t bytes(bool stages) {
    return sizeof(by_key_storage) + (stages ? warps * sizeof(stage) : 0);
  }
  /// That room, of a warp; behind this object.
  __device__ stage& stage_of(int warp) { return reinterpret_cast<stage*>(this + 1)[warp]; }
};

/// Where a block stands: all of its warps agree.
template <class Storage> struct block_turns {
  static constexpr int warps = Storage::warps, summaries = Storage::summaries;

  Storage& shared;
  const int tiles, log_lap;
  /// From the block's third tile of a lap on, all of its warps know that the lap before is done.
  static constexpr int well_in_lap = 2;

  int tile;                ///< the one at hand
  int lap_tiles;           ///< the block's before it of its lap, or well_in_lap
  int turn = 0;            ///< counted round and round
  int waiting = 0;         ///< tiles that are counted and folded, and not yet written
  bool were_many = false;  ///< whether the last tile had more runs than there was room for

  __device__ bool has_tile() const { return tile < tiles; }
  __device__ bool enters_lap() const { return lap_tiles == 0; }
  __device__ bool is_well_in_lap() const { return lap_tiles >= well_in_lap; }
  __device__ auto& now() const { return shared.tile[turn]; }
  __device__ auto& oldest() const { return shared.tile[turn - waiting + (turn < waiting ? summaries : 0)]; }
  __device__ auto& following() const { return shared.tile[turn + 1 == summaries ? 0 : turn + 1]; }
  /// The tile's number in its lap.
  __device__ int place() const { return tile & ((1 << log_lap) - 1); }
  /// The heads of warp number `lane` in a tile.
  template <class Summary> __device__ static int heads_of(const Summary& summary) {
    return arch::lane_id() < warps ? summary.heads[arch::lane_id()] : 0;
  }
  /// Whether no tile may wait any longer.
  __device__ bool writes_all() const { return !has_tile() || enters_lap(); }
  /// How many tiles are written in this turn, as far as that is known before the tile's heads are: it may have about as many
  /// as the last one. 0 or 1.
  __device__ int least_writes() const { return waiting > 0 && (waiting == waiting_tiles || were_many || writes_all()); }
  /// How many are, `least` or more. By a warp, after the block has met.
  __device__ int writes(int least) {
    if (writes_all()) return waiting;
    static_assert(waiting_tiles == 2);
    std::uint64_t too_many = 0;
    arch::load_shared<warps>(now().too_many, &too_many);
    were_many = __any_sync(full_warp, too_many != 0);
    const int more = were_many ? 1 + __any_sync(full_warp, (too_many & 0x0202020202020202u) != 0) : 0;
    return greatest_of(more, least);
  }
  __device__ void sync() const { arch::meet_warps<1, Storage::block_threads>(); }
  /// The tile after this one, or a number past all, once the block has met.
  __device__ int next() const { return warp::shuffle(now().next, 0); }
  /// Goes on to it.
  __device__ void end_turn(int following) {
    lap_tiles = (tile >> log_lap) == (following >> log_lap) ? least_of(lap_tiles + 1, well_in_lap) : 0;
    tile = following;
    turn = turn + 1 == summaries ? 0 : turn + 1;
    ++waiting;
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
