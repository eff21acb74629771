// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp joins short lists of nodes that lie in shared memory. Its lanes hold the ranks' headers, then one node each.
// Most exchanges end here, and nothing of them overlaps with other work: so this path has few steps.
#pragma once
#include <warpfold/ranks/join.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The lane of the last set bit of `lanes`, and of the first one; `none` if no bit is set.
__device__ inline int last_of(unsigned lanes, int none) {
  return lanes == 0 ? none : warp_lanes - 1 - __clz(static_cast<int>(lanes));
}
__device__ inline int first_of(unsigned lanes, int none) {
  return lanes == 0 ? none : __ffs(static_cast<int>(lanes)) - 1;
}

/// The first `count` lanes of a warp.
__device__ inline unsigned first_lanes(int count) { return count == warp_lanes ? full_warp : (1u << count) - 1; }

/// Nodes of neighbouring items in some lanes of a warp, from left to right, one each. All lanes call each member.
template <class A, class Op> class lane_nodes {
 public:
  __device__ int size() const { return __popc(nodes_); }

  /// Appends the nodes that the lanes of `nodes` give, to the right of those that hold one, and joins all siblings.
  __device__ void append(unsigned nodes, const reduction::part_piece& items, const A& value, const Op& op) {
    if (nodes >> arch::lane_id() & 1) {
      level_ = reduction::powers::bits_of(items.items - 1);
      place_ = items.first >> level_;
      value_ = value;
    }
    nodes_ |= nodes;
    join_siblings(op);
  }
  /// Moves the nodes to the first lanes.
  __device__ void compact() {
    const int lane = arch::lane_id(), size = __popc(nodes_);
    unsigned rest = nodes_;
    WARPFOLD_NO_UNROLL
    for (int i = lane < size ? lane : 0; i > 0; --i) rest &= rest - 1;
    const int from = first_of(rest, lane);
    level_ = warp::shuffle(level_, from);
    place_ = warp::shuffle(place_, from);
    value_ = warp::shuffle(value_, from);
    nodes_ = first_lanes(size);
  }
  /// The tree's root, if the items begin with item 0 and there are some. Valid in all lanes.
  __device__ A root(const Op& op) const {
    int lane = last_of(nodes_, 0);
    A value = warp::shuffle(value_, lane);
    WARPFOLD_NO_UNROLL
    for (unsigned rest = nodes_ & first_lanes(lane); rest != 0; rest &= first_lanes(lane)) {
      lane = last_of(rest, 0);
      value = op(warp::shuffle(value_, lane), value);
    }
    return value;
  }

 private:
  /// Each round joins all siblings that are neighbours now.
  __device__ void join_siblings(const Op& op) {
    const int lane = arch::lane_id();
    WARPFOLD_NO_UNROLL
    while ((nodes_ & (nodes_ - 1)) != 0) {
      const bool is_node = nodes_ >> lane & 1;
      const int next = first_of(nodes_ & ~first_lanes(lane + 1), lane),
                before = last_of(nodes_ & first_lanes(lane), lane);
      const int next_level = warp::shuffle(level_, next);
      const A next_value = warp::shuffle(value_, next);
      const bool joins = is_node && next != lane && (place_ & 1) == 0 && next_level == level_;
      const unsigned joining = __ballot_sync(full_warp, joins);
      if (joining == 0) return;
      if (joins) value_ = op(value_, next_value), place_ >>= 1, ++level_;
      nodes_ = __ballot_sync(full_warp, is_node && (before == lane || (joining >> before & 1) == 0));
    }
  }

  unsigned nodes_ = 0;      ///< the lanes that hold one
  int level_ = 0;           ///< of the lane's node, which has 2^level items
  std::int64_t place_ = 0;  ///< its number among the nodes of its level
  A value_{};
};

/// What a rank's message says of its list; in the lane of its number.
struct lane_part {
  std::int64_t first = 0, end = 0;
  int nodes = 0;
};

