// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments over ranks: how the local segmented_reduce also folds the nodes of the segments at both ends of the part,
// and how these are joined when all ranks' nodes have come (ranks_segments.cuh).
//
// A node is a tree of its own, so each is a segment of the local call. That has the segments
//
//   nodes of the rank's first segment | its segments but the first and the last | nodes of its last one
//
// with as many slots for nodes as there can be; those left over are empty.
#pragma once
#include <warpfold/ranks/end_message.cuh>
#include <warpfold/segmented/indexed_output.cuh>
#include <warpfold/segments/spans.cuh>
#include <warpfold/thread/counted_output.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A rank's part, and its segments: segment s has the items [offsets[s], offsets[s + 1]) of all.
template <class Offsets> struct rank_segments {
  Offsets offsets;
  std::int64_t segments, first, end;

  __device__ std::int64_t offset(std::int64_t s) const {
    return static_cast<std::int64_t>(offsets[static_cast<std::iter_difference_t<Offsets>>(s)]);
  }
  /// What of segment `s` lies in the part.
  __device__ end_list list_of(std::int64_t s) const {
    const std::int64_t begin = offset(s), behind = offset(s + 1), own_first = greatest_of(begin, first) - begin,
                       own_end = greatest_of(least_of(behind, end) - begin, own_first);
    return {begin, behind, own_first, own_end, list_nodes(own_first, own_end).count()};
  }
};

/// The offsets of the local call, from the part's first item on. `borders` are those of the slots for nodes: one more
/// than there are `slots`, of the first segment, then of the last one.
template <class Offsets> struct local_offsets {
  using value_type = segment::index_of<std::iter_value_t<Offsets>>;  // none is larger than the caller's largest
  using difference_type = std::int64_t;

  rank_segments<Offsets> of;
  const std::int64_t* borders;
  int slots;

  /// Segments of the local call.
  __host__ __device__ std::int64_t count() const {
    return of.segments == 0 ? 0 : of.segments == 1 ? slots : 2 * std::int64_t{slots} + of.segments - 2;
  }
  __device__ value_type operator[](std::int64_t i) const {
    if (i <= slots) return static_cast<value_type>(borders[i]);
    const std::int64_t s = i - slots + 1, behind = s - (of.segments - 1);
    return static_cast<value_type>(behind < 0 ? of.offset(s) - of.first : borders[slots + 1 + behind]);
  }
};

/// Writes the ends of the message, and the borders of nodes. One block.
template <class Offsets, class Message>
__global__ void cut_ends_kernel(const __grid_constant__ rank_segments<Offsets> of, Message* message,
                                std::int64_t* borders, int slots) {
  for (int i = 0; i < 2; ++i) {
    const bool exists = i == 0 ? of.segments > 0 : of.segments > 1;
    const end_list list = exists ? of.list_of(i == 0 ? 0 : of.segments - 1) : end_list{-1, -1, 0, 0, -1};
    cut_end(*message, i, list, list.begin - of.first, of.end - of.first, borders + i * (slots + 1), slots);
  }
}

/// The results of a rank's segments.
template <class A, class Op, class Out> struct rank_outputs {
  Op op;
  Out out;
  grid::initial_value<A> init, empty;

  /// Writes the result of segment `s`, whose first item has the number `begin`.
  __device__ void write(std::int64_t s, const A& value, std::int64_t begin) const {
    put(s, init.join(value, op), begin);
  }
  __device__ void write_empty(std::int64_t s, std::int64_t begin) const { put(s, empty.alone(), begin); }

 private:
  __device__ void put(std::int64_t s, const A& value, [[maybe_unused]] std::int64_t begin) const {
    const auto place = static_cast<std::ptrdiff_t>(s);
    if constexpr (lowers_segments<Op, A>) thread::put(out[place], op.lower(value, begin));
    else if constexpr (lowers<Op, A>) thread::put(out[place], op.lower(value));
    else thread::put(out[place], value);
  }
};

/// The output of the local call: nodes go to the message, as they are, and the other segments' results to the caller.
template <class A, class Op, class Offsets, class Out> struct end_outputs {
  static constexpr bool joins_initial_value = true;
  struct reference {
    const end_outputs& to;
    std::int64_t segment, begin, items;
    template <class B> __device__ void operator=(const B& value) const { to.put(segment, begin, items, value); }
  };

  rank_outputs<A, Op, Out> results;
  local_offsets<Offsets> offsets;
  end_message<A, Op>* message;

  __device__ reference operator[](std::ptrdiff_t i) const {
    const std::int64_t begin = offsets[i];
    return {*this, i, begin, offsets[i + 1] - begin};
  }
  /// The result of segment `i`, which has `items` items from item `begin` of the part on.
  __device__ reference of_segment(std::ptrdiff_t i, std::int64_t begin, std::int64_t items) const {
    return {*this, i, begin, items};
  }

 private:
  template <class B> __device__ void put(std::int64_t i, std::int64_t begin, std::int64_t items, const B& value) const {
    const std::int64_t slots = offsets.slots, behind = i - (slots + offsets.of.segments - 2);
    if (i >= slots && behind < 0) {
      const std::int64_t segment = i - slots + 1, first = begin + offsets.of.first;
      if (items > 0) results.write(segment, counted<A>(results.op, value, items), first);
      else results.write_empty(segment, first);
    } else if (items > 0) {
      message->nodes[i < slots ? i : message->first_node(1) + behind] = counted<A>(results.op, value, items);
    }
  }
};

