// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The right edges of long segments, and of units of them: a warp folds the chunks of one after another, and joins the
// edges of several at once, one per lane. (One at a time, 31 lanes wait for each division: moments of 2^26 floats in
// segments of 1000, by offsets, took 143 us on an H200 instead of 89.)
#pragma once
#include <warpfold/segmented/edge_joins.cuh>

namespace warpfold::segmented {

/// A long segment or a unit of one, whose chunks have been folded.
template <class A> struct long_piece {
  std::int64_t first, items, segment;
  A* value;  ///< of the unit; null for a whole segment, whose result is written
};

/// The nodes of a warp's long pieces, in shared memory: of `pieces` pieces, the fewer the longer they are.
template <class Node> class long_edge_nodes {
 public:
  using node = Node;
  static constexpr int most_pieces = 16, few_pieces = 4, slots = few_pieces * 40;
  using storage = thread::array<Node, slots>;

  __device__ long_edge_nodes(storage& own, int pieces) : own_(own), pieces_(pieces) {}
  /// How many pieces there is room for, if one has `chunks` chunks, fewer than 2^40.
  __device__ static int room_for(std::int64_t chunks) {
    return chunks >> slots / most_pieces == 0 ? most_pieces : few_pieces;
  }
  /// The node of 2^level chunks of piece `piece`.
  __device__ Node& at(int level, int piece) { return own_[level * pieces_ + piece]; }
  __device__ const Node& at(int level, int piece) const { return own_[level * pieces_ + piece]; }

 private:
  storage& own_;
  const int pieces_;
};

/// The shared memory of a warp.
template <class Leaves> struct long_edge_storage {
  using nodes_type = long_edge_nodes<edge_node<Leaves>>;
  typename nodes_type::storage nodes;
  thread::array<long_piece<typename Leaves::accumulator>, nodes_type::most_pieces> waiting;
};

namespace detail {

/// Joins the edges of the `waiting` pieces of the warp, where there was room for `room`. Not inlined: one copy is
/// enough for the instruction cache.
template <class Arguments, class Storage>
WARPFOLD_NO_INLINE __device__ void join_long_edges(const Arguments& arguments, Storage& own, int waiting, int room) {
  using leaves_type = late_leaves<typename Arguments::leaves_type>;
  const leaves_type leaves = arguments.leaves.template from<leaves_type::chunk_items>(0);
  const typename Storage::nodes_type nodes(own.nodes, room);
  const int lane = arch::lane_id();
  const auto piece = own.waiting[least_of(lane, waiting - 1)];
  const bool inside =
      leaves.source.is_inside(warp::shuffle(piece.first, 0), warp::shuffle(piece.first + piece.items, waiting - 1));
  const auto write = [&](const typename Arguments::A& value) {
    if (piece.value != nullptr) *piece.value = value;
    else arguments.write(arguments.out, piece.segment, piece.first, piece.items, value);
  };
  const bool is_wrong =
      lane < waiting &&
      !write_if_right(leaves, join_edge(leaves, piece.first, piece.items, lane, inside, arguments.op, nodes), write);
  if constexpr (!never_folds_again<leaves_type>) {
    unsigned wrong = __ballot_sync(full_warp, is_wrong);
    WARPFOLD_NO_UNROLL
    for (; wrong != 0; wrong &= wrong - 1) {
      const int from = __ffs(static_cast<int>(wrong)) - 1;
      const auto value = fold_span_again(leaves, warp::shuffle(piece.first, from), warp::shuffle(piece.items, from));
      if (lane == from) write(value);
    }
  }
  __syncwarp();  // before other pieces' nodes are kept
}

}  // namespace detail

/// The long pieces of one warp; all lanes call each member.
template <class Arguments> class long_edges {
 public:
  using leaves_type = late_leaves<typename Arguments::leaves_type>;
  using A = typename Arguments::A;
  using storage = long_edge_storage<leaves_type>;

  __device__ long_edges(const Arguments& arguments, storage& own) : arguments_(arguments), own_(own) {}

  /// Folds the chunks of a piece of segment `segment`: its `items` > 0 items from item `first` on, behind those of the
  /// pieces that wait. It is the `whole` segment, whose result is written later, or a unit, whose value goes to
  /// unit_value(). (The last argument is for long_spans, which have the result at once: long_segments.cuh.)
  template <class UnitValue, class Write>
  __device__ void add(std::int64_t first, std::int64_t items, std::int64_t segment, bool whole, UnitValue unit_value,
                      Write) {
    const leaves_type leaves = arguments_.leaves.template from<leaves_type::chunk_items>(0);
    const std::int64_t chunks = items >> log2_of(leaves_type::chunk_items);
    const int room = nodes_type::room_for(chunks);
    if (room != room_ || waiting_ == room) finish();
    room_ = room;
    nodes_type nodes(own_.nodes, room);
    detail::fold_chunks_of<rows>(leaves, first, chunks, waiting_, leaves.source.is_inside(first, first + items),
                                 arguments_.op, nodes);
    if (arch::lane_id() == 0) own_.waiting[waiting_] = {first, items, segment, whole ? nullptr : &unit_value()};
    ++waiting_;
  }
  /// Joins the edges that still wait. After it the storage may be used otherwise, until the next piece.
  __device__ void finish() {
    if (waiting_ == 0) return;
    __syncwarp();
    detail::join_long_edges(arguments_, own_, waiting_, room_);
    waiting_ = 0;
  }

 private:
  using nodes_type = typename storage::nodes_type;
  /// Of chunks that are folded at once. The code that tries terms first is so long that two rows would not fit the
  /// instruction cache beside the other ways. (On an H200, logsumexp of 2^26 floats in segments of 1501 takes 103 us by
  /// single rows and 118 by two; of 3000, 100 and 95.)
  static constexpr int rows = may_join_full_nodes<leaves_type> ? 2 : 1;

  const Arguments& arguments_;
  storage& own_;
  int waiting_ = 0, room_ = 0;  ///< pieces
};

}  // namespace warpfold::segmented