/// Sets the part of each lane. False if ranks do not make the call of `own`, or if the parts that have items do not
/// follow each other from item 0 on, or if there are none.
__device__ inline bool take_parts(const gathered_messages& all, const message_header& own, lane_part& part) {
  const int lane = arch::lane_id();
  bool is_regular = true;
  if (lane < all.count) {
    const message_header& header = all.of(lane);
    part = {header.first, header.end, static_cast<int>(header.count)};
    is_regular = header.call == own.call && header.root == own.root;
  }
  const unsigned parts = __ballot_sync(full_warp, part.nodes > 0);
  const int before = last_of(parts & first_lanes(lane), lane);
  const std::int64_t end_before = warp::shuffle(part.end, before);
  if (part.nodes > 0) is_regular = is_regular && part.first == (before == lane ? 0 : end_before);
  return __all_sync(full_warp, is_regular) && parts != 0;
}

/// Node `i` of a rank's list.
template <class A, class Op> __device__ const A& node_of(const gathered_messages& all, int rank, int i) {
  return warpfold::detail::list_writer::nodes(all.of<list_message<A, Op>>(rank).nodes)[i];
}

/// Joins lists of several nodes, as many ranks at once as there are lanes for.
template <class A, class Op>
__device__ __attribute__((noinline)) A root_of_lists(const gathered_messages& all, lane_part part, const Op& op) {
  const int lane = arch::lane_id();
  int counted = part.nodes;  // up to those of this lane's rank
  WARPFOLD_NO_UNROLL
  for (int distance = 1; distance < all.count; distance *= 2) {
    const int others = warp::shuffle_up(counted, distance);
    if (lane >= distance) counted += others;
  }
  const int nodes = warp::shuffle(counted, all.count - 1);
  lane_nodes<A, Op> joined;
  WARPFOLD_NO_UNROLL
  for (int appended = 0; appended < nodes;) {
    joined.compact();
    const int size = joined.size(), node = appended + lane - size;
    const bool fits = lane < all.count && counted - appended <= warp_lanes - size;
    const int until = warp::shuffle(counted, last_of(__ballot_sync(full_warp, fits), 0));
    int rank = 0;
    WARPFOLD_NO_UNROLL
    for (int each = 0; each + 1 < all.count; ++each) rank += warp::shuffle(counted, each) <= node;
    const int i = node - warp::shuffle(counted - part.nodes, rank);
    const list_nodes list(warp::shuffle(part.first, rank), warp::shuffle(part.end, rank));
    const bool is_node = node >= appended && node < until;
    joined.append(__ballot_sync(full_warp, is_node), is_node ? list[i] : reduction::part_piece{},
                  is_node ? node_of<A, Op>(all, rank, i) : A{}, op);
    appended = until;
  }
  return joined.root(op);
}

/// Checks and joins the lists of `all`, and writes the result, if all ranks make the call of `own`, have their parts in
/// the order of ranks, and have lists that fit a message's first words and the lanes of a warp. Else it writes nothing
/// and returns false. A warp calls it, for at most as many ranks as it has lanes.
template <class A, class Op, class Out>
__device__ bool join_in_warp(const gathered_messages& all, const message_header& own, const Op& op,
                             const joined_result<A, Out>& result) {
  const int lane = arch::lane_id();
  lane_part part;
  if (!take_parts(all, own, part)) return false;
  A root;
  if (__all_sync(full_warp, part.nodes <= 1)) {
    lane_nodes<A, Op> joined;
    const bool is_node = part.nodes == 1;
    joined.append(__ballot_sync(full_warp, is_node), {part.first, part.end - part.first},
                  is_node ? node_of<A, Op>(all, lane, 0) : A{}, op);
    root = joined.root(op);
  } else {
    // All items before a part have one node for each binary digit of their number.
    const bool fits = part.nodes <= nodes_in_first_words<A> &&
                      (part.nodes == 0 || reduction::powers::bits_of(part.first) + part.nodes <= warp_lanes);
    if (!__all_sync(full_warp, fits)) return false;
    root = root_of_lists<A>(all, part, op);
  }
  if (lane == 0 && result.is_written) *result.out = result.init.join(root, op);
  return true;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
