// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp folds items of an output that lie together, or have been gathered: batch after batch.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/policy.hpp>
#include <warpfold/warp/batch_rows.hpp>
#include <warpfold/warp/batched_reduce.cuh>
#include <warpfold/warp/counter.cuh>
#include <warpfold/warp/fold_full_edge.cuh>
#include <warpfold/warp/locate_in_rows.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A lane that folds runs holds few accumulators at a time, so two blocks have enough registers. Sums that lanes have
/// in a form of their own take long to join.
template <class Leaves, bool Gathers = false>
inline constexpr row_policy row_policy_of = [] {
  constexpr std::size_t lane_bytes = lane_leaf_bytes<Leaves>();
  row_policy policy = row_policy_for(sizeof(typename Leaves::chunk), Leaves::chunk_items, leaf_bytes<Leaves>(),
                                     folds_runs<Leaves> ? least_of(lane_bytes, std::size_t{32}) : lane_bytes);
  policy.takes_turns = !sums_in_lanes<Leaves>;
  if (Gathers) gather(policy);
  return policy;
}();

namespace detail {
/// Whether the folds of a warp (warp/fold_batch.cuh) have a quicker way than leaf by leaf.
template <class Leaves> WARPFOLD_JIT consteval bool find_folds_loaded_rows() {
  if constexpr (is_as_loaded<Leaves>) {
    using type = as_loaded<Leaves, Leaves::chunk_items>;
    return warp::folds_full_rows<type> || warp::has_terms<type> || thread::folds_parts_by_runs<type>;
  } else return false;
}
}  // namespace detail

/// The node over whole rows, the first of which begins with item `first` of an output. Valid in every lane.
template <class Leaves, int Rows, class Op, class A = typename Leaves::accumulator>
__device__ A fold_whole_rows(const Leaves& leaves, const typename Leaves::chunk (&chunks)[Rows], std::int64_t first,
                             Op op) {
  constexpr int chunk_items = Leaves::chunk_items;
  if constexpr (thread::locates<Leaves>) return warp::locate_in_rows(leaves, chunks, first);
  else if constexpr (detail::find_folds_loaded_rows<Leaves>())
    return warp::fold_loaded_rows(loaded_from<chunk_items>(leaves), chunks, op);
  else {
    A values[Rows];
    WARPFOLD_UNROLL
    for (int r = 0; r < Rows; ++r)
      values[r] = fold_chunk<true>(leaves, chunks[r], first + (r * warp_lanes + arch::lane_id()) * chunk_items,
                                   chunk_items, op);
    return warp::fold_rows(values, op);
  }
}

/// Sets `node` to the node over the first `count` items of some rows by plain terms or full nodes, if it can be had so;
/// returns whether it can. All lanes of a warp call it; valid in every lane.
template <class Leaves, int Rows, class A = typename Leaves::accumulator>
__device__ bool fold_first_items([[maybe_unused]] const Leaves& leaves, const typename Leaves::chunk (&chunks)[Rows],
                                 int count, A& node) {
  if constexpr (detail::has_terms<Leaves>) {
    const auto loaded = loaded_from<Leaves::chunk_items>(leaves);
    const warp::term_rows<std::remove_const_t<decltype(loaded)>, Rows, false> all(loaded, chunks, count);
    if (all.are_plain()) node = all.fold();
    return all.are_plain();
  } else if constexpr (is_as_loaded<Leaves>) {
    using loaded = as_loaded<Leaves, Leaves::chunk_items>;
    if constexpr (warp::folds_full_edge<loaded> || thread::folds_parts_by_runs<loaded>) {
      node = warp::fold_first_items(loaded_from<Leaves::chunk_items>(leaves), chunks, count, leaves.transform.op);
      return true;
    }
  }
  return false;
}

/// fold_along where lanes sum their items in a form of their own.
template <class Leaves, class Items, class Op, class A = typename Leaves::accumulator>
__device__ A sum_along(const Leaves& leaves, Items& items, std::int64_t first, std::int64_t end, Op op) {
  constexpr int rows = row_policy_of<Leaves>.batch_rows, chunk_items = Leaves::chunk_items,
                row_items = warp_lanes * chunk_items, batch_items = rows * row_items;
  lane_sum<Leaves, rows * chunk_items> sum;
  WARPFOLD_NO_UNROLL
  for (std::int64_t from = first; from < end; from += batch_items) {
    const std::int64_t own = from + arch::lane_id() * chunk_items;
    const int own_remaining = static_cast<int>(least_of(end - own, batch_items));
    typename Leaves::chunk chunks[rows] = {};
    if constexpr (Items::are_gathered) items.take(chunks, own_remaining);
    else if (end - from >= batch_items) items.load_batch(chunks, from);
    else items.load_rows(chunks, own, own_remaining);
    typename decltype(sum)::number numbers[rows * chunk_items];
    WARPFOLD_UNROLL
    for (int k = 0; k < rows * chunk_items; ++k) {
      const int row = k / chunk_items, item = k % chunk_items;
      numbers[k] = summed_item(leaves, chunks[row], item, row * row_items + item < own_remaining);
    }
    sum.add(numbers);
  }
  A values[1] = {sum.total()};  // of a lane without items: changes no result
  return warp::fold_rows(values, op);
}

/// The root over the items [first, end) of an output, first < end. `items` loads the calling lane's chunks, batch after
/// batch: item_chunks or gathered_batches. All lanes of a warp call it; valid in every lane.
template <class Leaves, class Items, class Op, class A = typename Leaves::accumulator>
__device__ A fold_along(const Leaves& leaves, Items& items, std::int64_t first, std::int64_t end, Op op) {
  if constexpr (sums_in_lanes<Leaves>) return sum_along(leaves, items, first, end, op);
  constexpr int rows = row_policy_of<Leaves>.batch_rows, chunk_items = Leaves::chunk_items,
                row_items = warp_lanes * chunk_items, batch_items = rows * row_items;
  warp::counter<A> nodes;
  unsigned batches = 0;
  WARPFOLD_NO_UNROLL
  for (std::int64_t from = first; from < end; from += batch_items, ++batches) {
    const std::int64_t own = from + arch::lane_id() * chunk_items;
    const int remaining = static_cast<int>(least_of(end - from, batch_items)),
              own_remaining = remaining - arch::lane_id() * chunk_items;
    typename Leaves::chunk chunks[rows] = {};
    A values[rows] = {}, node;
    if constexpr (Items::are_gathered) items.take(chunks, own_remaining);
    if (remaining == batch_items) {
      if constexpr (!Items::are_gathered) items.load_batch(chunks, from);
      node = fold_whole_rows(leaves, chunks, from, op);
    } else {
      if constexpr (!Items::are_gathered) items.load_rows(chunks, own, own_remaining);
      if (!fold_first_items(leaves, chunks, remaining, node)) {
        WARPFOLD_UNROLL
        for (int r = 0; r < rows; ++r) {
          const int left = own_remaining - r * row_items;
          if ((r + 1) * row_items <= remaining)
            values[r] = fold_chunk<true>(leaves, chunks[r], own + r * row_items, left, op);
          else values[r] = fold_chunk<false>(leaves, chunks[r], own + r * row_items, left, op);
        }
        node = warp::fold_rows(values, op, (remaining + chunk_items - 1) / chunk_items);
      }
    }
    if (end - first <= batch_items) return node;
    nodes.push(batches, node, op);
  }
  return nodes.total(batches, op);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
