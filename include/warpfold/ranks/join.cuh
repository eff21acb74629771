// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the lists of all ranks, which lie gathered in this rank's memory, in the order of their items: parts may lie on
// ranks in any order. Before that it checks that all ranks make the same call, and that the parts cover items 0 to the
// last once. All ranks see the same messages, so all find the same.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/ranks/report.hpp>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The messages of all ranks, `stride` bytes apart. `order` has room for as many numbers.
struct gathered_messages {
  std::byte* first;
  std::size_t stride;
  int count;
  int* order;

  template <class Message = message_header> __device__ Message& of(int rank) const {
    return *reinterpret_cast<Message*>(first + static_cast<std::size_t>(rank) * stride);
  }
};

/// The outputs of a rank when the lists are joined.
template <class A, class Out> struct joined_result {
  Out out;
  grid::initial_value<A> init, nothing;  ///< on the left; without items, if it exists
  bool is_written;                       ///< on the root, or on all ranks
};

/// The first rank, of those that a thread of the block names, or `none`. All threads of the block call it; what they
/// wrote before is visible to all afterwards.
__device__ inline int first_named(int named, int none, int& shared) {
  if (__syncthreads_or(named < none) == 0) return none;
  if (threadIdx.x == 0) shared = none;
  __syncthreads();
  if (named < none) atomicMin(&shared, named);
  __syncthreads();
  return shared;
}

/// Whether all ranks make the call of rank 0. If not, thread 0 writes a report. All threads of the block call it.
__device__ inline bool check_calls(const gathered_messages& all, report* to, int& shared) {
  const message_header& zero = all.of(0);
  int wrong = all.count;
  WARPFOLD_NO_UNROLL
  for (int rank = static_cast<int>(threadIdx.x); rank < all.count && wrong == all.count;
       rank += static_cast<int>(blockDim.x)) {
    const message_header& header = all.of(rank);
    if (header.call == 0 || header.call != zero.call || header.root != zero.root) wrong = rank;
  }
  wrong = first_named(wrong, all.count, shared);
  if (wrong == all.count) return true;
  if (threadIdx.x == 0) {
    const message_header& header = all.of(wrong);
    const problem what = header.call == 0           ? problem::cannot_take_part
                         : header.call != zero.call ? problem::other_call
                                                    : problem::other_root;
    put_report(to, what, wrong, 0, header.root, zero.root, &header.text, &zero.text);
  }
  return false;
}

/// Sorts the ranks with items by their first items into all.order, and returns how many there are; -1 if the items are
/// not covered once, which thread 0 reports. All threads of the block call it.
__device__ inline int order_parts(const gathered_messages& all, report* to, int& shared) {
  const auto first = [&](int rank) { return all.of(rank).first; };
  const auto end = [&](int rank) { return all.of(rank).end; };
  const int thread = static_cast<int>(threadIdx.x);
  int ranks = 0;
  WARPFOLD_NO_UNROLL
  for (int rank = thread; rank == thread || rank < all.count; rank += static_cast<int>(blockDim.x)) {
    const bool exists = rank < all.count && first(rank) < end(rank);
    const std::int64_t begin = exists ? first(rank) : 0;
    int place = 0;
    ranks = 0;  // all threads need it
    WARPFOLD_NO_UNROLL
    for (int other = 0; other < all.count; ++other) {
      const std::int64_t others = first(other);
      const bool has_items = others < end(other);
      ranks += has_items;
      place += has_items && (others < begin || (others == begin && other < rank));
    }
    if (exists) all.order[place] = rank;
  }
  __syncthreads();
  int wrong = ranks;
  WARPFOLD_NO_UNROLL
  for (int place = static_cast<int>(threadIdx.x); place < ranks && wrong == ranks;
       place += static_cast<int>(blockDim.x))
    if (first(all.order[place]) != (place == 0 ? 0 : end(all.order[place - 1]))) wrong = place;
  wrong = first_named(wrong, ranks, shared);
  if (wrong == ranks) return ranks;
  if (threadIdx.x == 0) {
    const int rank = all.order[wrong], before = wrong == 0 ? -1 : all.order[wrong - 1];
    const std::int64_t begin = first(rank), expected = wrong == 0 ? 0 : end(before);
    if (begin < expected) put_report(to, problem::overlap, before, rank, begin, least_of(expected, end(rank)) - 1);
    else put_report(to, problem::gap, before, rank, expected, begin - 1);
  }
  return -1;
}

/// Joins the lists of `ranks` ranks in all.order into that of the first one, neighbours side by side. All threads of
/// the block call it.
template <class A, class Op> __device__ void join_neighbours(const gathered_messages& all, int ranks, const Op& op) {
  using message = list_message<A, Op>;
  WARPFOLD_NO_UNROLL
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int step = 2 * distance;
    WARPFOLD_NO_UNROLL
    for (int i = static_cast<int>(threadIdx.x) * step; i + distance < ranks; i += static_cast<int>(blockDim.x) * step)
      all.of<message>(all.order[i]).nodes.append(all.of<message>(all.order[i + distance]).nodes, op);
    __syncthreads();
  }
}

/// Checks and joins the gathered lists, and writes the result or a report. All threads of a block call it. Not inlined:
/// it would take registers from kernels that also reduce.
template <class A, class Op, class Out>
__device__ __attribute__((noinline)) void join_messages(const gathered_messages& all, const Op& op,
                                                        const joined_result<A, Out>& result, report* to, int& shared) {
  using message = list_message<A, Op>;
  if (!check_calls(all, to, shared)) return;
  const int ranks = order_parts(all, to, shared);
  if (ranks < 0) return;
  if (ranks == 0) {
    if (threadIdx.x != 0) return;
    if (!result.nothing.exists()) put_report(to, problem::no_items, 0);
    else if (result.is_written) *result.out = result.nothing.alone();
    return;
  }
  if (!result.is_written) return;
  join_neighbours<A>(all, ranks, op);
  if (threadIdx.x == 0) *result.out = result.init.join(all.of<message>(all.order[0]).nodes.root(op), op);
}

/// (A template, as kernels of headers must be.)
template <class = void> __global__ void check_kernel(gathered_messages all, report* to) {
  __shared__ int shared;
  (void)check_calls(all, to, shared);
}

/// *out = the number of items on the ranks before `rank`. All threads of a block call it.
__device__ inline void count_items(const gathered_messages& all, int rank, std::int64_t* out, report* to, int& shared) {
  if (!check_calls(all, to, shared)) return;
  if (threadIdx.x != 0) return;
  std::int64_t before = 0;
  WARPFOLD_NO_UNROLL
  for (int each = 0; each < all.count; ++each) {
    const std::int64_t count = all.of(each).count;
    if (count < 0) return put_report(to, problem::negative_count, each, 0, count);
    if (each < rank) before += count;
  }
  *out = before;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
