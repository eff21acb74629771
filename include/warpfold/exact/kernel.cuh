// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of exact sums over one array. Warps take batches in turn, and add them to their own superaccumulators in
// shared memory. Blocks add theirs to one in global memory by atomics: integers add up to the same bits in any order.
// The last block to arrive rounds. One launch.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/exact/lane_sums.cuh>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/grid/last_block.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int max_block_warps = 8, blocks_per_multiprocessor = 2;
inline constexpr int max_lane_items = 32;  ///< in flight, of 16 chunks at most: what registers hold beside the sums

/// Rows of 32 chunks in a batch: 4 KiB for a warp; 2 KiB of half and bfloat16 items.
template <class Leaves> consteval int batch_rows() {
  using number = typename superaccumulator<typename Leaves::accumulator>::number;
  constexpr int items = sizeof(number) == 4 ? max_lane_items : max_lane_items / 2;
  constexpr int rows = items / Leaves::chunk_items;
  return rows < 1 ? 1 : rows > 8 ? 8 : rows;
}

/// The control words in global memory: zero before, zero after.
template <class V> struct global_sum {
  unsigned long long word[superaccumulator<V>::words];
  unsigned kinds;
};

/// `Leaves` are the items that are summed, of type V, before they are lifted.
template <class Leaves, class Op, class Out> struct sum_arguments {
  using V = typename Leaves::accumulator;

  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<superaccumulator<V>> init;
  std::int64_t batches;
  global_sum<V>* sum;  ///< if there are several blocks
  unsigned* ticket;    ///< zero before, zero after
};

template <class V> struct sum_storage {
  lazy_superaccumulator<V> warp[max_block_warps];
  unsigned kinds;
  bool is_last;
};

/// Loads the lane's items of the batch at item `first`. Items that do not exist are -0, which changes no sum.
template <int Rows, class Leaves, class F, int Items>
__device__ void load_items(const Leaves& leaves, std::int64_t first, F (&items)[Items]) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  const auto& source = leaves.source;
  typename Leaves::chunk rows[Rows];
  const std::int64_t own = first + arch::lane_id() * chunk_items;
  if (first + Rows * row_items <= source.items && source.misaligned_bytes() == 0) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) source.load(rows[row], own + row * row_items);
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      items[k] = warpfold::detail::convert<F>(leaves.leaf(rows[k / chunk_items], k % chunk_items));
    return;
  }
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const std::int64_t at = own + row * row_items;
    bool is_shifted = false;
    if constexpr (requires { source.can_shift(first, first); }) {
      is_shifted = source.can_shift(at, at + chunk_items);
      if (is_shifted) source.load_shifted(rows[row], at);
    }
    if (!is_shifted) source.load_edge(rows[row], at);
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_items; ++k)
      items[row * chunk_items + k] =
          at + k < source.items ? warpfold::detail::convert<F>(leaves.leaf(rows[row], k)) : F(-0.0);
  }
}

/// Propagates the carries of shared.warp[0], joins init, rounds, and writes. Not inlined: it would take registers
/// from the loop over the items.
template <class Arguments, class V>
__device__ __attribute__((noinline)) void write_sum(const Arguments& arguments, const sum_storage<V>& shared) {
  superaccumulator<V> sum;
  std::int64_t carry = 0;
  for (int i = 0; i < superaccumulator<V>::words; ++i) {
    carry += static_cast<std::int64_t>(shared.warp[0].word[i]);
    sum.word[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  sum.kinds = shared.kinds;
  *arguments.out = arguments.init.join(sum, arguments.op);
}

/// Adds the block's sum, which thread i has of word i, to the global one. True in the last block, whose
/// shared.warp[0] and shared.kinds are then the sum of all blocks, and the global one zero again. All threads call it.
template <class V> __device__ bool is_last_to_add(sum_storage<V>& shared, global_sum<V>& sum, unsigned* ticket) {
  constexpr int words = superaccumulator<V>::words;
  // Digits, with the carry of the word below: the words of many blocks could overflow before they are carried.
  for (int i = arch::flat_thread(); i < words; i += static_cast<int>(blockDim.x)) {
    const std::int64_t carry = i > 0 ? static_cast<std::int64_t>(shared.warp[0].word[i - 1]) >> 32 : 0;
    const unsigned long long digit = (shared.warp[0].word[i] & 0xffffffffull) + static_cast<unsigned long long>(carry);
    if (digit != 0) atomicAdd(sum.word + i, digit);
  }
  if (arch::flat_thread() == 0 && shared.kinds != 0) atomicOr(&sum.kinds, shared.kinds);
  __syncthreads();
  if (!grid::block_arrives_last(ticket, shared.is_last)) return false;
  for (int i = arch::flat_thread(); i < words; i += static_cast<int>(blockDim.x)) {
    shared.warp[0].word[i] = atomicExch(sum.word + i, 0ull);
  }
  if (arch::flat_thread() == 0) shared.kinds = atomicExch(&sum.kinds, 0u);
  __syncthreads();
  return true;
}

/// Batches after which a warp carries: its words then stay below 2^57, and those of all warps of a block below 2^62.
inline constexpr unsigned batches_per_carry = 1u << 16;

template <class Leaves, class Op, class Out>
__global__ void __launch_bounds__(max_block_warps* warp_lanes, blocks_per_multiprocessor)
sum_kernel(const __grid_constant__ sum_arguments<Leaves, Op, Out> arguments) {
  using V = typename Leaves::accumulator;
  constexpr int rows = batch_rows<Leaves>(), items = rows * Leaves::chunk_items, words = superaccumulator<V>::words;
  auto& shared = arch::dynamic_shared<sum_storage<V>>();
  const int thread = arch::flat_thread(), warp = arch::flat_warp(), warps = static_cast<int>(blockDim.x / warp_lanes);
  for (int i = arch::lane_id(); i < words; i += warp_lanes) shared.warp[warp].word[i] = 0;
  if (thread == 0) shared.kinds = 0;
  __syncthreads();

  unsigned kinds = 0, added = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * warps;
  for (std::int64_t batch = std::int64_t{blockIdx.x} * warps + warp; batch < arguments.batches; batch += step) {
    typename superaccumulator<V>::number values[items];
    load_items<rows>(arguments.leaves, batch * (items * warp_lanes), values);
    kinds |= add_items<V>(values, shared.warp[warp]);
    if (++added % batches_per_carry == 0) shared.warp[warp].carry();
  }
  if (kinds != 0) atomicOr(&shared.kinds, kinds);
  __syncthreads();
  for (int i = thread; i < words; i += static_cast<int>(blockDim.x))
    for (int other = 1; other < warps; ++other) shared.warp[0].word[i] += shared.warp[other].word[i];
  __syncthreads();
  if (gridDim.x > 1 && !is_last_to_add(shared, *arguments.sum, arguments.ticket)) return;
  if (thread != 0) return;
  write_sum(arguments, shared);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact
