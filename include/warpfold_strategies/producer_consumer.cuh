// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent blocks whose warps have different tasks. Source: Diffwarps, Algorithm 4 of Martín 2012.
#pragma once
#include <warpfold_strategies/fold_run.cuh>
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/share.cuh>

namespace warpfold::grid {

/// A schedule: as persistent, but `P` producer warps load the next data-block to one of two buffers while `C` consumer
/// warps reduce the current one in the other buffer. One block barrier a step. B = 32 (P + C). For every architecture.
/// The bits of a result depend on G, and so on the device. Source: Diffwarps, with P = 8 and C = 1.
template <int P = 8, int C = 1> struct producer_consumer {
  static_assert(P >= 1 && C >= 1 && P + C <= 32,
                "warpfold: grid::producer_consumer has 1 to 32 warps in all, both kinds");
  static constexpr bool is_persistent = true, needs_bulk_copy = false;
  template <class Algorithm> static constexpr int block_threads = (P + C) * warp_lanes;
  /// Both tasks in one kernel need more registers than one. Few producers need more still, since each has more rows in
  /// flight.
  static constexpr int most_resident_threads = P < 4 ? 1024 : 1536;
  template <class Algorithm>
  static constexpr int resident_threads =
      Algorithm::resident_threads < most_resident_threads ? Algorithm::resident_threads : most_resident_threads;
  template <class Algorithm, class Leaves> struct storage {
    struct data_block {
      typename Algorithm::template storage<typename Leaves::accumulator> items;
      int count;  ///< items that exist
    } buffer[2];
  };
  struct barriers {};
  /// Buffers hold accumulators, so D follows from their type.
  template <class Algorithm, class Leaves>
  static constexpr int data_block_items =
      decltype(Algorithm::template storage<typename Leaves::accumulator>::data)::items;

  template <class Algorithm, block::result_of Result, class Leaves, class Op, class A = typename Leaves::accumulator>
  static __device__ thread::running<A> fold_share(storage<Algorithm, Leaves>& shared, barriers&, const Leaves& leaves,
                                                  const share& own, Op op) {
    const block::some_warps<C> consumers;
    const block::some_warps<P, C> producers;
    std::int64_t first = own.first * data_block_items<Algorithm, Leaves>;
    const auto load = [&](auto& buffer) {
      const int count = load_data_block(producers, leaves, first, buffer.items.data);
      if (producers.rank() == 0) buffer.count = count;
    };
    if (producers.contains_caller()) load(shared.buffer[0]);
    __syncthreads();
    thread::running<A> total;
    for (std::uint32_t k = 1; k <= own.count; ++k) {
      first += data_block_items<Algorithm, Leaves>;
      if (consumers.contains_caller()) {
        auto& compute = shared.buffer[(k - 1) % 2];
        const auto value = block::fold_stored<Algorithm, Result>(consumers, compute.items, compute.count, op);
        if (value.exists) total.append(value.value, op);
      } else if (k < own.count) load(shared.buffer[k % 2]);
      __syncthreads();
    }
    return total;
  }
};

}  // namespace warpfold::grid
