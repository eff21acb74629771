// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key as scans of parts of runs: a part is what some items hold of the run that their last item belongs to. To
// join two parts is associative if the operator is, so that the tree, the tiles and the look-back are those of a plain
// scan. The association of each result is the tree over all items, restricted to the run.
#pragma once
#include <warpfold/thread/choose.cuh>
#include <warpfold/warp/join.cuh>
#include <warpfold/warp/left_nodes.cuh>
#include <warpfold/warp/tile_rows.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::scan {

using warp::chunk_items_of, warp::load_rows, warp::prefetch_items, warp::store_rows, warp::left_nodes, warp::pack,
    warp::stored_chunk_t;

/// What some neighbouring items hold of the run of their last item.
template <class V> struct run_part {
  V value;
  unsigned begins;  ///< whether a run begins among the items
};

/// The type of results for accumulators `A`.
template <class A> struct result_of { using type = A; };
template <class V> struct result_of<run_part<V>> { using type = V; };
template <class A> using result_t = typename result_of<A>::type;

template <class Op> struct join_parts {
  Op op;
  template <class V> __device__ run_part<V> operator()(const run_part<V>& left, const run_part<V>& right) const {
    if (right.begins) return right;
    return {op(left.value, right.value), left.begins};
  }
};

/// Keys and values side by side, in equal chunks.
template <class Keys, class Values> struct keyed_source {
  static_assert(Keys::chunk_items == Values::chunk_items);
  static constexpr int chunk_items = Keys::chunk_items;
  using item = typename Values::item;

  Keys keys;
  Values values;
  std::int64_t items;
};

/// Brings keys and values into the L2 cache.
template <int Items, class Keys, class Values>
__device__ void prefetch_items(const keyed_source<Keys, Values>& source, std::int64_t first, int count) {
  prefetch_items<Items>(source.keys, first, count);
  prefetch_items<Items>(source.values, first, count);
}

/// Whether values are loaded when only a bit an item is left of their keys. So a lane can hold more values, but waits
/// twice: that is faster where values take more bytes.
template <class Key, class A> inline constexpr bool loads_keys_first = sizeof(A) > sizeof(Key);

/// What a scan by key reads: keys, of which heads of runs are left, and values.
template <class Source, class Leaves, class Equal> struct keyed_leaves {
  static constexpr int chunk_items = Source::chunk_items;
  using source_type = Source;
  using transform_type = void;
  using accumulator = run_part<typename Leaves::accumulator>;
  using keys = decltype(Source::keys);
  static constexpr bool keys_first = loads_keys_first<typename keys::item, typename Leaves::accumulator>;

  Source source;
  Leaves values;
  Equal equal;

  /// The keys before the chunks of a warp's rows, of which `first` is the first item. All lanes of the warp call it.
  template <int Rows>
  __device__ void find_keys_before(const typename keys::chunk (&rows)[Rows], std::int64_t first,
                                   thread::array<typename keys::item, Rows>& before) const {
    const int lane = arch::lane_id();
    thread::array<typename keys::item, 1> last;
    thread::array<typename keys::item, 1> row_before = {};  // in lane 0: the last key of the row before
    if (lane == 0 && first > 0) row_before[0] = source.keys.at(first - 1);
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) {
      last[0] = keys::value(rows[row], chunk_items - 1);
      const auto rotated = warp::shuffle(last, (lane + warp_lanes - 1) & (warp_lanes - 1));
      before[row] = thread::choose(lane == 0, row_before, rotated)[0];
      row_before = rotated;
    }
  }
  /// Whether a run begins at item `k` of a chunk, which exists. `before` is the key before the chunk, unless it
  /// `is_first`. `equal` sees keys that exist.
  __device__ bool begins(const typename keys::chunk& chunk, int k, const typename keys::item& before,
                         bool is_first) const {
    if (k == 0 && is_first) return true;
    return !equal(k == 0 ? before : keys::value(chunk, k > 0 ? k - 1 : 0), keys::value(chunk, k));
  }
};

/// `Rows` chunks of `Items` items a lane, their values and the heads of runs: what warp_items is to a plain scan. A
/// node on the left joins the lane's first items only, up to the first head, and none of them where a run begins in
/// between.
template <bool Whole, int Rows, int Items, class V, class Op> struct keyed_items {
  static constexpr int lane_items = Rows * Items, items = warp_lanes * lane_items;
  static constexpr bool joins_late = false;
  static_assert(lane_items <= 32, "warpfold: a lane's heads are the bits of a word");
  using A = run_part<V>;
  struct chunk {
    V value[Items];
  };
  using by_way_of = warp::transpose<chunk, Rows>;
  using heads_by_way_of = warp::transpose<std::uint32_t, Rows>;
  static constexpr int room_bytes = greatest_of(by_way_of::room_bytes, heads_by_way_of::room_bytes);

  join_parts<Op> op;
  V values[lane_items] = {};
  std::uint32_t heads = 0;  ///< bit k: a run begins at item k
  int open = 0;             ///< as many first items continue what ends on the left of what has been joined
  int count = 0;            ///< items of the warp that exist

  __device__ bool has(int first_items) const { return Whole || first_items <= count; }
  /// Whether the lane's item `k` exists.
  __device__ bool has_own(int k) const { return has(arch::lane_id() * lane_items + k + 1); }

  /// Takes the values and heads of rows.
  __device__ void take(chunk (&rows)[Rows], std::uint32_t (&heads_of_rows)[Rows], unsigned char* room) {
    by_way_of::to_runs(rows, room);
    heads_by_way_of::to_runs(heads_of_rows, room);
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k) values[k] = rows[k / Items].value[k % Items];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) heads |= heads_of_rows[row] << row * Items;
    open = heads != 0 ? __ffs(static_cast<int>(heads)) - 1 : lane_items;
  }
  /// As those of warp_items.
  template <class Leaves> __device__ A scan_lanes(const Leaves&) {
    scan_lane<1>();
    return each_node([](int, const A&) {});
  }
  __device__ void scan_across_lanes() {
    each_node([&](int distance, const A& other) {
      if (arch::lane_id() & distance) push(other);
    });
  }
  __device__ void push(const A& node) {
    if (open == 0) return;
    const int own = arch::lane_id() * lane_items;
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k)
      if (k < open && has(own + k + 1)) values[k] = op.op(node.value, values[k]);
    if (node.begins) open = 0;
  }
  /// The results. `before` is the part of all items before the warp, `init` joins each result, and `first` is an
  /// exclusive scan's first result of each run.
  template <bool IsExclusive, class Init>
  __device__ void results(const A& before, const Init& init, const V& first, V (&to)[lane_items]) const {
    const int lane = arch::lane_id();
    V left = before.value;  // what ends before the lane's first item
    if constexpr (IsExclusive) {
      const V of_left_lane = warp::shuffle_up(values[lane_items - 1], 1);
      left = thread::choose(lane == 0, before.value, of_left_lane);
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k) {
      if (!has(lane * lane_items + k + 1)) continue;
      if constexpr (!IsExclusive) to[k] = init.join(values[k], op.op);
      else if (heads >> k & 1) to[k] = first;
      else to[k] = init.join(k > 0 ? values[k > 0 ? k - 1 : 0] : left, op.op);
    }
  }

 private:
  /// thread::inclusive_scan, within runs.
  template <int Stride> __device__ void scan_lane() {
    if constexpr (Stride < lane_items) {
      const int own = arch::lane_id() * lane_items;
      WARPFOLD_UNROLL
      for (int k = 0; k < lane_items; ++k) {
        if ((k & Stride) == 0) continue;
        const int node = (k & ~(Stride - 1)) - 1;  // the last item of the node on the left
        const std::uint32_t between = (0xFFFFFFFFu >> (31 - k)) & ~(0xFFFFFFFFu >> (31 - node));
        if ((heads & between) == 0 && has(own + k + 1)) values[k] = op.op(values[node], values[k]);
      }
      scan_lane<2 * Stride>();
    }
  }
  template <class Each> __device__ A each_node(Each each) const {
    const int lane = arch::lane_id();
    A node{values[lane_items - 1], heads != 0};
    WARPFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const A other = warp::shuffle_xor(node, distance);
      each(distance, other);
      if (has(((lane | (2 * distance - 1)) + 1) * lane_items))
        node = warp::join((lane & distance) != 0, node, other, op);
    }
    return node;
  }
};

/// Loads a warp's items from item `first` on, of which `count` exist.
template <bool Whole, int Rows, int Items, class Leaves, class Op, class V>
__device__ void load(const Leaves& leaves, std::int64_t first, int count, keyed_items<Whole, Rows, Items, V, Op>& items,
                     unsigned char* room) {
  items.count = count;
  const int lane = arch::lane_id();
  typename Leaves::keys::chunk keys[Rows] = {};
  typename decltype(leaves.values)::chunk chunks[Rows] = {};
  thread::array<typename Leaves::keys::item, Rows> before = {};
  if (Whole || count > 0) {
    load_rows<Rows>(keys, leaves.source.keys, first, count);
    if (!Leaves::keys_first) load_rows<Rows>(chunks, leaves.source.values, first, count);
    leaves.find_keys_before(keys, first, before);
  }
  const auto each_item = [&](auto take) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (items.has((row * warp_lanes + lane) * Items + k + 1)) take(row, k);
  };
  std::uint32_t heads[Rows] = {};
  const auto take_head = [&](int row, int k) {
    heads[row] |= unsigned{leaves.begins(keys[row], k, before[row], first == 0 && row == 0 && lane == 0)} << k;
  };
  if (Leaves::keys_first) {
    each_item(take_head);
    if (Whole || count > 0) load_rows<Rows>(chunks, leaves.source.values, first, count);
  }
  typename keyed_items<Whole, Rows, Items, V, Op>::chunk rows[Rows] = {};
  each_item([&](int row, int k) {
    rows[row].value[k] = leaves.values.leaf(chunks[row], k);
    if (!Leaves::keys_first) take_head(row, k);
  });
  items.take(rows, heads, room);
}

}  // namespace warpfold::scan
