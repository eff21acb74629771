// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The software pipeline of a block of the reduction by key: what the block keeps in shared memory from one step to the
// next, and where in the sequence it is. A step begins with a tile's heads and ends with its fold.
#pragma once
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/by_key/run_carry.cuh>
#include <warpfold/by_key/thread_tile.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A ring of a warp's outputs. A gap after every `ThreadItems` slots keeps the slots of different lanes in different
/// banks.
template <class T, int ThreadItems> struct staging_ring {
  static constexpr int capacity = warp_lanes * ThreadItems;
  static constexpr bool gaps = ThreadItems > 1;
  thread::array<T, capacity + gaps * warp_lanes> slots;
  __device__ T& operator[](int place) {
    const int own = place & (capacity - 1);
    return slots[own + gaps * (own / ThreadItems)];
  }
};

/// What the warps of a block know of a tile until its carry is published.
template <class A, int Warps> struct tile_summary {
  thread::array<run_carry<A>, Warps> carries;
  int heads[Warps];
  alignas(8) std::uint8_t required_writes[Warps];  ///< tiles to write before the warp's heads have room in its ring
  unsigned counted;                                ///< 2^24 m + n: m warps have found n heads together
  int before;                                      ///< heads of the epoch before the tile
  std::int64_t heads_before_epoch;                 ///< heads of all earlier epochs
  int tile;                                        ///< its number
  int next;                                        ///< the tile after it

  /// Counts a warp's heads, and returns whether all warps are counted now. By one lane.
  __device__ bool count_heads(int count) {
    const unsigned own = (1u << 24) + static_cast<unsigned>(count);
    return (atomicAdd(&counted, own) + own) >> 24 == Warps;
  }
  /// The tile's heads, when all warps are counted.
  __device__ int all_heads() const { return static_cast<int>(counted & 0xFFFFFF); }
};

template <class Keys, class Leaves> struct alignas(128) by_key_storage {
  static constexpr kernel_policy policy = policy_of<Keys, Leaves>;
  static constexpr int warps = policy.tile_threads / warp_lanes;
  static constexpr int block_threads = policy.tile_threads + warp_lanes;
  /// A ring of summaries: of the current tile, of the tiles in flight, and, for warps that are ahead, of the next tile.
  static constexpr int summaries = max_tiles_in_flight + 2;
  using A = typename Leaves::accumulator;
  using thread_tile = by_key::thread_tile<Keys, Leaves>;
  using stage = typename thread_tile::stage;
  static constexpr bool can_stage = thread_tile::stages_keys || thread_tile::stages_values;

  thread::array<staging_ring<typename Keys::item, policy.thread_items>, warps> keys;
  thread::array<staging_ring<A, policy.thread_items>, warps> values;
  tile_summary<A, warps> tile[summaries];
  int epoch;                        ///< of the last tile
  std::int64_t heads_before_epoch;  ///< heads of the epochs before it

  /// The bytes of shared memory that a block needs, with or without room for tiles that are copied there.
  static constexpr std::size_t bytes(bool stages) {
    return sizeof(by_key_storage) + (stages ? warps * sizeof(stage) : 0);
  }
  /// A warp's part of that room, which follows this object.
  __device__ stage& stage_of(int warp) { return reinterpret_cast<stage*>(this + 1)[warp]; }
};

/// Where a block is: all of its warps agree.
template <class Storage> struct by_key_pipeline {
  static constexpr int warps = Storage::warps, summaries = Storage::summaries;

  Storage& shared;
  const int tiles, log_epoch;
  /// From its third tile of an epoch on, all warps of a block know that the epoch before is done.
  static constexpr int well_in_epoch = 2;

  int tile;               ///< the current one
  int epoch_steps;        ///< the block's tiles of the epoch before the current one, at most well_in_epoch
  int summary = 0;        ///< the current tile's place in the ring of summaries
  int in_flight = 0;      ///< tiles that are folded and not yet written
  bool was_full = false;  ///< whether the last tile had more heads than there was room for

  __device__ bool has_tile() const { return tile < tiles; }
  __device__ bool enters_epoch() const { return epoch_steps == 0; }
  __device__ bool is_well_in_epoch() const { return epoch_steps >= well_in_epoch; }
  __device__ auto& current() const { return shared.tile[summary]; }
  __device__ auto& oldest() const { return shared.tile[summary - in_flight + (summary < in_flight ? summaries : 0)]; }
  __device__ auto& following() const { return shared.tile[summary + 1 == summaries ? 0 : summary + 1]; }
  /// The current tile's number within its epoch.
  __device__ int slot() const { return tile & ((1 << log_epoch) - 1); }
  /// The heads of warp number `lane` in a tile.
  template <class Summary> __device__ static int heads_of(const Summary& of) {
    return arch::lane_id() < warps ? of.heads[arch::lane_id()] : 0;
  }
  /// Whether all tiles in flight must be written in this step.
  __device__ bool must_drain() const { return !has_tile() || enters_epoch(); }
  /// A lower bound on the tiles that are written in this step, 0 or 1, before the current tile's heads are counted: it
  /// is likely to have about as many heads as the last one.
  __device__ int min_writes() const {
    return in_flight > 0 && (in_flight == max_tiles_in_flight || was_full || must_drain());
  }
  /// The number of tiles that are written in this step, `least` or more. By a warp, after the block has met.
  __device__ int writes(int least) {
    if (must_drain()) return in_flight;
    static_assert(max_tiles_in_flight == 2);
    std::uint64_t required = 0;
    arch::load_shared<warps>(current().required_writes, &required);
    was_full = __any_sync(full_warp, required != 0);
    const int more = was_full ? 1 + __any_sync(full_warp, (required & 0x0202020202020202u) != 0) : 0;
    return greatest_of(more, least);
  }
  __device__ void sync() const { arch::meet_warps<1, Storage::block_threads>(); }
  /// The tile after the current one, or a number past all tiles. After the block has met.
  __device__ int next() const { return warp::shuffle(current().next, 0); }
  /// Goes on to tile `next_tile`.
  __device__ void advance(int next_tile) {
    epoch_steps = (tile >> log_epoch) == (next_tile >> log_epoch) ? least_of(epoch_steps + 1, well_in_epoch) : 0;
    tile = next_tile;
    summary = summary + 1 == summaries ? 0 : summary + 1;
    ++in_flight;
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
