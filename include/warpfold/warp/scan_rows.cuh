// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a warp, while they are scanned. Item i of the result is right-nested over the binary digits of i + 1, as
// the canonical tree over the items 0 to i is: from the item outwards, it meets the nodes on its left, one for each
// level on which the item lies in a right half, the lowest level first. Butterflies give each lane those nodes.
#pragma once
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

/// `Rows` rows of 32 chunks of `Items` items. If `Whole`, all items exist, or it does not matter.
template <bool Whole, int Rows, int Items, class A, class Op> struct warp_rows {
  static constexpr int row_items = warp_lanes * Items, warp_items = Rows * row_items;
  /// Whether nodes are joined to each other first, and to the items at the end.
  static constexpr bool joins_late = thread::scans_exactly<Op, A>;

  Op op;
  A values[Rows][Items] = {};
  int count = 0;  ///< items of the warp that exist

  /// Whether the first `items` items of the warp exist.
  __device__ bool has(int items) const { return Whole || items <= count; }

  /// Joins the lane's items of a row to `node` on their left.
  __device__ void push(int row, const A& node) {
    const int own = row * row_items + arch::lane_id() * Items;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (has(own + k + 1)) values[row][k] = op(node, values[row][k]);
  }
  /// The same of all rows.
  __device__ void push(const A& node) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) push(row, node);
  }

  /// Scans `Count` rows, a power of two, from row `First` on. Returns their node, valid in every lane if all their
  /// items exist. All lanes call it.
  template <int First = 0, int Count = Rows> __device__ A scan() {
    if constexpr (Count == 1) return scan_row<First>();
    else {
      constexpr int half = Count / 2;
      A node = scan<First, half>();
      const A right = scan<First + half, half>();
      WARPFOLD_UNROLL
      for (int row = First + half; row < First + Count; ++row) push(row, node);
      if (has((First + Count) * row_items)) node = op(node, right);
      return node;
    }
  }

 private:
  template <int Row> __device__ A scan_row() {
    constexpr int row = Row, first = row * row_items;
    const int lane = arch::lane_id();
    thread::inclusive_scan(values[row], op, Whole ? Items : count - first - lane * Items);
    A node = values[row][Items - 1];
    [[maybe_unused]] A left = left_of_first();
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const bool upper = lane & distance;
      const A other = shuffle_xor(node, distance);
      if constexpr (joins_late) {
        if (upper) left = op(other, left);
      } else if (upper) push(row, other);
      if (has(first + ((lane | (2 * distance - 1)) + 1) * Items)) node = join(upper, node, other, op);
    }
    if constexpr (joins_late) push(row, left);
    return node;
  }
  __device__ static A left_of_first() {
    if constexpr (joins_late) return thread::exact_identity<Op, A>;
    else return A{};
  }
};

/// The nodes to the left of some items, one for each digit of the number of what lies before, joined to one another
/// (`Joins`), to the items, or both.
template <bool Joins, class A> struct left_nodes {
  A joined{};
  bool exists = false;

  template <class Rows> __device__ void push(const A& node, Rows& rows) {
    if constexpr (!Rows::joins_late) rows.push(node);
    if constexpr (Joins || Rows::joins_late)
      if (rows.has(1)) joined = exists ? rows.op(node, joined) : node;  // else the node may lack items, too
    exists = true;
  }
  /// Joins to the items what push has not.
  template <class Rows> __device__ void finish(Rows& rows) const {
    if constexpr (Rows::joins_late)
      if (exists) rows.push(joined);
  }
};

/// Makes the inclusive prefixes of a warp exclusive ones. `first` is the result of the warp's first item.
template <int Rows, int Items, class A> __device__ void shift_rows(A (&values)[Rows][Items], const A& first) {
  const int lane = arch::lane_id();
  A before = first;  // in lane 0, the result before the row
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const A rotated = shuffle(values[row][Items - 1], (lane + warp_lanes - 1) & (warp_lanes - 1));
    WARPFOLD_UNROLL
    for (int k = Items - 1; k > 0; --k) values[row][k] = values[row][k - 1];
    values[row][0] = thread::choose(lane == 0, before, rotated);
    before = rotated;
  }
}

}  // namespace warpfold::warp
