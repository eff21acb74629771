// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels for items that lie together within outputs, as in the rows of a matrix: the lanes of a warp take
// neighbouring chunks of an output's items. (axes/item_chunks.cuh reads them, also where vectors do not lie together.)
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/item_chunks.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/warp/batch_rows.hpp>
#include <warpfold/warp/batched_reduce.cuh>
#include <warpfold/warp/counter.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/locate_in_rows.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A lane that folds runs holds few accumulators at a time, so two blocks have enough registers. Sums that lanes have
/// in a form of their own take long to join.
template <class Leaves>
inline constexpr row_policy row_policy_of = [] {
  constexpr std::size_t lane_bytes = lane_leaf_bytes<Leaves>();
  row_policy policy = row_policy_for(sizeof(typename Leaves::chunk), Leaves::chunk_items, leaf_bytes<Leaves>(),
                                     folds_runs<Leaves> ? least_of(lane_bytes, std::size_t{32}) : lane_bytes);
  policy.takes_turns = !sums_in_lanes<Leaves>;
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

/// Sets `node` to the node over the first `count` items of some rows by plain terms, if they can be; returns whether
/// they can. All lanes of a warp call it; valid in every lane.
template <class Leaves, int Rows, class A = typename Leaves::accumulator>
__device__ bool fold_rows_by_terms([[maybe_unused]] const Leaves& leaves, const typename Leaves::chunk (&chunks)[Rows],
                                   int count, A& node) {
  if constexpr (detail::has_terms<Leaves>) {
    const auto loaded = loaded_from<Leaves::chunk_items>(leaves);
    const warp::term_rows<std::remove_const_t<decltype(loaded)>, Rows, false> all(loaded, chunks, count);
    if (all.are_plain()) node = all.fold();
    return all.are_plain();
  }
  return false;
}

/// fold_along where lanes sum their items in a form of their own.
template <class Leaves, class Map, class Op, class A = typename Leaves::accumulator>
__device__ A sum_along(const item_chunks<Leaves, Map>& items, std::int64_t first, std::int64_t end, Op op) {
  constexpr int rows = row_policy_of<Leaves>.batch_rows, chunk_items = Leaves::chunk_items,
                row_items = warp_lanes * chunk_items, batch_items = rows * row_items;
  lane_sum<Leaves, rows * chunk_items> sum;
  WARPFOLD_NO_UNROLL
  for (std::int64_t from = first; from < end; from += batch_items) {
    const std::int64_t own = from + arch::lane_id() * chunk_items;
    const int own_remaining = static_cast<int>(least_of(end - own, batch_items));
    typename Leaves::chunk chunks[rows] = {};
    if (end - from >= batch_items) items.load_batch(chunks, from);
    else items.load_rows(chunks, own, own_remaining);
    typename decltype(sum)::number numbers[rows * chunk_items];
    WARPFOLD_UNROLL
    for (int k = 0; k < rows * chunk_items; ++k) {
      const int row = k / chunk_items, item = k % chunk_items;
      numbers[k] = summed_item(items.leaves, chunks[row], item, row * row_items + item < own_remaining);
    }
    sum.add(numbers);
  }
  A values[1] = {sum.total()};  // of a lane without items: changes no result
  return warp::fold_rows(values, op);
}

/// The root over the items [first, end) of an output, first < end. All lanes of a warp call it; valid in every lane.
template <class Leaves, class Map, class Op, class A = typename Leaves::accumulator>
__device__ A fold_along(const item_chunks<Leaves, Map>& items, std::int64_t first, std::int64_t end, Op op) {
  if constexpr (sums_in_lanes<Leaves>) return sum_along(items, first, end, op);
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
    if (remaining == batch_items) {
      items.load_batch(chunks, from);
      node = fold_whole_rows(items.leaves, chunks, from, op);
    } else {
      items.load_rows(chunks, own, own_remaining);
      if (!fold_rows_by_terms(items.leaves, chunks, remaining, node)) {
        WARPFOLD_UNROLL
        for (int r = 0; r < rows; ++r)
          values[r] =
              fold_chunk<false>(items.leaves, chunks[r], own + r * row_items, own_remaining - r * row_items, op);
        node = warp::fold_rows(values, op, (remaining + chunk_items - 1) / chunk_items);
      }
    }
    if (end - first <= batch_items) return node;
    nodes.push(batches, node, op);
  }
  return nodes.total(batches, op);
}

