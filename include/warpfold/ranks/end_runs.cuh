// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal keys over ranks: the steps beside the reduction by key of the part (ranks_by_key.cuh says why). Each
// kernel runs behind the ones before it, on one stream.
//
//   find_heads_kernel    where the part's second run begins, and its last one: from both ends inwards
//   cut_runs_kernel      where the nodes of the first and of the last run begin; the keys that other ranks ask for
//   segmented_reduce     folds these nodes, each a segment, into the message
//   the exchange, and    the rank where a run ends joins its nodes, which lie on this rank and on those before it
//   join_runs
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/ranks/end_message.cuh>
#include <warpfold/thread/put.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What kernels find out about a part's runs. All is zero at first.
struct part_runs {
  unsigned long long behind_second;  ///< items from the begin of the second run on; 0 if there is one run
  unsigned long long last;           ///< the item with which the last run begins
  std::int64_t count;                ///< of runs in the part
};

/// The keys that a rank tells: those of its first and last item, and of the item with which its last run begins.
template <class K> struct end_keys { K first, last, of_last_run; };
template <class A, class Op, class K> using run_message = end_message<A, Op, end_keys<K>>;

inline constexpr int find_heads_threads = 256, find_heads_items = 4096;

/// Finds the heads of `keys` but item 0, which lie farthest out. Blocks take chunks in turn, from both ends inwards,
/// until no chunk further in can hold what is sought.
template <class Keys, class Equal> __global__ void __launch_bounds__(find_heads_threads)
find_heads_kernel(const __grid_constant__ Keys keys, Equal equal, part_runs* found) {
  using number = unsigned long long;
  __shared__ std::int64_t known[2];  ///< what other blocks have found
  const std::int64_t items = keys.items, chunks = (items + find_heads_items - 1) / find_heads_items;
  for (std::int64_t k = blockIdx.x; k < chunks; k += gridDim.x) {
    const std::int64_t inner_first = k / 2 * find_heads_items,
                       inner_last = least_of(items, (chunks - k / 2) * find_heads_items);
    __syncthreads();  // all have read what was known
    if (threadIdx.x == 0) {
      known[0] = static_cast<std::int64_t>(atomicMax(&found->behind_second, number{0}));
      known[1] = static_cast<std::int64_t>(atomicMax(&found->last, number{0}));
    }
    __syncthreads();
    const std::int64_t behind = known[0], last = known[1];
    if (behind > 0 && items - behind <= inner_first && last >= inner_last - 1) return;
    const std::int64_t first = (k % 2 == 0 ? k / 2 : chunks - 1 - k / 2) * find_heads_items,
                       end = least_of(items, first + find_heads_items);
    std::int64_t own_first = items, own_last = 0;
    for (std::int64_t i = first + threadIdx.x; i < end; i += find_heads_threads) {
      if (i == 0 || equal(keys.at(i - 1), keys.at(i))) continue;
      own_first = least_of(own_first, i), own_last = i;
    }
    own_first = warp::all_reduce(own_first, minimum{}), own_last = warp::all_reduce(own_last, maximum{});
    if (arch::lane_id() != 0 || own_last == 0) continue;
    if (items - own_first > behind) atomicMax(&found->behind_second, static_cast<number>(items - own_first));
    if (own_last > last) atomicMax(&found->last, static_cast<number>(own_last));
  }
}

/// Where the nodes of both ends lie in the part: `slots` for each end.
struct node_borders {
  std::int64_t* of;
  int slots;

  /// Where slot `i` of both ends begins, as an iterator, and where it ends.
  struct iterator {
    using value_type = std::int64_t;
    using difference_type = std::int64_t;
    const std::int64_t* of;
    int slots;
    __device__ std::int64_t operator[](std::int64_t i) const { return of[i < slots ? i : i + 1]; }
  };
  __host__ __device__ iterator begins() const { return {of, slots}; }
  __host__ __device__ iterator ends() const { return {of + 1, slots}; }
};

