// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// canonical_nodes: the partial result of any stretch of neighbouring items, so that an input may be split anywhere.
//
//   wf::canonical_nodes<double, wf::plus> left(0), right(3);   // stretches that begin with items 0 and 3
//   left.append_items(x, 3, wf::plus{});
//   right.append_items(x + 3, n - 3, wf::plus{});              // on another thread, device or machine, or a day later
//   left.append(right, wf::plus{});
//   left.value(wf::plus{});                                    // the bits of wf::reduce over x[0] … x[n - 1]
//
// The list holds the maximal complete nodes of the canonical tree (canonical_tree.hpp) within the items [first, end):
//
//   items    3      4 5 6 7        8 9
//   nodes  (0,3)     (2,1)        (1,4)
//
// Levels rise and then fall, so there are at most 2 log2(end) nodes; their levels follow from first and end. To append
// a neighbour, its nodes are appended one by one, and siblings that have met are joined to their parent. Which nodes
// are joined depends on the numbers of the items alone. So appending is exactly associative, whatever the operator:
// every split, and every order in which neighbours are joined, ends in the same list and the same bits.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <warpfold/arch/precondition.cuh>
#include <warpfold/error.hpp>
#include <warpfold/operator_traits.hpp>

namespace warpfold {

namespace detail {
struct list_writer;
}

/// The nodes of the items [first(), end()), as accumulators of `Op`. Trivially copyable; for messages and checkpoints
/// its first byte_count() bytes suffice: first and end as 64-bit integers, then the nodes from left to right, each with
/// the size and alignment of `A`. Whoever receives them copies them over a list of the same type.
///
/// Functions take the operator each time, since its state need not travel. On the host they throw
/// std::invalid_argument, before the list changes, for numbers that do not fit; on the device they stop the kernel
/// where it checks (WARPFOLD_CHECKS).
template <class A, class Op> class canonical_nodes {
 public:
  /// Items are numbered below 2^62.
  static constexpr std::int64_t most_items = std::int64_t{1} << 62;
  /// The nodes that a list can hold: one per level that rises, and one per level that falls.
  static constexpr int capacity = 124;

  /// No item yet; the next one has the number `first`.
  __host__ __device__ explicit canonical_nodes(std::int64_t first = 0) : first_(first), end_(first) {
    require(first >= 0 && first <= most_items, "canonical_nodes", "the first item is", first, "not in 0 to",
            most_items);
  }

  __host__ __device__ std::int64_t first() const { return first_; }  ///< number of the first item
  __host__ __device__ std::int64_t end() const { return end_; }      ///< that of the last item, and 1
  /// The number of nodes.
  __host__ __device__ int size() const {
    const std::uint64_t peak = peak_position();
    return bits_set(peak - first_) + bits_set(end_ - peak);
  }
  /// Node `i` from the left, 0 <= i < size().
  __host__ __device__ const A& operator[](int i) const { return nodes_[i]; }
  /// Bytes that the list takes, without nodes that it could have.
  std::size_t byte_count() const {
    constexpr std::size_t numbers = (2 * sizeof(std::int64_t) + alignof(A) - 1) / alignof(A) * alignof(A);
    return numbers + static_cast<std::size_t>(size()) * sizeof(A);
  }

  /// Appends the value of the node over the next 2^level items; end() must be a multiple of 2^level. Cost: at most one
  /// operation per level; one per item on average, if items are appended (level 0).
  __host__ __device__ void append_node(int level, A value, const Op& op) {
    require(level >= 0 && level < 62 && (end_ & ((std::int64_t{1} << level) - 1)) == 0, "canonical_nodes::append_node",
            "a node cannot begin with item", end_, "on level", level);
    const std::int64_t end = end_ + (std::int64_t{1} << level);
    require(end <= most_items, "canonical_nodes::append_node", "the items would end at", end, "beyond", most_items);
    put_node(size(), level, value, op);
  }

  /// Appends the next item, converted or lifted as reduce does it.
  template <class T> __host__ __device__ void append_item(const T& item, const Op& op) {
    if constexpr (lifts<Op, T>) append_node(0, detail::convert<A>(detail::lift(op, item, end_)), op);
    else append_node(0, detail::convert<A>(item), op);
  }
  /// Appends the items items[0] … items[count - 1].
  template <class It> __host__ __device__ void append_items(It items, std::int64_t count, const Op& op) {
    for (std::int64_t i = 0; i < count; ++i) append_item(items[i], op);
  }

  /// Appends the neighbour on the right, whose first() is this list's end().
  __host__ __device__ void append(const canonical_nodes& right, const Op& op) {
    require(right.first_ == end_, "canonical_nodes::append", "the right list begins with item", right.first_,
            "and the left one ends before item", end_);
    int kept = size();
    WARPFOLD_NO_UNROLL
    for (int i = 0; end_ < right.end_; ++i) kept = put_node(kept, level_at(end_, right.end_), right.nodes_[i], op);
  }

  /// The accumulator of all items, which begin with item 0: the tree's root.
  __host__ __device__ A root(const Op& op) const {
    int i = size() - 1;
    require(first_ == 0 && i >= 0, "canonical_nodes::root", "items must go from 0 on; they go from", first_, "to",
            end_);
    A value = nodes_[i];
    WARPFOLD_NO_UNROLL
    while (i > 0) value = op(nodes_[--i], value);
    return value;
  }
  /// The result of reduce over all items, without and with an init.
  __host__ __device__ lowered_t<Op, A> value(const Op& op) const { return lowered(op, root(op)); }
  /// The same, with an init.
  __host__ __device__ lowered_t<Op, A> value(const Op& op, const A& init) const {
    return lowered(op, end_ == 0 ? init : op(init, root(op)));
  }

 private:
  friend detail::list_writer;

  /// Appends a node to a list that has `kept` nodes; returns how many it has then.
  __host__ __device__ int put_node(int kept, int level, A value, const Op& op) {
    const std::int64_t end = end_ + (std::int64_t{1} << level);
    WARPFOLD_NO_UNROLL
    while (kept > 0 && end_ >> level & 1 && ((end_ >> level) - 1) << level >= first_) {  // the left sibling is complete
      value = op(nodes_[--kept], value);
      ++level;
    }
    nodes_[kept] = value;
    end_ = end;
    return kept + 1;
  }
  __host__ __device__ static int bits_set(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return __popcll(bits);
#else
    return std::popcount(bits);
#endif
  }
  __host__ __device__ static int floor_log2(std::uint64_t number) {
#if defined(__CUDA_ARCH__)
    return 63 - __clzll(static_cast<long long>(number));
#else
    return static_cast<int>(std::bit_width(number)) - 1;
#endif
  }
  /// The level of the largest node that begins with item `position` and ends by `end`.
  __host__ __device__ static int level_at(std::int64_t position, std::int64_t end) {
    const int fitting = floor_log2(static_cast<std::uint64_t>(end - position));
    if (position == 0) return fitting;
    const int aligned = floor_log2(static_cast<std::uint64_t>(position & -position));
    return aligned < fitting ? aligned : fitting;
  }
  /// Where levels stop to rise: the number in (first, end] that the largest power of two divides.
  __host__ __device__ std::uint64_t peak_position() const {
    if (first_ == end_) return static_cast<std::uint64_t>(end_);
    const int level = floor_log2(static_cast<std::uint64_t>(first_ ^ end_));
    return static_cast<std::uint64_t>(end_ >> level << level);
  }
  __host__ __device__ static lowered_t<Op, A> lowered(const Op& op, const A& value) {
    if constexpr (lowers<Op, A>) return op.lower(value);
    else return value;
  }
  // Inlined, for compilers to know what holds.
  __host__ __device__ __forceinline__ static void require(bool holds, [[maybe_unused]] const char* function,
                                                          [[maybe_unused]] const char* what, std::int64_t value,
                                                          [[maybe_unused]] const char* than, std::int64_t limit) {
#if defined(__CUDA_ARCH__)
    arch::require(holds, "canonical_nodes: numbers %lld and %lld do not fit", value, limit);
#else
    if (holds) return;
    reject(function, {what, " ", value, " ", than, " ", limit});
#endif
  }

  std::int64_t first_, end_;
  A nodes_[capacity];
};

namespace detail {
/// For kernels that compute a list's nodes side by side.
struct list_writer {
  template <class A, class Op>
  __device__ static void set_items(canonical_nodes<A, Op>& list, std::int64_t first, std::int64_t end) {
    list.first_ = first, list.end_ = end;
  }
  template <class A, class Op> __device__ static void set_node(canonical_nodes<A, Op>& list, int i, const A& value) {
    list.nodes_[i] = value;
  }
  template <class A, class Op> __device__ static A* nodes(canonical_nodes<A, Op>& list) { return list.nodes_; }
};
}  // namespace detail

}  // namespace warpfold
