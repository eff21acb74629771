// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a warp that are narrower than their accumulators, for exact operators. Items stay as they were loaded,
// several in a register. A lane's items are folded first, and scanned once the nodes before them are known.
#pragma once
#include <warpfold/scan/warp_items.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/scan.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::scan {

/// Whether a scan keeps items as they were loaded: they take half the registers of accumulators at most, and no code of
/// the user's would run twice, or on missing items.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
inline constexpr bool scans_packed = [] {
  if constexpr (!is_exact<Op, A> || !thread::may_combine_missing<Op, A> || !thread::may_convert_missing<Leaves>)
    return false;
  else return 2 * sizeof(typename Leaves::chunk) <= Leaves::chunk_items * sizeof(A);
}();

template <int Rows, class Leaves, class Op> struct packed_items : items_base<true, Rows, Leaves::chunk_items, Op> {
  using A = typename Leaves::accumulator;
  using base = items_base<true, Rows, Leaves::chunk_items, Op>;
  using base::op;
  using chunk = typename Leaves::chunk;
  static constexpr int chunk_items = Leaves::chunk_items;
  static constexpr bool joins_late = true;
  using by_way_of = warp::transpose<chunk, Rows>;
  static constexpr int room_bytes = by_way_of::room_bytes;

  chunk chunks[Rows] = {};
  A node{};                         ///< of the lane's items
  thread::left_fold<Op, A> left{};  ///< of the nodes before them that are known

  __device__ static void prefetch(const Leaves& leaves, std::int64_t first, int existing) {
    warp::prefetch_items<base::items>(leaves.source, first, existing);
  }
  __device__ void load(const Leaves& leaves, std::int64_t first, int existing, unsigned char* room) {
    warp::load_rows<Rows>(chunks, leaves.source, first, existing);
    by_way_of::to_runs(chunks, room);
  }
  /// Folds each lane's items only.
  __device__ A scan_lanes(const Leaves& leaves) {
    A nodes[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) nodes[row] = thread::fold_chunk(leaves, chunks[row], op);
    node = thread::fold(nodes, op);
    return this->each_node(node, [](int, const A&) {});
  }
  __device__ void scan_across_lanes() {
    this->each_node(node, [&](int distance, const A& other) {
      if (arch::lane_id() & distance) left.push(other, op);
    });
  }
  __device__ void push(const A& before) { left.push(before, op); }
  template <bool IsExclusive, class Arguments, class Stored>
  __device__ void results(const Arguments& arguments, warp::left_nodes<IsExclusive, A>& before,
                          Stored (&stored)[Rows]) {
    const auto& init = arguments.init;
    if (init.exists()) before.push(init.alone(), *this);
    else if (IsExclusive) before.push(arguments.first, *this);  // the identity as an output can hold it
    before.finish(*this);
    A latest = left.all;
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      A prefixes[chunk_items];
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k) {
        const A through = op(latest, arguments.leaves.leaf(chunks[row], k));
        prefixes[k] = IsExclusive ? latest : through;
        latest = through;
      }
      warp::pack(prefixes, stored[row], [](int) { return true; });
    }
  }
};

/// Items of any other leaves than those by key.
template <bool Whole, int Rows, class Leaves, class Op> struct choose_items {
  using type =
      std::conditional_t<scans_packed<Leaves, Op>, packed_items<Rows, Leaves, Op>, warp_items<Whole, Rows, Leaves, Op>>;
};

}  // namespace warpfold::scan
