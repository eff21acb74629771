// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ring of published nodes, by which the tiles of a scan look back. Tiles are numbered in the order in which they
// begin. A node of level 0 has the number of a tile; a node of the next level joins up to 32 neighbours.
// The nodes 32 w to 32 w + 31 of a level are its window w, which one warp reads at once; a window's tiles are those
// numbered from its first node's number to its last node's. `Readers` says whose tiles read a node:
// 1, those of its own window; 2, those of the next window, too.
//
// Scratch does not grow with the number of tiles: a level has places for a few windows, which windows use in turn,
// round after round. All words are zero before a call and after it, so no call clears them first.
//
// Protocol: the events of a tile in their order, and what makes each right.
//
//   enter     A warp waits until the places that its tile publishes to or reads from have been cleared for their
//             windows. It acquires `rounds`, and a barrier of the block or warp follows: nodes of the round before are
//             gone.
//   publish   A thread writes a node. Each 16 bytes are one relaxed access and hold a flag, so whoever sees the flag
//             sees the words beside it. This needs no order.
//   fence     fence_before_arrival, or leave with `releases`, by the publishing thread or after a barrier: the node is
//             ordered before the tile is counted at `departures`, and so before the clearing of its place.
//   receive   A warp reads nodes by relaxed accesses until it sees all flags. A tile waits for earlier tiles only,
//             which have begun and have published their own node before they wait. So the earliest tile never waits.
//   leave     Lane 0 of a warp counts the tile at `departures`, once the tile has published and read all that it shall.
//             The lane has used what its warp read, or has met the other warps at a barrier: so the count depends
//             on the reads, which need no fence (No-Thin-Air: tests/memory_model/README.md).
//   finish    The warp of the last tile to leave a window goes on alone. It fences (acquire), then synchronises: it
//             sees all that the tiles published. It counts the window at `pairs`, if two windows read a node, and on
//             the next level, by a lane each (acquire and release), and synchronises. The last reader of a window
//             clears its places, by relaxed accesses, and synchronises.
//   release   After this, one lane releases `rounds`, for which the window that uses the places next waits in enter.
//             The warp goes on with the next level, and so on, as far as it is the last.
//
// Thousands of tiles lie between two windows at one place, so tiles do not wait in enter in practice.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/grid/published_value.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::grid {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int log_window = 5;  ///< a warp reads a window, one node per lane
static_assert(1 << log_window == warp_lanes);
inline constexpr int ring_levels = 6;
inline constexpr std::int64_t most_ring_tiles = std::int64_t{1} << (log_window * ring_levels);
inline constexpr int lookback_pause = 20;  ///< nanoseconds between two looks at nodes that are not there yet
/// Messages for one node of each window: so many words of control fit host_side::feature_control_bytes.
inline constexpr int most_window_messages = 3300;

/// Places for windows on a level, as a power of two: enough for 2^log_tile_windows windows of tiles, but for two per
/// reader at least.
template <int Readers> __host__ __device__ constexpr int log_windows_of(int level, int log_tile_windows) {
  static_assert(Readers == 1 || Readers == 2);
  const int log = log_tile_windows - log_window * level;
  return log > Readers ? log : Readers;
}
template <int Readers> __host__ __device__ constexpr int windows_before(int level, int log_tile_windows) {
  int all = 0;
  for (int each = 0; each < level; ++each) all += 1 << log_windows_of<Readers>(each, log_tile_windows);
  return all;
}
template <int Readers> inline constexpr int most_log_tile_windows = 9 + Readers;
/// Windows of tiles that there is room for, as a power of two: fewer where accumulators are wide.
template <int Readers> WARPFOLD_JIT constexpr int log_tile_windows_for(std::size_t accumulator_bytes) {
  int log = most_log_tile_windows<Readers>;
  while (log > Readers &&
         messages_per_value(accumulator_bytes) * windows_before<Readers>(ring_levels, log) > most_window_messages)
    --log;
  return log;
}

