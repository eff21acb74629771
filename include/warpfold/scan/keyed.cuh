// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key as scans of parts of runs: a part is what some items hold of the run that their last item belongs to. To
// join two parts is associative if the operator is, so that the tree, the tiles and the look-back are those of a plain
// scan. The association of each result is the tree over all items, restricted to the run.
#pragma once
#include <warpfold/thread/choose.cuh>
#include <warpfold/warp/scan_rows.cuh>
#include <warpfold/warp/tile_rows.cuh>

namespace warpfold::scan {

using warp::chunk_items_of, warp::load_rows, warp::store_rows, warp::warp_rows, warp::left_nodes, warp::shift_rows;

/// What some neighbouring items hold of the run of their last item.
template <class V> struct run_part {
  static constexpr unsigned begins_within = 1, begins_last = 2;
  V value;
  unsigned flags;  ///< whether a run begins among the items, and whether the last item is its run's first
};
template <class A> inline constexpr bool is_run_part = false;
template <class V> inline constexpr bool is_run_part<run_part<V>> = true;

/// The type of results for accumulators `A`.
template <class A> struct result_of { using type = A; };
template <class V> struct result_of<run_part<V>> { using type = V; };
template <class A> using result_t = typename result_of<A>::type;

template <class Op> struct join_parts {
  Op op;
  template <class V> __device__ run_part<V> operator()(const run_part<V>& left, const run_part<V>& right) const {
    const unsigned flags = right.flags | (left.flags & run_part<V>::begins_within);
    if (right.flags & run_part<V>::begins_within) return {right.value, flags};
    return {op(left.value, right.value), flags};
  }
};

/// Keys and values side by side, in equal chunks, with the key before each chunk.
template <class Keys, class Values> struct keyed_source {
  static_assert(Keys::chunk_items == Values::chunk_items);
  static constexpr int chunk_items = Keys::chunk_items;
  using item = typename Values::item;
  struct chunk {
    typename Keys::chunk keys;
    typename Values::chunk values;
    thread::array<typename Keys::item, 1> before;
    bool has_before;
  };

  Keys keys;
  Values values;
  std::int64_t items;
};

/// Loads rows of keys and values, as above, and passes the keys before chunks on.
template <int Rows, class Keys, class Values>
__device__ void load_rows(typename keyed_source<Keys, Values>::chunk (&rows)[Rows],
                          const keyed_source<Keys, Values>& source, std::int64_t first, int count) {
  constexpr int items = Keys::chunk_items;
  using key_type = typename Keys::item;
  load_rows<Rows>(
      source.keys, first, count, [&](int row) -> auto& { return rows[row].keys; });
  load_rows<Rows>(
      source.values, first, count, [&](int row) -> auto& { return rows[row].values; });
  const int lane = arch::lane_id();
  thread::array<key_type, 1> before = {};  // in lane 0: the last key of the row before
  if (lane == 0 && first > 0 && count > 0) before[0] = source.keys.at(first - 1);
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    thread::array<key_type, 1> last;
    last[0] = Keys::value(rows[row].keys, items - 1);
    const auto rotated = warp::shuffle(last, (lane + warp_lanes - 1) & (warp_lanes - 1));
    rows[row].before = thread::choose(lane == 0, before, rotated);
    rows[row].has_before = first > 0 || row > 0 || lane > 0;
    before = rotated;
  }
}

/// Parts of single items, as a scan takes its leaves.
template <class Source, class Leaves, class Equal> struct keyed_leaves {
  static constexpr int chunk_items = Source::chunk_items;
  using source_type = Source;
  using transform_type = void;
  using chunk = typename Source::chunk;
  using accumulator = run_part<typename Leaves::accumulator>;

  Source source;
  Leaves values;
  Equal equal;

  /// The leaf of item `k`, which exists. `equal` sees keys that exist.
  __device__ accumulator leaf(const chunk& from, int k) const {
    using keys = decltype(source.keys);
    bool begins = k == 0 && !from.has_before;
    if (!begins)
      begins = !equal(k == 0 ? from.before[0] : keys::value(from.keys, k > 0 ? k - 1 : 0), keys::value(from.keys, k));
    return {values.leaf(from.values, k), begins ? accumulator::begins_within | accumulator::begins_last : 0};
  }
};

/// The results of rows whose inclusive parts are `rows.values`. `before` is the part of all items before the warp,
/// `init` joins each result, and `first` is an exclusive scan's first result of each run.
template <bool IsExclusive, class Rows, class Parts, class V, class Init, int RowCount, int Items>
__device__ void finish_runs(const Rows& rows, const Parts& before, const Init& init, const V& first,
                            V (&results)[RowCount][Items]) {
  const int lane = arch::lane_id();
  Parts left = before;  // in lane 0, the part before the row
  WARPFOLD_UNROLL
  for (int row = 0; row < RowCount; ++row) {
    [[maybe_unused]] const Parts rotated =
        IsExclusive ? warp::shuffle(rows.values[row][Items - 1], (lane + warp_lanes - 1) & (warp_lanes - 1)) : left;
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) {
      if (!rows.has(row * warp_lanes * Items + lane * Items + k + 1)) continue;
      const Parts& own = rows.values[row][k];
      if constexpr (!IsExclusive) results[row][k] = init.join(own.value, rows.op.op);
      else if (own.flags & Parts::begins_last) results[row][k] = first;
      else if (k > 0) results[row][k] = init.join(rows.values[row][k > 0 ? k - 1 : 0].value, rows.op.op);
      else results[row][k] = init.join(thread::choose(lane == 0, left, rotated).value, rows.op.op);
    }
    left = rotated;
  }
}

}  // namespace warpfold::scan
