// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The software pipeline of a block of the reduction by key: its shared memory, and the position that all of its warps
// agree on.
#pragma once
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/by_key/run_carry.cuh>
#include <warpfold/by_key/thread_tile.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A ring for a warp's keys, or values, of the tiles in flight. Neighbouring threads write `ThreadItems` places apart;
/// a gap after every `ThreadItems` places keeps them in different banks.
template <class T, int ThreadItems> struct staged_outputs {
  static constexpr int capacity = warp_lanes * ThreadItems;
  static constexpr bool gaps = ThreadItems > 1;
  thread::array<T, capacity + gaps * warp_lanes> slots;
  __device__ T& operator[](int place) {
    const int own = place & (capacity - 1);
    return slots[own + gaps * (own / ThreadItems)];
  }
};

/// The facts of a tile that the warps of a block share until it is joined with other tiles.
template <class A, int Warps> struct tile_summary {
  thread::array<run_carry<A>, Warps> runs;
  int heads[Warps];
  alignas(8) std::uint8_t
      required_writes[Warps];       ///< per warp: tiles in flight to be written before its outputs have room
  unsigned counted;                 ///< 2^24 m + n where m warps have found n heads in all
  int before;                       ///< heads of the tile's epoch that lie before it
  std::int64_t heads_before_epoch;  ///< heads of all earlier epochs
  int tile;                         ///< the tile's number
  int next;                         ///< the number of the block's next tile

  /// Adds a warp's heads. Returns whether all warps have added theirs. One lane calls it.
  __device__ bool count_heads(int count) {
    const unsigned own = (1u << 24) + static_cast<unsigned>(count);
    return (atomicAdd(&counted, own) + own) >> 24 == Warps;
  }
  /// The tile's heads, once all warps have added theirs.
  __device__ int all_heads() const { return static_cast<int>(counted & 0xFFFFFF); }
};

template <class Keys, class Leaves> struct alignas(128) by_key_storage {
  static constexpr kernel_policy policy = policy_of<Keys, Leaves>;
  static constexpr int warps = policy.tile_threads / warp_lanes;
  static constexpr int block_threads = policy.tile_threads + warp_lanes;
  /// One for the current tile, one for each tile in flight, and one for the next tile, which fast warps begin early.
  static constexpr int summaries = tiles_in_flight + 2;
  using A = typename Leaves::accumulator;
  using thread_tile = by_key::thread_tile<Keys, Leaves>;
  using stage = typename thread_tile::stage;
  static constexpr bool can_stage = thread_tile::stages_keys || thread_tile::stages_values;

  thread::array<staged_outputs<typename Keys::item, policy.thread_items>, warps> keys;
  thread::array<staged_outputs<A, policy.thread_items>, warps> values;
  tile_summary<A, warps> tile[summaries];
  int epoch;                        ///< the epoch of the last tile
  std::int64_t heads_before_epoch;  ///< heads of the epochs before that one

  /// Shared memory of a block. With `stages` it has room for tiles that come through shared memory.
  static constexpr std::size_t bytes(bool stages) {
    return sizeof(by_key_storage) + (stages ? warps * sizeof(stage) : 0);
  }
  /// A warp's part of that room, which lies behind this object.
  __device__ stage& stage_of(int warp) { return reinterpret_cast<stage*>(this + 1)[warp]; }
};

/// The position of a block in its pipeline. All of its warps keep the same one.
template <class Storage> struct pipeline {
  static constexpr int warps = Storage::warps, summaries = Storage::summaries;

  Storage& shared;
  const int tiles, log_epoch;
  /// After so many tiles of an epoch, all warps of the block know that the epoch before is done.
  static constexpr int tiles_until_known = 2;

  int tile;               ///< the current one
  int epoch_tiles;        ///< the block's earlier tiles of the same epoch, at most tiles_until_known
  int step = 0;           ///< index of the current summary in the ring
  int in_flight = 0;      ///< tiles in flight: counted and folded, and not yet written
  bool was_full = false;  ///< whether the last tile had more outputs than there was room for

  __device__ bool has_tile() const { return tile < tiles; }
  __device__ bool enters_epoch() const { return epoch_tiles == 0; }
  __device__ bool knows_previous_epoch_done() const { return epoch_tiles >= tiles_until_known; }
  __device__ auto& now() const { return shared.tile[step]; }
  __device__ auto& oldest() const { return shared.tile[step - in_flight + (step < in_flight ? summaries : 0)]; }
  __device__ auto& following() const { return shared.tile[step + 1 == summaries ? 0 : step + 1]; }
  /// The tile's number in its epoch.
  __device__ int place() const { return tile & ((1 << log_epoch) - 1); }
  /// The heads of a tile in warp number `lane`.
  template <class Summary> __device__ static int heads_of(const Summary& summary) {
    return arch::lane_id() < warps ? summary.heads[arch::lane_id()] : 0;
  }
  /// Whether all tiles in flight must be written in this step.
  __device__ bool must_drain() const { return !has_tile() || enters_epoch(); }
  /// How many tiles are written in this step, 0 or 1: a guess before the current tile's heads are known, as if it had
  /// as many as the last one.
  __device__ int min_writes() const {
    return in_flight > 0 && (in_flight == tiles_in_flight || was_full || must_drain());
  }
  /// How many tiles are written in this step, at least `least`. All lanes of a warp call it, after the barrier.
  __device__ int writes(int least) {
    if (must_drain()) return in_flight;
    static_assert(tiles_in_flight == 2);
    std::uint64_t required_writes = 0;
    arch::load_shared<warps>(now().required_writes, &required_writes);
    was_full = __any_sync(full_warp, required_writes != 0);
    const int more = was_full ? 1 + __any_sync(full_warp, (required_writes & 0x0202020202020202u) != 0) : 0;
    return greatest_of(more, least);
  }
  __device__ void sync() const { arch::meet_warps<1>(Storage::block_threads); }
  /// The block's next tile, or a number past all tiles. Valid after the barrier.
  __device__ int next() const { return warp::shuffle(now().next, 0); }
  /// Goes on to the next tile.
  __device__ void end_step(int following) {
    epoch_tiles = (tile >> log_epoch) == (following >> log_epoch) ? least_of(epoch_tiles + 1, tiles_until_known) : 0;
    tile = following;
    step = step + 1 == summaries ? 0 : step + 1;
    ++in_flight;
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