/// Words that are zero before the grid starts and after it ends. The nodes lie behind them, and are zero too.
template <int Readers> struct alignas(16) ring_control {
  static constexpr int most_windows = windows_before<Readers>(ring_levels, most_log_tile_windows<Readers>);
  unsigned next_tile;
  unsigned departures[most_windows];                ///< tiles, or windows of them, that need no more nodes
  unsigned rounds[most_windows];                    ///< how often the places have been cleared for another window
  unsigned pairs[Readers == 2 ? most_windows : 1];  ///< of a window and the next one, those that need no more nodes
};

/// Bytes of control words and nodes for accumulators of `accumulator_bytes` bytes.
template <int Readers> WARPFOLD_JIT constexpr std::size_t ring_bytes(std::size_t accumulator_bytes) {
  const int windows = windows_before<Readers>(ring_levels, log_tile_windows_for<Readers>(accumulator_bytes));
  return sizeof(ring_control<Readers>) + std::size_t{warp_lanes} * static_cast<std::size_t>(windows) *
                                             static_cast<std::size_t>(messages_per_value(accumulator_bytes)) * 16;
}

/// The shape of a ring whose nodes are single values: `levels` levels of windows of 2^log_window nodes. A level has
/// places for 2^log_windows(level) windows. Other shapes may be known only when the kernel runs.
template <class A, int Readers> struct ring_shape {
  using control = ring_control<Readers>;
  using node = published_value<A>;
  static constexpr int levels = ring_levels, log_window = grid::log_window;
  static constexpr int log_tile_windows = log_tile_windows_for<Readers>(sizeof(A));
  static constexpr int tiles_without_rounds = 1 << (log_window + log_tile_windows);  ///< have places of their own

  __device__ static constexpr int log_windows(int level) { return log_windows_of<Readers>(level, log_tile_windows); }
};