template <class Leaves>
using row_storage = join_storage<typename Leaves::accumulator, row_policy_of<Leaves>.block_threads, 1>;

/// Each warp folds some nodes of an output's items; neighbouring warps have neighbouring outputs, or adjacent nodes.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(row_policy_of<Leaves>.block_threads, row_policy_of<Leaves>.blocks_per_multiprocessor)
row_kernel(const __grid_constant__ Arguments arguments, bool is_aligned) {
  using A = typename Leaves::accumulator;
  constexpr int block_threads = row_policy_of<Leaves>.block_threads;
  auto& shared = arch::dynamic_shared<row_storage<Leaves>>();
  const auto& plan = arguments.plan;
  const int warp = arch::uniform_warp(), lanes = plan.lanes, groups = plan.groups, group = warp / lanes;
  const int log_share = plan.log_rows - plan.log_turns;
  for (std::int64_t work = blockIdx.x; work < plan.work_items(); work += gridDim.x) {
    const work_item item = arguments.item_at(work);
    const std::int64_t base = item.tile * lanes, output = base + warp - group * lanes;
    const int shares = static_cast<int>((item.end - item.first - 1) >> log_share) + 1;
    const bool joins = plan.splits > 1 || groups > 1;
    if (joins) __syncthreads();  // until the nodes of the item before have been read
    if (output < arguments.vectors) {
      const std::int64_t origin = arguments.kept.place_of(output).in;
      WARPFOLD_NO_UNROLL
      for (int number = group; number < shares; number += groups) {
        const std::int64_t first = item.first + (std::int64_t{number} << log_share),
                           end = least_of(first + (std::int64_t{1} << log_share), item.end);
        const A(&value)[1] = {
            fold_along(item_chunks(arguments.leaves, arguments.reduced, origin, first, end, is_aligned), first, end,
                       arguments.op)};
        if (arch::lane_id() > 0) continue;
        if (joins) shared.put(number * lanes + warp - group * lanes, value);
        else arguments.template write<1>(output, value);
      }
    }
    if (!joins) continue;
    const tile_thread own(lanes);
    const bool exists = base + own.lane < arguments.vectors;
    __syncthreads();
    A values[1] = {};
    if (shares > 1) join_nodes<1>(shared, own, block_threads / lanes, exists, shares, arguments.op, values);
    else if (exists && own.group == 0) values[0] = shared.singles[own.lane].values[0];
    if (plan.splits > 1) {  // this is the block's only item
      split_joiner<1, true, Arguments, row_storage<Leaves>> joiner(arguments, shared, block_threads,
                                                                   arch::flat_thread() == 0);
      joiner.leave(item, own, values);
      return joiner.finish();
    }
    if (own.group == 0 && exists) arguments.template write<1>(base + own.lane, values);
  }
}

/// Joins `Count` values, a power of two, of which the first ones exist. Their node is the first one.
template <int Stride = 1, int Count, class Exists, class A, class Op>
__device__ void fold_adjacent(A (&values)[Count], Exists exists, Op op) {
  if constexpr (Stride < Count) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Count; i += 2 * Stride)
      if (exists(i + Stride)) values[i] = op(values[i], values[i + Stride]);
    fold_adjacent<2 * Stride>(values, exists, op);
  }
}

/// fold_chunk of a chunk that has items, of which `count` are left. Where lengths are whole chunks, all of it exists.
template <class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ A fold_chunk_of_row(const Leaves& leaves, const typename Leaves::chunk& from, int index, int count,
                               bool are_whole, Op op) {
  if constexpr (is_as_loaded<Leaves> && !sums_in_lanes<Leaves>) {
    const auto loaded = loaded_from<Leaves::chunk_items>(leaves);
    if (are_whole) return thread::fold_chunk(loaded, from, op);
    return thread::fold_chunk(loaded, from, op, count);
  } else {
    if (are_whole && !sums_in_lanes<Leaves>) return fold_chunk<true>(leaves, from, index, count, op);
    return fold_chunk<false>(leaves, from, index, count, op);
  }
}