/// Whether what the ranks say of their segments fits together. If not, thread 0 writes a report. `ranks` have items.
/// All threads of the block call it.
template <class Message> __device__ bool check_ends(const gathered_messages& all, int ranks, report* to, int& shared) {
  const auto is_elsewhere = [&](const message_header& part, const end_list& of) {
    if (!of.exists()) return false;
    if (of.begin == of.end) return of.begin < part.first || of.begin > part.end;
    return (of.begin < part.first || of.end > part.end || of.end < of.begin) &&
           greatest_of(of.begin, part.first) >= least_of(of.end, part.end);
  };
  int wrong = all.count;
  WARPFOLD_NO_UNROLL
  for (int rank = static_cast<int>(threadIdx.x); rank < all.count && wrong == all.count;
       rank += static_cast<int>(blockDim.x)) {
    const auto& of = all.of<Message>(rank);
    if (is_elsewhere(of.header, of.ends[0]) || is_elsewhere(of.header, of.ends[1])) wrong = rank;
  }
  wrong = first_named(wrong, all.count, shared);
  if (wrong < all.count) {
    if (threadIdx.x == 0) {
      const auto& of = all.of<Message>(wrong);
      const end_list& list = of.ends[is_elsewhere(of.header, of.ends[0]) ? 0 : 1];
      put_report(to, problem::elsewhere, wrong, 0, list.begin, list.end - 1);
    }
    return false;
  }
  // The segment across border `i`, before the part at place i of the order: as the rank on its left names it, or the
  // one on its right. Without a segment, or a rank, it is empty.
  const auto crossing = [&](int i, bool is_left) {
    const int place = is_left ? i - 1 : i;
    if (place < 0 || place >= ranks) return segment::segment_span{0, 0};
    const auto& of = all.of<Message>(all.order[place]);
    const std::int64_t border = is_left ? of.header.end : of.header.first;
    const end_list& list = of.ends[is_left && of.ends[1].exists() ? 1 : 0];
    if (!list.exists() || list.begin >= border || list.end <= border) return segment::segment_span{0, 0};
    return segment::segment_span{list.begin, list.end};
  };
  int border = ranks + 1;
  WARPFOLD_NO_UNROLL
  for (int i = static_cast<int>(threadIdx.x); i <= ranks && border > ranks; i += static_cast<int>(blockDim.x)) {
    const segment::segment_span left = crossing(i, true), right = crossing(i, false);
    if (left.begin != right.begin || left.end != right.end) border = i;
  }
  border = first_named(border, ranks + 1, shared);
  if (border > ranks) return true;
  if (threadIdx.x == 0) {
    if (border > 0 && border < ranks) {
      const int rank = all.order[border];
      put_report(to, problem::other_segment, all.order[border - 1], rank, all.of(rank).first);
    } else {
      const segment::segment_span of = crossing(border, border > 0);
      put_report(to, problem::beyond, all.order[border > 0 ? border - 1 : 0], 0, of.begin, of.end - 1);
    }
  }
  return false;
}

/// Joins the nodes of this rank's first and last segment, and writes their results.
template <class A, class Op, class Out> struct join_ends {
  rank_outputs<A, Op, Out> results;
  std::int64_t segments;
  canonical_nodes<A, Op>* lists;  ///< room for two
  int rank;

  __device__ void operator()(const gathered_messages& all, const Op& op, report* to, int& shared) const {
    using message = end_message<A, Op>;
    if (!check_calls(all, to, shared)) return;
    const int ranks = order_parts(all, to, shared);
    if (ranks < 0 || !check_ends<message>(all, ranks, to, shared)) return;
    const int end =
        static_cast<int>(threadIdx.x) / (warp_lanes / 2);  // both ends by the first warp, which may be alone
    if (threadIdx.x % (warp_lanes / 2) != 0 || end >= 2) return;
    const end_list own = all.of<message>(rank).ends[end];
    if (!own.exists()) return;
    const std::int64_t segment = end == 0 ? 0 : segments - 1;
    if (own.begin == own.end) return results.write_empty(segment, own.begin);
    canonical_nodes<A, Op>& list = lists[end];
    warpfold::detail::list_writer::set_items(list, 0, 0);
    WARPFOLD_NO_UNROLL
    for (int place = 0; place < ranks; ++place) {
      const message& of = all.of<message>(all.order[place]);
      if (of.header.end <= own.begin || of.header.first >= own.end) continue;
      of.append_to(list, of.ends[0].begin == own.begin && of.ends[0].end == own.end ? 0 : 1, op);
    }
    results.write(segment, list.root(op), own.begin);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
