// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels for items that lie together within outputs, as in the rows of a matrix: the lanes of a warp take
// neighbouring chunks of an output's items. (axes/item_chunks.cuh reads them; where they lie apart, mostly
// axes/gathered_batches.cuh.)
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/fold_along.cuh>
#include <warpfold/axes/gathered_batches.cuh>
#include <warpfold/axes/item_chunks.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/thread/fold_chunk.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Arguments>
inline constexpr row_policy policy_of_rows =
    row_policy_of<typename Arguments::leaves_type, Arguments::map::is_gathered>;
/// Batches that are gathered come behind it.
template <class Arguments>
struct alignas(16) row_storage : join_storage<typename Arguments::A, policy_of_rows<Arguments>.block_threads, 1> {};
template <class Storage> __device__ unsigned char* gathered_room(Storage& shared) {
  return reinterpret_cast<unsigned char*>(&shared + 1);
}
/// Bytes of shared memory of a block.
template <class Arguments> consteval std::size_t row_shared_bytes() {
  constexpr row_policy policy = policy_of_rows<Arguments>;
  std::size_t bytes = sizeof(row_storage<Arguments>);
  if constexpr (Arguments::map::is_gathered)
    bytes += policy.block_threads / warp_lanes * gathered_batches<Arguments, policy.batch_rows>::warp_bytes;
  return bytes;
}

/// Each warp folds some nodes of an output's items; neighbouring warps have neighbouring outputs, or adjacent nodes.
/// `unit` items are a vector wherever the first one's number is a multiple of `unit`.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(policy_of_rows<Arguments>.block_threads,
                                  policy_of_rows<Arguments>.blocks_per_multiprocessor)
row_kernel(const __grid_constant__ Arguments arguments, int unit) {
  using A = typename Leaves::accumulator;
  constexpr int block_threads = policy_of_rows<Arguments>.block_threads, rows = policy_of_rows<Arguments>.batch_rows;
  auto& shared = arch::dynamic_shared<row_storage<Arguments>>();
  const auto& plan = arguments.plan;
  const int warp = arch::uniform_warp(), lanes = plan.lanes, groups = plan.groups;
  auto batches = [&] {
    if constexpr (Arguments::map::is_gathered)
      return gathered_batches<Arguments, rows>(arguments, gathered_room(shared), unit);
    else return 0;
  }();
  for (std::int64_t work = blockIdx.x; work < plan.work_items(); work += gridDim.x) {
    const warp_shares own_shares(arguments, work, warp);
    const work_item& item = own_shares.item;
    const std::int64_t base = item.tile * lanes, output = own_shares.output;
    const int shares = own_shares.count();
    const bool joins = plan.splits > 1 || groups > 1;
    if (joins) __syncthreads();  // until the nodes of the item before have been read
    if (output < arguments.vectors) {
      const std::int64_t origin = arguments.kept.place_of(output).in;
      WARPFOLD_NO_UNROLL
      for (int number = own_shares.group; number < shares; number += groups) {
        const std::int64_t first = own_shares.first(number), end = own_shares.end(number);
        const auto fold = [&] {
          if constexpr (Arguments::map::is_gathered)
            return fold_along(arguments.leaves, batches, first, end, arguments.op);
          else {
            item_chunks items(arguments.leaves, arguments.reduced, origin, first, end, unit >= Leaves::chunk_items);
            return fold_along(arguments.leaves, items, first, end, arguments.op);
          }
        };
        const A(&value)[1] = {fold()};
        if (arch::lane_id() > 0) continue;
        if (joins) shared.put(number * lanes + static_cast<int>(output - base), value);
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
      split_joiner<1, true, Arguments, row_storage<Arguments>> joiner(arguments, shared, block_threads,
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
