// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The message of a rank about the two ends of its part: the nodes of its first and of its last segment, or run, which
// may go on on other ranks. Nodes are those of the tree over the whole segment, whichever rank folds them.
#pragma once
#include <warpfold/ranks/join.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What of a segment lies on a rank.
struct end_list {
  std::int64_t begin, end;   ///< the segment, by numbers of items
  std::int64_t first, last;  ///< its items on this rank, as its tree numbers them
  std::int32_t nodes;        ///< of these; -1 if there is no such segment

  __device__ bool exists() const { return nodes >= 0; }
};

/// As many nodes as an end of a part of `count` items can have.
inline int most_end_nodes(std::int64_t count) {
  return 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)));
}

struct no_keys {};

/// `Keys` travel beside the nodes.
template <class A, class Op, class Keys = no_keys> struct end_message {
  static constexpr int capacity = canonical_nodes<A, Op>::capacity;

  message_header header;  ///< its count is that of all nodes
  end_list ends[2];       ///< the first segment, and the last one if there are several
  Keys keys;
  A nodes[capacity];  ///< of the first segment, then of the last one

  __device__ static std::int64_t payload_bytes(const message_header& given) {
    constexpr auto aligned = [](std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; };
    constexpr std::size_t head = sizeof(message_header) + 2 * sizeof(end_list),
                          before = aligned(aligned(head, alignof(Keys)) + sizeof(Keys), alignof(A));
    static_assert(before + sizeof nodes <= sizeof(end_message));
    static_assert(before - sizeof(message_header) <= most_bytes_before_nodes, "warpfold: the keys are too large");
    return static_cast<std::int64_t>(before - sizeof(message_header)) +
           given.count * static_cast<std::int64_t>(sizeof(A));
  }
  __device__ void* payload() { return ends; }
  __device__ void complete(message_header& given) const {
    if (given.call != 0) given.count = first_node(2);
  }
  __device__ static void take() {}
  /// Where the nodes of end `i` begin, 0 or 1; behind all for 2.
  __device__ int first_node(int i) const {
    int before = 0;
    for (int k = 0; k < i; ++k) before += greatest_of(ends[k].nodes, 0);
    return before;
  }
  /// Appends end `i` to the list of the items before it.
  __device__ void append_to(canonical_nodes<A, Op>& list, int i, const Op& op) const {
    const list_nodes all(ends[i].first, ends[i].last);
    const A* const values = nodes + first_node(i);
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < ends[i].nodes; ++k)
      list.append_node(reduction::powers::bits_of(all[k].items - 1), values[k], op);
  }
};

/// Writes end `i` of the message, and the borders of its nodes in the part: one more than there are `slots`, from the
/// part's item number `begin` on, where the tree's first item would lie. One block calls it.
template <class Message>
__device__ void cut_end(Message& message, int i, const end_list& list, std::int64_t begin, std::int64_t count,
                        std::int64_t* borders, int slots) {
  if (threadIdx.x == 0) message.ends[i] = list;
  const list_nodes nodes(list.first, list.last);
  for (int k = static_cast<int>(threadIdx.x); k <= slots; k += static_cast<int>(blockDim.x)) {
    const std::int64_t border = begin + (k < nodes.count() ? nodes[k].first : list.last);
    borders[k] = greatest_of(least_of(border, count), 0);  // a segment may lie elsewhere, which will be reported
  }
}

/// The accumulator of `items` items that were folded to `value`, perhaps by a simpler operator that `op` names.
template <class A, class Op, class B>
__device__ A counted(const Op& op, const B& value, [[maybe_unused]] std::int64_t items) {
  if constexpr (std::is_same_v<A, B>) return value;
  else if constexpr (requires { op.template counted<A>(value, items); }) return op.template counted<A>(value, items);
  else return warpfold::detail::convert<A>(value);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
