// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of every named strategy: a block algorithm on a schedule, with a finish.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/grid/reduction_arguments.cuh>
#include <warpfold_strategies/finish.cuh>
#include <warpfold_strategies/policy.hpp>

namespace warpfold::grid {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves, class Op, class Out>
using strategy_arguments = reduction_arguments<Leaves, Op, Out, share_schedule>;

/// Shared memory of strategy_kernel.
template <class Algorithm, class Schedule, class Leaves> struct strategy_storage {
  union {
    typename Schedule::template storage<Algorithm, Leaves> share;
    block::run_storage<Algorithm, typename Leaves::accumulator> last;
  };
  typename Schedule::barriers barriers;
  bool is_last;
};

template <class Algorithm, class Schedule>
inline constexpr int strategy_threads = Schedule::template block_threads<Algorithm>;
template <class Algorithm, class Schedule, class A>
inline constexpr int strategy_resident_blocks =
    strategies::resident_blocks<strategy_threads<Algorithm, Schedule>, Schedule::template resident_threads<Algorithm>,
                                sizeof(A)>;

/// Each CUDA-block folds its share of data-blocks, then does what the finish says.
template <class Algorithm, class Schedule, class Finish, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(strategy_threads<Algorithm, Schedule>,
                                  strategy_resident_blocks<Algorithm, Schedule, typename Leaves::accumulator>)
strategy_kernel(const __grid_constant__ strategy_arguments<Leaves, Op, Out> arguments) {
  auto& shared = arch::dynamic_shared<strategy_storage<Algorithm, Schedule, Leaves>>();
  const share own = arguments.schedule.of(blockIdx.x);
  const auto total = Schedule::template fold_share<Algorithm, finish::result_of<Finish>>(
      shared.share, shared.barriers, arguments.leaves, own, arguments.op);
  conclude<Algorithm, strategy_threads<Algorithm, Schedule>>(Finish{}, shared, arguments, total);
}

/// Makes the output ready for atomics. Init goes through atomic_fold, which stores a NaN in the form that wins.
template <class Op, class A> __global__ void initialize_kernel(A* out, A identity, initial_value<A> init) {
  const A value = init.alone();  // may be what `out` holds
  *out = identity;
  if (init.what != initial_value<A>::kind::none) thread::atomic_fold<Op>(out, value);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::grid