/// Writes the keys and the ends of the message, and the borders of nodes. Keys begin with item `first`. One block.
template <class Keys, class Message>
__global__ void cut_runs_kernel(const __grid_constant__ Keys keys, std::int64_t first, const part_runs* runs,
                                Message* message, const __grid_constant__ node_borders borders) {
  const std::int64_t items = keys.items, second = items - static_cast<std::int64_t>(runs->behind_second),
                     last = static_cast<std::int64_t>(runs->last);
  const auto list = [&](std::int64_t from, std::int64_t to) {
    return end_list{first + from, first + to, first + from, first + to, list_nodes(first + from, first + to).count()};
  };
  const end_list none{-1, -1, first + items, first + items, -1};
  cut_end(*message, 0, items > 0 ? list(0, second) : none, -first, items, borders.of, borders.slots);
  cut_end(*message, 1, last > 0 ? list(last, items) : none, -first, items, borders.of + borders.slots + 1,
          borders.slots);
  if (threadIdx.x == 0 && items > 0) message->keys = {keys.at(0), keys.at(items - 1), keys.at(last)};
}

/// The output of nodes: the message.
template <class A, class Op, class Message> struct node_outputs {
  static constexpr bool joins_initial_value = true;
  struct reference {
    const node_outputs& to;
    std::int64_t slot, items;
    template <class B> __device__ void operator=(const B& value) const {
      if (items == 0) return;
      const std::int64_t behind = slot - to.borders.slots;
      to.message->nodes[behind < 0 ? slot : to.message->first_node(1) + behind] = counted<A>(to.op, value, items);
    }
  };

  Op op;
  Message* message;
  node_borders borders;

  __device__ reference operator[](std::ptrdiff_t i) const {
    return {*this, i, borders.ends()[i] - borders.begins()[i]};
  }
  __device__ reference of_segment(std::ptrdiff_t i, std::int64_t, std::int64_t items) const {
    return {*this, i, items};
  }
};

/// The value of a run, whose items are those of the list: its part of the tree over all items.
template <class A, class Op> __device__ A run_value(const canonical_nodes<A, Op>& list, const Op& op) {
  const list_nodes nodes(list.first(), list.end());
  const int rising = nodes.rising();
  int i = nodes.count() - 1;
  A right = list[i];
  WARPFOLD_NO_UNROLL
  while (i > rising) right = op(list[--i], right);
  if (rising == 0) return right;
  A left = list[0];
  WARPFOLD_NO_UNROLL
  for (int k = 1; k < rising; ++k) left = op(left, list[k]);
  return i < rising ? left : op(left, right);
}

/// Joins the run that ends on this rank and has begun on one before it, and writes the number of runs. `Out` is
/// by_key::run_outputs of the caller's outputs.
template <class A, class Op, class K, class Equal, class Out> struct join_runs {
  Out out;
  Equal equal;
  grid::initial_value<A> init;
  const part_runs* runs;
  canonical_nodes<A, Op>* list;  ///< room for one
  int rank;

  __device__ void operator()(const gathered_messages& all, const Op& op, report* to, int& shared) const {
    using message = run_message<A, Op, K>;
    if (!check_calls(all, to, shared)) return;
    const int ranks = order_parts(all, to, shared);
    if (ranks < 0 || threadIdx.x != 0) return;
    using count_type = std::iter_value_t<decltype(out.count)>;
    int place = 0;
    while (place < ranks && all.order[place] != rank) ++place;
    if (place == ranks) {  // without items
      *out.count = count_type{0};
      return;
    }
    const auto at = [&](int i) -> const message& { return all.of<message>(all.order[i]); };
    // Whether the first item at a place goes on with the run of the item before it.
    const auto continues = [&](int i) { return i > 0 && i < ranks && equal(at(i - 1).keys.last, at(i).keys.first); };
    const bool has_head = at(place).ends[1].exists(), ends_here = !continues(place + 1);
    *out.count = static_cast<count_type>(runs->count - !ends_here);
    if (!continues(place) || (!has_head && !ends_here) || out.capacity == 0) return;
    int begin = place - 1;
    while (!at(begin).ends[1].exists() && continues(begin)) --begin;
    const int own_end = at(begin).ends[1].exists() ? 1 : 0;
    warpfold::detail::list_writer::set_items(*list, at(begin).ends[own_end].first, at(begin).ends[own_end].first);
    at(begin).append_to(*list, own_end, op);
    WARPFOLD_NO_UNROLL
    for (int i = begin + 1; i <= place; ++i) at(i).append_to(*list, 0, op);
    out.keys[0] = at(begin).keys.of_last_run;
    thread::put(out.values[0], init.join(run_value(*list, op), op));
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
