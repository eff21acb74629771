// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of top_k and bottom_k over numbers of up to 32 bits. Warps take batches in turn; each keeps a list of the
// best items it has met. In most batches nothing qualifies; one comparison per item shows it. Lists are joined in the
// block, then by the last block. The order of items is total, so any grouping gives the same list.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/grid/reduction_arguments.cuh>
#include <warpfold/warp/load_rows.cuh>
#include <warpfold/warp/select_in_rows.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int select_block_warps = 8, select_blocks_per_multiprocessor = 3;
/// Rows of 32 chunks in a batch. Items are compared as 32 bits, so narrow ones take more registers.
template <class Leaves> inline constexpr int select_rows = Leaves::chunk_items > 4 ? 4 : 8;

template <class V> struct listed_item {
  V value;
  std::int64_t place;  ///< -1: no item
};

/// Batches are dealt to warps in turn.
struct batch_schedule {
  std::int64_t batches;
};
template <class Leaves, class Op, class Out>
using select_arguments = grid::reduction_arguments<Leaves, Op, Out, batch_schedule>;

template <class Leaves> struct select_traits {
  using Op = std::remove_cvref_t<decltype(Leaves::transform.op)>;
  using V = typename warp::detail::selected_items<Leaves>::value;
  using list = warp::lane_list<Op, V, std::int64_t>;
  using items = listed_item<V>[Op::selected];
  static constexpr std::int64_t batch_items = std::int64_t{select_rows<Leaves>} * warp_lanes * Leaves::chunk_items;
};

template <class Leaves> struct select_storage {
  typename select_traits<Leaves>::items warp[select_block_warps];
  std::uint32_t bound;  ///< the best rank of a warp's K-th item: no worse item is among the best
  bool is_last;
};

/// Enters the items of a batch that are among the best. `bound` is a rank that the K-th best item has at least. All
/// lanes of the warp call it.
template <class Leaves, class List>
__device__ void select_batch(const Leaves& leaves, std::int64_t first, List& list, std::uint32_t bound) {
  using traits = select_traits<Leaves>;
  using Op = typename traits::Op;
  using V = typename traits::V;
  constexpr int chunk_items = Leaves::chunk_items, items = select_rows<Leaves> * chunk_items,
                row_items = warp_lanes * chunk_items;
  const auto& source = leaves.source.source;
  typename std::remove_cvref_t<decltype(source)>::chunk rows[select_rows<Leaves>];
  const bool all_exist = warp::load_rows(source, first, rows);
  const std::int64_t remaining = source.items - first - arch::lane_id() * chunk_items;
  const auto exists = [&](int i) { return all_exist || i / chunk_items * row_items + i % chunk_items < remaining; };
  const auto item = [&](int i) {
    return warpfold::detail::convert<V>(
        leaves.transform.transform(source.value(rows[i / chunk_items], i % chunk_items)));
  };
  V best{};
  if (all_exist) {
    best = item(0);
    WARPFOLD_UNROLL
    for (int i = 1; i < items; ++i) best = Op::better_of(best, item(i));
  } else {
    WARPFOLD_UNROLL
    for (int i = 0; i < items; ++i)
      if (exists(i)) best = i == 0 ? item(i) : Op::better_of(best, item(i));
  }
  const bool is_full = list.is_full();
  const V last = list.last();
  // Later items of equal value come after those in the list.
  const bool may_enter = exists(0) && (!is_full || Op::is_worse(last, best)) && Op::rank(best) >= bound;
  const unsigned entering = __ballot_sync(full_warp, may_enter);
  if (__builtin_expect(entering == 0, true)) return;
  // If many lanes have items that may enter, only the best do: the K-th best of the lanes' best items is a bound.
  const bool are_many = __popc(entering) > Op::selected;
  const V least = are_many ? warp::kth_best<Op>(best, may_enter) : best;
  WARPFOLD_UNROLL
  for (int mask_first = 0; mask_first < items; mask_first += 32) {
    constexpr int most = items < 32 ? items : 32;
    unsigned waiting = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < most; ++i)
      if (may_enter && exists(mask_first + i) && (!are_many || !Op::is_worse(item(mask_first + i), least)) &&
          (!is_full || Op::is_worse(last, item(mask_first + i))))
        waiting |= 1u << i;
    while (__any_sync(full_warp, waiting != 0)) {
      const int next = __ffs(static_cast<int>(waiting)) - 1;
      V own{};
      WARPFOLD_UNROLL
      for (int i = 0; i < most; ++i)  // registers have no addresses
        if (i == next) own = item(mask_first + i);
      const int i = mask_first + next;
      const std::int64_t place =
          first + (i / chunk_items * warp_lanes + arch::lane_id()) * chunk_items + i % chunk_items;
      list.enter(waiting != 0 && Op::rank(own) >= bound, own, place);
      waiting &= waiting - 1;
    }
  }
}

/// Enters the items of lists that a warp has stored.
template <class List, class Items>
__device__ void enter_lists(List& list, const Items* lists, int first, int end, int step) {
  const int lane = arch::lane_id();
  for (int i = first; i < end; i += step) {
    const auto own = lists[i][lane < List::K ? lane : 0];
    list.enter(lane < List::K && own.place >= 0, own.value, own.place);
  }
}
template <class List, class Items> __device__ void store_list(const List& list, Items& to) {
  const int lane = arch::lane_id();
  if (lane < List::K) to[lane] = {list.value(), list.holds() ? list.place() : -1};
}

/// Joins the lists of the block's warps in warp 0. All threads call it.
template <class List, class Storage> __device__ void join_block_lists(List& list, Storage& shared, int warps) {
  if (warps == 1) return;
  const int warp = arch::flat_warp();
  if (warp > 0) store_list(list, shared.warp[warp]);
  __syncthreads();
  if (warp == 0) enter_lists(list, shared.warp, 1, warps, 1);
}

template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(select_block_warps* warp_lanes, select_blocks_per_multiprocessor)
select_kernel(const __grid_constant__ select_arguments<Leaves, Op, Out> arguments) {
  using traits = select_traits<Leaves>;
  auto& shared = arch::dynamic_shared<select_storage<Leaves>>();
  const auto& leaves = arguments.leaves;
  const int warp = arch::flat_warp(), warps = static_cast<int>(blockDim.x / warp_lanes),
            blocks = static_cast<int>(gridDim.x);
  if (arch::flat_thread() == 0) shared.bound = 0;
  __syncthreads();
  typename traits::list list;
  std::uint32_t bound = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * warps;
  WARPFOLD_NO_UNROLL
  for (std::int64_t batch = std::int64_t{blockIdx.x} * warps + warp; batch < arguments.schedule.batches;
       batch += step) {
    select_batch(leaves, batch * traits::batch_items, list, bound);
    const std::uint32_t own = list.is_full() ? traits::Op::rank(list.last()) : 0;
    if (arch::lane_id() == 0) bound = atomicMax(&shared.bound, own);
    bound = __shfl_sync(full_warp, bound > own ? bound : own, 0);
  }
  join_block_lists(list, shared, warps);
  if (blocks > 1) {
    auto* const of_blocks = reinterpret_cast<typename traits::items*>(arguments.partials);
    if (warp == 0) store_list(list, of_blocks[blockIdx.x]);
    if (!grid::block_arrives_last(arguments.ticket, shared.is_last)) return;
    list = {};
    enter_lists(list, of_blocks, warp, blocks, warps);
    join_block_lists(list, shared, warps);
  }
  if (warp > 0) return;
  const auto result = list.template all<typename Leaves::accumulator>(leaves.source.first_index);
  if (arch::lane_id() == 0) arguments.write(result);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