/// Folds the outputs of a group of lanes, the first of which is number `first_output`. Each lane has `Adjacent`
/// adjacent chunks of every one.
template <int Adjacent, class Arguments, class Leaves = typename Arguments::leaves_type>
__device__ void fold_short_rows(const Arguments& arguments, const tile_thread& own, std::int64_t first_output,
                                bool is_aligned) {
  using A = typename Leaves::accumulator;
  constexpr int outputs = row_policy_of<Leaves>.short_chunks / Adjacent, chunk_items = Leaves::chunk_items,
                lane_items = Adjacent * chunk_items;
  const int groups = arguments.plan.groups, lanes = arguments.plan.lanes, items = static_cast<int>(arguments.items),
            first = own.lane * lane_items;
  typename Leaves::chunk held[outputs][Adjacent] = {};
  int left[outputs];  // items of an output from the lane's first one on
  WARPFOLD_UNROLL
  for (int o = 0; o < outputs; ++o) {
    const std::int64_t output = first_output + o * groups;
    left[o] = output < arguments.vectors ? items - first : 0;
    if (left[o] <= 0) continue;
    const item_chunks row(arguments.leaves, arguments.reduced, arguments.kept.place_of(output).in, 0, items,
                          is_aligned);
    WARPFOLD_UNROLL
    for (int c = 0; c < Adjacent; ++c)
      if (const int begin = c * chunk_items; begin < left[o]) row.load(held[o][c], first + begin, left[o] - begin);
  }
  const bool are_whole = items % chunk_items == 0;
  A nodes[outputs] = {};
  WARPFOLD_UNROLL
  for (int o = 0; o < outputs; ++o) {
    A values[Adjacent] = {};
    WARPFOLD_UNROLL
    for (int c = 0; c < Adjacent; ++c)
      if (const int begin = c * chunk_items; begin < left[o])
        values[c] =
            fold_chunk_of_row(arguments.leaves, held[o][c], first + begin, left[o] - begin, are_whole, arguments.op);
    fold_adjacent(
        values, [&](int c) { return c * chunk_items < left[o]; }, arguments.op);
    nodes[o] = values[0];
  }
  WARPFOLD_NO_UNROLL
  for (int distance = 1; distance < lanes; distance *= 2) {
    WARPFOLD_UNROLL
    for (int o = 0; o < outputs; ++o) {
      const A other = warp::shuffle_down(nodes[o], distance);
      if (own.lane % (2 * distance) == 0 && distance * lane_items < left[o]) nodes[o] = arguments.op(nodes[o], other);
    }
  }
  if (own.lane > 0) return;
  WARPFOLD_UNROLL
  for (int o = 0; o < outputs; ++o) {
    const A(&result)[1] = {nodes[o]};
    if (left[o] > 0) arguments.template write<1>(first_output + o * groups, result);
  }
}

/// Outputs of a few chunks for each lane of a warp: plan.lanes neighbouring lanes, a power of two, take 2^log_rows
/// adjacent chunks each of an output, so most of it is folded without communication. If a lane can have more in flight,
/// it takes several outputs.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(row_policy_of<Leaves>.block_threads, row_policy_of<Leaves>.blocks_per_multiprocessor)
short_row_kernel(const __grid_constant__ Arguments arguments, bool is_aligned) {
  constexpr int chunks = row_policy_of<Leaves>.short_chunks,
                ways = Arguments::map::is_scattered ? 1 : log2_of(chunks) + 1;  // see plan_short_rows
  const auto& plan = arguments.plan;
  const tile_thread own(plan.lanes);
  WARPFOLD_NO_UNROLL
  for (std::int64_t work = blockIdx.x; work < plan.work_items(); work += gridDim.x) {
    const std::int64_t first_output = work * plan.groups * (chunks >> plan.log_rows) + own.group;
    [&]<int... Logs>(std::integer_sequence<int, Logs...>) {
      ((Logs == plan.log_rows ? fold_short_rows<1 << Logs>(arguments, own, first_output, is_aligned) : void()), ...);
    }
    (std::make_integer_sequence<int, ways>());
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