template <class A, int Readers, class Shape = ring_shape<A, Readers>> struct node_ring : Shape {
  using shape_type = Shape;
  using Shape::levels, Shape::log_window, Shape::log_windows;
  static constexpr int window_nodes = 1 << log_window;

  typename Shape::control* control;
  typename Shape::node* nodes;
  int tiles;

  __host__ __device__ node_ring(typename Shape::control* words, typename Shape::node* places, int count,
                                const Shape& shape = {})
      : Shape(shape), control(words), nodes(places), tiles(count) {}

  /// Waits until the tile's places are free. One warp of the tile calls it; if there are others, a barrier must follow
  /// before they publish or receive. Costs nothing while there are fewer tiles than places.
  __device__ void enter(int tile) const {
    if (tiles <= 1 << (log_window + log_windows(0))) return;
    const int lane = arch::lane_id(), level = lane / Readers;
    if (level < levels) {
      const int window = (tile >> (log_window * (level + 1))) - lane % Readers;
      const int round = window >> log_windows(level);  // negative if there is no window
      if (round > 0)
        while (arch::acquire(control->rounds + place(level, window)) != static_cast<unsigned>(round)) arch::pause();
    }
    __syncwarp();
  }
  /// The place of node number `index` of its level, and that of the first node of a window.
  __device__ int node_place(int level, int index) const {
    return window_place(level, index >> log_window) + (index & (window_nodes - 1));
  }
  __device__ int window_place(int level, int window) const { return place(level, window) * window_nodes; }

  /// Publishes node number `index` of its level.
  __device__ void publish(int level, int index, const A& value) const {
    nodes[node_place(level, index)].publish(value);
  }
  /// Each lane's node at `place`, in the first `needed` lanes. One warp calls it.
  __device__ A receive(int place, int needed) const {
    const auto& published = nodes[place];
    A value{};
    bool is_there = arch::lane_id() >= needed;
    for (;; arch::pause<lookback_pause>()) {
      if (!is_there) is_there = published.try_receive(value);
      if (__all_sync(full_warp, is_there)) return value;
    }
  }
  /// Looks back over `rank` nodes of a level, of which lane i reads the one at its `place`: calls each(digit, node) in
  /// all lanes for the nodes that make them up, one for each digit of `rank`, the lowest first. If the tile `completes`
  /// 32 nodes, it waits for all of them, and publishes their node as number `joined` of the next level. One warp calls
  /// it.
  template <class Op, class Each>
  __device__ void look_back(int level, int rank, int place, bool completes, int joined, Op op, Each each) const {
    const int needed = completes ? warp_lanes : rank;
    if (needed == 0) return;
    const A all = warp::nodes_before(receive(place, needed), rank, needed, op, each);
    if (completes && arch::lane_id() == 0) publish(level + 1, joined, all);
  }
  /// Releases what the warp has published. All lanes call it.
  __device__ static void fence() {
    __syncwarp();
    if (arch::lane_id() == 0) arch::fence_before_arrival();
  }
  /// Counts the tile, which neither publishes nor reads any more, at its window. One warp calls it. It `releases` what
  /// the tile has published if no fence has. Returns in lane 0 what finish takes. A tile that is alone is not counted.
  __device__ unsigned leave(int tile, bool releases = false) const {
    if (tiles == 1 || arch::lane_id() != 0) return 0;
    const int window = tile >> log_window;
    unsigned* const departures = control->departures + place(0, window);
    if (releases) return arch::count_arrival(departures, members(0, window));
    return atomicInc(departures, members(0, window) - 1);
  }
  /// Clears places that nobody reads any more. One warp calls it, with what `leave` returned in lane 0.
  __device__ void finish(int tile, unsigned departed_before) const {
    if (tiles == 1) return;
    int window = tile >> log_window;
    if (__shfl_sync(full_warp, departed_before, 0) != members(0, window) - 1) return;
    arch::fence_after_arrivals();
    __syncwarp();  // lane 0 has acquired for all
    for (int level = 0;; ++level) {
      const int windows = count_of(level + 1), upper = window >> log_window;
      if constexpr (Readers == 1) {
        clear(level, window);
        if (windows == 1) return;
        if (!arch::warp_completes(control->departures + place(level + 1, upper), members(level + 1, upper))) return;
      } else {
        // Whether the places of the window before (bit 0) and of this one (bit 1) are to be cleared, and whether this
        // was the last window of one of the next level (bit 2). One trip to memory tells all.
        const int lane = arch::lane_id();
        unsigned* counter = nullptr;
        unsigned expected = 2;
        if (lane == 0 && window > 0) counter = control->pairs + place(level, window - 1);
        if (lane == 1) {
          counter = control->pairs + place(level, window);
          if (window == windows - 1) expected = 1;
        }
        if (lane == 2 && windows > 1) {
          counter = control->departures + place(level + 1, upper);
          expected = members(level + 1, upper);
        }
        __syncwarp();
        const unsigned completed = __ballot_sync(full_warp, counter != nullptr && arch::arrive(counter, expected));
        __syncwarp();  // a ballot alone orders no memory
        if (completed & 1) clear(level, window - 1);
        if (completed & 2) clear(level, window);
        if (!(completed & 4)) return;
      }
      window = upper;
    }
  }

 private:
  /// Clears the places of a window, and lets the window come that uses them next.
  __device__ void clear(int level, int window) const {
    const int own = place(level, window), lane = arch::lane_id();
    if (lane < static_cast<int>(members(level, window))) nodes[own * window_nodes + lane].clear();
    __syncwarp();
    const int windows = count_of(level + 1), log = log_windows(level);
    const int next = window + (1 << log);
    if (lane == 0 && windows > 1 << log)
      arch::release(control->rounds + own, next < windows ? static_cast<unsigned>(next >> log) : 0);
  }
  /// The number of tiles, or windows, on a level.
  __device__ int count_of(int level) const { return ((tiles - 1) >> (log_window * level)) + 1; }
  /// Members of a window of the level that exist.
  __device__ unsigned members(int level, int window) const {
    return static_cast<unsigned>(least_of(count_of(level) - (window << log_window), window_nodes));
  }
  __device__ int place(int level, int window) const {
    int first = 0;
    WARPFOLD_UNROLL
    for (int each = 0; each < levels - 1; ++each)
      if (each < level) first += 1 << log_windows(each);
    return first + (window & ((1 << log_windows(level)) - 1));
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid
