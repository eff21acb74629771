// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key as scans of parts of runs. The part of some neighbouring items is the fold of those that share the last
// item's run. Joining two parts is associative if the operator is, so the tree, the tiles and the look-back are those
// of a plain scan. The association of each result is the tree over all items, restricted to the run.
#pragma once
#include <warpfold/scan/items.cuh>
#include <warpfold/thread/choose.cuh>
#include <warpfold/warp/transpose.cuh>

namespace warpfold::scan {

/// The fold of those neighbouring items that share the last item's run.
template <class V> struct run_part {
  V value;
  unsigned begins;  ///< whether a run begins among the items
};

template <class Op> struct join_parts {
  Op op;
  template <class V> __device__ run_part<V> operator()(const run_part<V>& left, const run_part<V>& right) const {
    if (right.begins) return right;
    return {op(left.value, right.value), left.begins};
  }
};

template <class V> struct result_of<run_part<V>> { using type = V; };
template <class Op> struct plain_operation<join_parts<Op>> { using type = Op; };

/// Keys and values side by side, in equal chunks.
template <class Keys, class Values> struct keyed_source {
  static_assert(Keys::chunk_items == Values::chunk_items);
  static constexpr int chunk_items = Keys::chunk_items;
  using item = typename Values::item;

  Keys keys;
  Values values;
  std::int64_t items;
};

/// Whether values are loaded after their keys have become one bit per item. So a lane can hold more values, but waits
/// twice: that is faster where values take more bytes.
template <class Key, class A> inline constexpr bool loads_keys_first = sizeof(A) > sizeof(Key);

/// The input of a scan by key: keys, which become heads of runs, and values.
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

/// A warp's values and the heads of runs. A node on the left joins the lane's first items only, up to the first head,
/// and none of them where a run begins in between. `Op` is join_parts of the caller's operator.
template <bool Whole, int Rows, class Leaves, class Op>
struct keyed_items : items_base<Whole, Rows, Leaves::chunk_items, Op> {
  using A = typename Leaves::accumulator;
  using V = result_t<A>;
  using base = items_base<Whole, Rows, Leaves::chunk_items, Op>;
  using base::count, base::has_own, base::lane_items, base::op;
  static constexpr int chunk_items = Leaves::chunk_items;
  static constexpr bool joins_late = false;
  static_assert(lane_items <= 32, "warpfold: a lane's heads are the bits of a word");
  struct chunk {
    V value[chunk_items];
  };
  using by_way_of = warp::transpose<chunk, Rows>;
  using heads_by_way_of = warp::transpose<std::uint32_t, Rows>;
  static constexpr int room_bytes = greatest_of(by_way_of::room_bytes, heads_by_way_of::room_bytes);

  V values[lane_items] = {};
  std::uint32_t heads = 0;  ///< bit k: a run begins at item k
  int open = 0;             ///< leading items that exist and still wait for context from the left

  __device__ static void prefetch(const Leaves& leaves, std::int64_t first, int existing) {
    warp::prefetch_items<base::items>(leaves.source.keys, first, existing);
    warp::prefetch_items<base::items>(leaves.source.values, first, existing);
  }
  __device__ void load(const Leaves& leaves, std::int64_t first, int existing, unsigned char* room) {
    count = existing;
    typename Leaves::keys::chunk keys[Rows] = {};
    typename decltype(leaves.values)::chunk chunks[Rows] = {};
    thread::array<typename Leaves::keys::item, Rows> before = {};
    if (Whole || existing > 0) {
      warp::load_rows<Rows>(keys, leaves.source.keys, first, existing);
      if (!Leaves::keys_first) warp::load_rows<Rows>(chunks, leaves.source.values, first, existing);
      leaves.find_keys_before(keys, first, before);
    }
    std::uint32_t heads_of_rows[Rows] = {};
    const auto take_head = [&](int row, int k) {
      const bool is_first = first == 0 && row == 0 && arch::lane_id() == 0;
      heads_of_rows[row] |= unsigned{leaves.begins(keys[row], k, before[row], is_first)} << k;
    };
    if (Leaves::keys_first) {
      this->each_in_rows(take_head);
      if (Whole || existing > 0) warp::load_rows<Rows>(chunks, leaves.source.values, first, existing);
    }
    chunk rows[Rows] = {};
    this->each_in_rows([&](int row, int k) {
      rows[row].value[k] = leaves.values.leaf(chunks[row], k);
      if (!Leaves::keys_first) take_head(row, k);
    });
    take(rows, heads_of_rows, room);
  }
  __device__ A scan_lanes(const Leaves&) {
    scan_lane<1>();
    return this->each_node(own_node(), [](int, const A&) {});
  }
  __device__ void scan_across_lanes() {
    this->each_node(own_node(), [&](int distance, const A& other) {
      if (arch::lane_id() & distance) push(other);
    });
  }
  __device__ void push(const A& node) {
    if (open == 0) return;
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k)
      if (k < open) values[k] = op.op(node.value, values[k]);
    if (node.begins) open = 0;
  }
  /// (The first result of each run of an exclusive scan is init, or arguments.first.)
  template <bool IsExclusive, class Arguments, class Stored>
  __device__ void results(const Arguments& arguments, const warp::left_nodes<IsExclusive, A>& before,
                          Stored (&stored)[Rows]) const {
    const auto& init = arguments.init;
    const V first = init.exists() ? init.alone() : arguments.first;
    V left = before.joined.value;  // of the run that ends before the lane's first item
    if constexpr (IsExclusive)
      left = thread::choose(arch::lane_id() == 0, left, warp::shuffle_up(values[lane_items - 1], 1));
    V prefixes[lane_items] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k) {
      if (!has_own(k)) continue;
      if constexpr (!IsExclusive) prefixes[k] = init.join(values[k], op.op);
      else if (heads >> k & 1) prefixes[k] = first;
      else prefixes[k] = init.join(k > 0 ? values[k > 0 ? k - 1 : 0] : left, op.op);
    }
    this->pack(prefixes, stored);
  }

 private:
  /// Deals out the values and heads of rows to the lanes.
  __device__ void take(chunk (&rows)[Rows], std::uint32_t (&heads_of_rows)[Rows], unsigned char* room) {
    by_way_of::to_runs(rows, room);
    heads_by_way_of::to_runs(heads_of_rows, room);
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k) values[k] = rows[k / chunk_items].value[k % chunk_items];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) heads |= heads_of_rows[row] << row * chunk_items;
    open = heads != 0 ? __ffs(static_cast<int>(heads)) - 1 : lane_items;
    if (!Whole) open = least_of(open, greatest_of(count - arch::lane_id() * lane_items, 0));
  }
  __device__ A own_node() const { return {values[lane_items - 1], heads != 0}; }
  /// thread::inclusive_scan, within runs.
  template <int Stride> __device__ void scan_lane() {
    if constexpr (Stride < lane_items) {
      WARPFOLD_UNROLL
      for (int k = 0; k < lane_items; ++k) {
        if ((k & Stride) == 0) continue;
        const int node = (k & ~(Stride - 1)) - 1;  // the last item of the node on the left
        const std::uint32_t between = (0xFFFFFFFFu >> (31 - k)) & ~(0xFFFFFFFFu >> (31 - node));
        if ((heads & between) == 0 && has_own(k)) values[k] = op.op(values[node], values[k]);
      }
      scan_lane<2 * Stride>();
    }
  }
};

/// Keyed leaves are kept as keyed items.
template <bool Whole, int Rows, class Source, class Leaves, class Equal, class Op>
struct choose_items<Whole, Rows, keyed_leaves<Source, Leaves, Equal>, Op> {
  using type = keyed_items<Whole, Rows, keyed_leaves<Source, Leaves, Equal>, Op>;
};

}  // namespace warpfold::scan
