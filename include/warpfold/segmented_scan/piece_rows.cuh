// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a warp that hold pieces of several segments, which begin anywhere, while they are scanned.
//
// An item with the number r in its piece is right-nested over the binary digits of r + 1: on level l, if digit l of r
// is set, the item meets the node of 2^l items that ends before item (r >> l) << l. This node is what that node's last
// item holds by then. (Sklansky 1960, counted from the piece's first item.) Within chunks, all items may be such last
// items; from the level of whole chunks on, each chunk has one at most.
#pragma once
#include <warpfold/segmented_scan/run_marks.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/reduce.cuh>
#include <warpfold/warp/scan_rows.cuh>

namespace warpfold::segmented_scan {

/// Which of a warp's items begin a run, which exist and belong to a segment, and their numbers in their runs.
template <int Rows, int Items> struct row_runs {
  static_assert(Rows * Items <= 32);
  static constexpr unsigned row_mask = Items < 32 ? (1u << Items) - 1 : ~0u;

  unsigned begins = 0;  ///< bit row * Items + k: item k of the lane's chunk in this row begins a run
  unsigned live = 0;    ///< the same: it exists and belongs to a segment
  unsigned first = 0;   ///< the same: it belongs to the run of the chunk's first item
  int number[Rows];     ///< of the first item of the lane's chunk in its run

  /// `count` items exist. `marks` are counted from the first one.
  template <class Marks> __device__ void read(const Marks& marks, int count) {
    const int lane = arch::lane_id();
    int latest = 0;  // in all lanes, where the last run before the row begins, twice, and whether it is a gap
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int at = (row * warp_lanes + lane) * Items;
      const unsigned gaps = marks.template gaps_at<Items>(at), own = marks.template begins_at<Items>(at) | gaps;
      const int last = 31 - __clz(static_cast<int>(own));  // -1 if there is none
      const int own_run = 2 * (at + last) + static_cast<int>(own != 0 && gaps >> last);
      const unsigned beginning = __ballot_sync(full_warp, own != 0), left = beginning & ((1u << lane) - 1);
      const int run = __shfl_sync(full_warp, own_run, left != 0 ? 31 - __clz(static_cast<int>(left)) : lane);
      const int before = left != 0 ? run : latest;
      if (beginning != 0) latest = __shfl_sync(full_warp, own_run, 31 - __clz(static_cast<int>(beginning)));
      number[row] = own & 1 ? 0 : at - (before >> 1);
      begins |= own << (row * Items);
      first |= ((((own & ~1u) - 1) & ~own & row_mask) | 1) << (row * Items);
      unsigned exist =
          least_of(greatest_of(count - at, 0), Items) < Items ? (1u << greatest_of(count - at, 0)) - 1 : row_mask;
      if constexpr (Marks::has_gaps) {
        bool in_gap = before & 1;
        WARPFOLD_UNROLL
        for (int k = 0; k < Items; ++k) {
          if (own >> k & 1) in_gap = gaps >> k & 1;
          if (in_gap) exist &= ~(1u << k);
        }
      }
      live |= exist << (row * Items);
    }
  }
  /// The same of `count` items of one run.
  __device__ void read_one(int count) {
    const int lane = arch::lane_id();
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int at = (row * warp_lanes + lane) * Items, left = greatest_of(count - at, 0);
      number[row] = at;
      live |= (left < Items ? (1u << left) - 1 : row_mask) << (row * Items);
    }
    begins = lane == 0;
    first = ~0u;
  }

  __device__ bool is_live(int row, int k) const { return live >> (row * Items + k) & 1; }
  __device__ unsigned begins_in(int row) const { return begins >> (row * Items) & row_mask; }
  /// Whether item k belongs to the run of the chunk's first item.
  __device__ bool continues(int row, int k) const { return first >> (row * Items + k) & 1; }
  /// Whether an item belongs to the warp's first run.
  __device__ bool is_in_first(int row, int k) const {
    return number[row] == (row * warp_lanes + arch::lane_id()) * Items && continues(row, k);
  }
};

