// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a warp as accumulators. Item i of the result is right-nested over the binary digits of i + 1, as the
// canonical tree over the items 0 to i is: from the item outwards, it meets the nodes on its left, one for each level
// on which the item lies in a right half, the lowest level first.
#pragma once
#include <warpfold/scan/items.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::scan {

template <bool Whole, int Rows, class Leaves, class Op>
struct warp_items : items_base<Whole, Rows, Leaves::chunk_items, Op> {
  using A = typename Leaves::accumulator;
  using base = items_base<Whole, Rows, Leaves::chunk_items, Op>;
  using base::count, base::has_own, base::lane_items, base::op;
  static constexpr int chunk_items = Leaves::chunk_items;
  /// Whether nodes are joined to each other first, and to the items at the end.
  static constexpr bool joins_late = is_exact<Op, A>;
  struct chunk {
    A value[chunk_items];
  };
  using by_way_of = warp::transpose<chunk, Rows>;
  static constexpr int room_bytes = by_way_of::room_bytes;

  A values[lane_items] = {};
  thread::left_fold<Op, A> left{};  ///< of the nodes before the lane's items that are known, if they are joined late

  __device__ static void prefetch(const Leaves& leaves, std::int64_t first, int existing) {
    warp::prefetch_items<base::items>(leaves.source, first, existing);
  }
  __device__ void load(const Leaves& leaves, std::int64_t first, int existing, unsigned char* room) {
    typename Leaves::chunk chunks[Rows] = {};
    if (Whole || existing > 0) warp::load_rows<Rows>(chunks, leaves.source, first, existing);
    count = existing;
    chunk rows[Rows] = {};
    this->each_in_rows([&](int row, int k) { rows[row].value[k] = leaves.leaf(chunks[row], k); });
    by_way_of::to_runs(rows, room);
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k) values[k] = rows[k / chunk_items].value[k % chunk_items];
  }
  __device__ A scan_lanes(const Leaves&) {
    thread::inclusive_scan(values, op, Whole ? lane_items : count - arch::lane_id() * lane_items);
    return this->each_node(values[lane_items - 1], [](int, const A&) {});
  }
  __device__ void scan_across_lanes() {
    this->each_node(values[lane_items - 1], [&](int distance, const A& other) {
      if (arch::lane_id() & distance) push(other);
    });
  }
  __device__ void push(const A& node) {
    if constexpr (!joins_late) join_to_items(node);
    else if (has_own(0)) left.push(node, op);
  }
  template <bool IsExclusive, class Arguments, class Stored>
  __device__ void results(const Arguments& arguments, warp::left_nodes<IsExclusive, A>& before,
                          Stored (&stored)[Rows]) {
    const auto& init = arguments.init;
    if (init.exists()) before.push(init.alone(), *this);
    before.finish(*this);
    if (joins_late && left.exists()) join_to_items(left.all);
    if constexpr (IsExclusive) shift(before.exists ? before.joined : arguments.first);
    this->pack(values, stored);
  }

 private:
  /// Makes inclusive prefixes exclusive ones. `first` is the result of the warp's first item.
  __device__ void shift(const A& first) {
    const A of_left_lane = warp::shuffle_up(values[lane_items - 1], 1);
    WARPFOLD_UNROLL
    for (int k = lane_items - 1; k > 0; --k) values[k] = values[k - 1];
    values[0] = thread::choose(arch::lane_id() == 0, first, of_left_lane);
  }
  __device__ void join_to_items(const A& node) {
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k)
      if (has_own(k)) values[k] = op(node, values[k]);
  }
};

}  // namespace warpfold::scan
