// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tiles of a strip of columns look back: by a ring of nodes (grid/node_ring.cuh) for each strip. A node is here
// a row of values, one per column, that a warp publishes and receives together: its words are dealt to messages of
// three words, whatever the values are. Windows are short, since each of their nodes has many bytes.
#pragma once
#include <warpfold/axes/scan_policy.hpp>
#include <warpfold/grid/node_ring.cuh>

namespace warpfold::axis_scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A row of up to `Bytes` bytes of values in shared memory.
template <int Bytes> struct alignas(16) node_row {
  static constexpr int messages = (Bytes + 11) / 12;
  unsigned char bytes[(12 * messages + 15) / 16 * 16];

  template <class A> __device__ A value(int column) const {
    return thread::copied<A>([&](unsigned char* to) { std::memcpy(to, bytes + column * sizeof(A), sizeof(A)); });
  }
  template <class A> __device__ void set(int column, const A& value) {
    std::memcpy(bytes + column * sizeof(A), &value, sizeof(A));
  }
};

/// The same in global memory, where other blocks wait for it; all words are zero where no row is published.
template <int Bytes> struct published_row {
  static constexpr int count = node_row<Bytes>::messages;

  arch::message messages[count];

  /// All lanes of a warp call it; a barrier of the warp has come since the row was set.
  __device__ void publish(const node_row<Bytes>& row) {
    const int lane = arch::lane_id();
    if (lane >= count) return;
    arch::message sent{{1, 0, 0, 0}};
    std::memcpy(sent.words + 1, row.bytes + 12 * lane, 12);
    arch::publish(messages + lane, sent);
  }
  __device__ void clear() {
    WARPFOLD_NO_UNROLL
    for (int i = 0; i < count; ++i) arch::publish(messages + i, arch::message{});
  }
};

inline constexpr int log_strip_window = 3, strip_window = 1 << log_strip_window;
inline constexpr int strip_levels = 10;
inline constexpr std::int64_t most_bands = std::int64_t{1} << (log_strip_window * strip_levels);
inline constexpr int least_log_windows = 2, most_log_windows = 7;  ///< of level 0, as a power of two

__host__ __device__ constexpr int strip_log_windows(int level, int log_windows) {
  const int log = log_windows - log_strip_window * level;
  return log > 1 ? log : 1;
}
constexpr int strip_windows(int log_windows) {
  int all = 0;
  for (int level = 0; level < strip_levels; ++level) all += 1 << strip_log_windows(level, log_windows);
  return all;
}

/// As grid::ring_control.
struct alignas(16) strip_control {
  unsigned departures[strip_windows(most_log_windows)], rounds[strip_windows(most_log_windows)];
};
template <int Bytes> struct strip_ring_shape {
  using control = strip_control;
  using node = published_row<Bytes>;
  static constexpr int levels = strip_levels, log_window = log_strip_window;

  int log_tile_windows = least_log_windows;

  __device__ int log_windows(int level) const { return strip_log_windows(level, log_tile_windows); }
};
template <int Bytes> using strip_ring = grid::node_ring<node_row<Bytes>, 1, strip_ring_shape<Bytes>>;

/// The rings of all strips, in control words: the counter from which tiles are drawn, the controls, the nodes.
template <int Bytes> struct strip_rings {
  unsigned* next_tile = nullptr;
  strip_control* controls = nullptr;
  int log_windows = 0, nodes_per_strip = 0;

  __device__ strip_ring<Bytes> of(int strip, int strips, int bands) const {
    auto* const nodes = reinterpret_cast<published_row<Bytes>*>(controls + strips);
    return {controls + strip, nodes + std::int64_t{strip} * nodes_per_strip, bands, {log_windows}};
  }
};
inline constexpr int most_row_bytes = 128;
/// A line for the counter from which tiles are drawn.
struct alignas(128) draw_line {
  unsigned next_tile;
};

/// Bytes of control words for the rings of `strips` strips whose nodes have `row_bytes` bytes.
constexpr std::size_t strip_ring_bytes(std::int64_t strips, int log_windows, int row_bytes) {
  const int messages = (row_bytes + 11) / 12;
  return sizeof(draw_line) +
         static_cast<std::size_t>(strips) *
             (sizeof(strip_control) + std::size_t{16} * static_cast<std::size_t>(messages) * strip_window *
                                          static_cast<std::size_t>(strip_windows(log_windows)));
}

/// The node over `Count` rows from `first` on, of one column.
template <int Count, class A, int Bytes, class Op>
__device__ A fold_rows(const node_row<Bytes>* first, int column, Op op) {
  if constexpr (Count == 1) return first->template value<A>(column);
  else {
    const A left = fold_rows<Count / 2, A>(first, column, op);
    return op(left, fold_rows<Count / 2, A>(first + Count / 2, column, op));
  }
}

/// Whether tile number `band` of a strip is the last one of its window on a level, whose node others need.
template <class Ring> __device__ bool completes_window(const Ring& ring, int level, int band) {
  const int log = log_strip_window * (level + 1);
  return log < 31 && ((band + 1) & ((1 << log) - 1)) == 0 && band + 1 < ring.tiles;
}

/// Looks back on a level from tile number `band`: writes to before[bit * lanes + column] the nodes of its window before
/// the tile, one for each digit of `band` on the level, and publishes the node of the window that the tile completes.
/// `received` is room for a window. Only the first `columns` columns exist. All lanes of a warp call it.
template <class A, int Bytes, class Op>
__device__ void look_back_at(int level, const strip_ring<Bytes>& ring, int band, node_row<Bytes>* received, A* before,
                             int lanes, int columns, Op op) {
  constexpr int per_row = published_row<Bytes>::count, turns = (strip_window * per_row + warp_lanes - 1) / warp_lanes;
  const int lane = arch::lane_id(), log = log_strip_window * level, rank = band >> log & (strip_window - 1),
            window = band >> (log + log_strip_window);
  const bool completes = completes_window(ring, level, band);
  const int needed = (completes ? strip_window : rank) * per_row;
  if (needed == 0) return;
  const auto* const messages = ring.nodes[ring.window_place(level, window)].messages;  // the window's rows are adjacent
  arch::message seen[turns];
  for (;; arch::pause<grid::lookback_pause>()) {
    bool are_there = true;
    WARPFOLD_UNROLL
    for (int i = 0; i < turns; ++i)
      if (lane + i * warp_lanes < needed) {
        seen[i] = arch::observe(messages + lane + i * warp_lanes);
        are_there = are_there && seen[i].words[0] != 0;
      }
    if (__all_sync(full_warp, are_there)) break;
  }
  __syncwarp();  // the room has been read
  WARPFOLD_UNROLL
  for (int i = 0; i < turns; ++i)
    if (const int number = lane + i * warp_lanes; number < needed)
      std::memcpy(received[number / per_row].bytes + 12 * (number % per_row), seen[i].words + 1, 12);
  __syncwarp();
  A all{};
  if (lane < columns) {
    A* const own = before + log * lanes + lane;
    if (rank & 1) own[0] = fold_rows<1, A>(received + rank - 1, lane, op);
    if (rank & 2) own[lanes] = fold_rows<2, A>(received + (rank & 4), lane, op);
    if (rank & 4) own[2 * lanes] = fold_rows<4, A>(received, lane, op);
    if (completes) all = fold_rows<strip_window, A>(received, lane, op);
  }
  if (!completes) return;
  __syncwarp();
  if (lane < columns) received->set(lane, all);
  __syncwarp();
  ring.nodes[ring.node_place(level + 1, window)].publish(*received);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_scan