/// `Rows` rows of 32 chunks of `Items` items, scanned by run.
template <int Rows, int Items, class A, class Op> struct piece_rows {
  static constexpr int log_items = Items <= 1 ? 0 : Items == 2 ? 1 : Items == 4 ? 2 : Items == 8 ? 3 : 4;
  static_assert(1 << log_items == Items);
  /// Whether operations on what does not exist do harm: they are the user's.
  static constexpr bool spares_missing = !thread::has_exact_identity<Op, A>;
  using exchange_type = thread::array<A, Rows == 1 ? 1 : Rows * warp_lanes>;

  Op op;
  A values[Rows][Items] = {};
  row_runs<Rows, Items> runs = {};

  __device__ bool may_join(int row, int k) const { return !spares_missing || runs.is_live(row, k); }

  /// Makes each item the fold of its run up to it. All lanes call it.
  __device__ void scan(exchange_type& exchange) {
    if constexpr (thread::scans_exactly<Op, A>) scan_exactly();
    else {
      within_chunks<0>();
      across_chunks(exchange);
    }
  }
  /// Joins `node` to the items of the first run, on their left.
  __device__ void push_to_first(const A& node) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (runs.is_in_first(row, k) && may_join(row, k)) values[row][k] = op(node, values[row][k]);
  }
  /// Joins `node` to all items, on their left.
  __device__ void push(const A& node) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (may_join(row, k)) values[row][k] = op(node, values[row][k]);
  }
  /// Makes the inclusive prefixes exclusive ones. The first result of the first run is `before`, that of each other run
  /// is `first`.
  __device__ void make_exclusive(const A& before, const A& first) {
    warp::shift_rows(values, before);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (runs.begins_in(row) >> k & 1 && row + k + arch::lane_id() > 0) values[row][k] = first;
  }

 private:
  /// The levels of nodes that are shorter than a chunk.
  template <int Level> __device__ void within_chunks() {
    if constexpr (Level < log_items) {
      constexpr int size = 1 << Level;
      const int lane = arch::lane_id();
      A latest[size] = {};  // in lane 0, the last items of the row before
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) {
        A sources[size + Items] = {};  // the last items of the chunk before, then the chunk
        WARPFOLD_UNROLL
        for (int i = 0; i < size; ++i) {
          const A rotated = warp::shuffle(values[row][Items - size + i], (lane + warp_lanes - 1) & (warp_lanes - 1));
          sources[i] = row == 0 ? rotated : thread::choose(lane == 0, latest[row == 0 ? 0 : i], rotated);
          latest[i] = rotated;
        }
        WARPFOLD_UNROLL
        for (int k = 0; k < Items; ++k) sources[size + k] = values[row][k];
        int number = runs.number[row];
        WARPFOLD_UNROLL
        for (int k = 0; k < Items; ++k) {
          if (k > 0) number = runs.begins >> (row * Items + k) & 1 ? 0 : number + 1;
          const int distance = (number & (size - 1)) + 1;
          A node = sources[size + k - 1];
          WARPFOLD_UNROLL
          for (int i = 2; i <= size; ++i) node = thread::choose(distance == i, sources[size + k - i], node);
          if (number & size && may_join(row, k)) values[row][k] = op(node, values[row][k]);
        }
      }
      within_chunks<Level + 1>();
    }
  }

  /// The levels of nodes of one chunk or more.
  __device__ void across_chunks(exchange_type& exchange) {
    const int lane = arch::lane_id();
    A last[Rows] = {};  // what the item holds that is the last one of a node, if any of the chunk is
    int longest = 0;
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const int place = Items - 1 - (runs.number[row] & (Items - 1));
      last[row] = values[row][Items - 1];
      WARPFOLD_UNROLL
      for (int k = 0; k < Items - 1; ++k) last[row] = thread::choose(place == k, values[row][k], last[row]);
      if (runs.live >> (row * Items) & runs.row_mask) longest = greatest_of(longest, runs.number[row] + Items - 1);
    }
    longest = warp::all_reduce(longest, maximum{});
    for (int level = log_items; longest >> level != 0; ++level) {
      const int size = 1 << level;
      if constexpr (Rows > 1) {
        WARPFOLD_UNROLL
        for (int row = 0; row < Rows; ++row) exchange[row * warp_lanes + lane] = last[row];
        __syncwarp();
      }
      A nodes[Rows] = {};
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) {
        const int number = runs.number[row];
        const int from = row * warp_lanes + lane - 1 - ((number & (size - 1)) >> log_items);
        nodes[row] = last[row];
        if constexpr (Rows == 1) {
          const A other = warp::shuffle(last[0], from & (warp_lanes - 1));
          if (number & size) nodes[0] = other;
        } else if (number & size) nodes[row] = exchange[from];
      }
      if constexpr (Rows > 1) __syncwarp();
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) join_level(row, size, nodes[row], last[row]);
    }
  }
  /// Joins a node of `size` items to those of the lane's items of a row that it belongs to.
  __device__ void join_level(int row, int size, const A& node, A& last) {
    const int number = runs.number[row], place = Items - 1 - (number & (Items - 1));
    const unsigned taking_part = spares_missing ? runs.first & runs.live : runs.first;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if ((number + k) & size && taking_part >> (row * Items + k) & 1) values[row][k] = op(node, values[row][k]);
    if (number & size && taking_part >> (row * Items + place) & 1) last = op(node, last);
  }

  /// One pass from left to right: operators that are exact may associate as they like.
  __device__ void scan_exactly() {
    constexpr A nothing = thread::exact_identity<Op, A>;
    const int lane = arch::lane_id();
    A before_row = nothing;  // what the row's first run holds already
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const unsigned own = runs.begins_in(row);
      WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k) {
        if (!runs.is_live(row, k)) values[row][k] = nothing;
        if (k > 0 && !(own >> k & 1)) values[row][k] = op(values[row][k > 0 ? k - 1 : 0], values[row][k]);
      }
      const unsigned beginning = __ballot_sync(full_warp, own != 0), through = beginning & ((2u << lane) - 1);
      const int reach = through != 0 ? lane - (31 - __clz(static_cast<int>(through))) : lane;
      A all = values[row][Items - 1];
      WARPFOLD_UNROLL
      for (int distance = 1; distance < warp_lanes; distance *= 2) {
        const A left = warp::shuffle_up(all, distance);
        if (distance <= reach) all = op(left, all);
      }
      const A left = warp::shuffle_up(all, 1);
      A before = lane == 0 ? nothing : left;
      if ((beginning & ((1u << lane) - 1)) == 0) before = op(before_row, before);
      if (!(own & 1)) WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k)
        if (runs.continues(row, k)) values[row][k] = op(before, values[row][k]);
      const A last = warp::shuffle(all, warp_lanes - 1);
      before_row = beginning != 0 ? last : op(before_row, last);
    }
  }
};

}  // namespace warpfold::segmented_scan
