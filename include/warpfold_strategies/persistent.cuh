// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules in which all threads of a block load a data-block, then reduce it. Source: Martín 2012.
#pragma once
#include <warpfold_strategies/fold_run.cuh>
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/share.cuh>

namespace warpfold::grid {

/// A schedule: G = multiprocessors x MBPM, by the occupancy query. Each CUDA-block reduces its share of consecutive
/// data-blocks, and one thread accumulates their results in order. The bits of a result depend on G, and so on the
/// device. Source: persistent blocks.
struct persistent {
  static constexpr bool is_persistent = true, needs_bulk_copy = false;
  template <class Algorithm> static constexpr int block_threads = Algorithm::block_threads;
  template <class Algorithm> static constexpr int resident_threads = Algorithm::resident_threads;
  template <class Algorithm, class Leaves> using storage = block::run_storage<Algorithm, typename Leaves::accumulator>;
  struct barriers {};
  template <class Algorithm, class Leaves>
  static constexpr int data_block_items = Algorithm::template data_block_items<Leaves>;

  /// Folds a share. Valid in thread 0, or, for result_of::warp, in lane 0 of each warp that has a result.
  template <class Algorithm, block::result_of Result, class Leaves, class Op, class A = typename Leaves::accumulator>
  static __device__ thread::running<A> fold_share(storage<Algorithm, Leaves>& shared, barriers&, const Leaves& leaves,
                                                  const share& own, Op op) {
    const block::whole_block<block_threads<Algorithm>> all;
    return block::fold_run<Algorithm, Result, A>(all, shared, feed_of<Algorithm>(leaves, own), own.count, op);
  }
};

/// A schedule: one data-block for each CUDA-block, G = ceil(N / D), launched again on the partial results until one
/// value is left. It takes no finish. The bits of a result depend on N and D alone. Scratch: O(N / D). Source:
/// multi-pass.
struct multi_pass : persistent {
  static constexpr bool is_persistent = false;
};

}  // namespace warpfold::grid
