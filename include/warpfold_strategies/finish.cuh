// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finishes: how the results of a grid's CUDA-blocks become one. Each works for any block algorithm and persistent
// schedule.
#pragma once
#include <warpfold/grid/last_block.cuh>
#include <warpfold_strategies/atomic_fold.cuh>
#include <warpfold_strategies/fold_run.cuh>
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/share.cuh>

namespace warpfold::finish {

/// For grid::multi_pass: the CUDA-blocks' results are the items of the next pass.
struct none {};
/// The last CUDA-block to take a ticket reduces the partial results, in order, by the block algorithm. One launch.
struct last_block {};
/// A second launch of the same strategy, with one CUDA-block, reduces the partial results in order. Two launches.
struct two_launch {};
/// One hardware atomic per CUDA-block, straight onto the result. It does not keep order, so the operator must be
/// commutative. If the operator is not exact (floating-point plus), the bits change from run to run. The first of two
/// launches writes init, or the operator's identity, to `out`. No scratch. `out` must not lie within the input
/// (std::invalid_argument). The hardware's float plus takes subnormal numbers for zero. Source:
/// deviceReduceBlockAtomicKernel (Kepler).
struct block_atomic {};
/// As block_atomic, with one atomic per warp and without a barrier. For block algorithms whose warps have results of
/// their own: shuffle, warp_tree. Source: deviceReduceWarpAtomicKernel (Kepler).
struct warp_atomic {};

template <class Finish>
inline constexpr bool is_atomic = std::is_same_v<Finish, block_atomic> || std::is_same_v<Finish, warp_atomic>;
template <class Finish>
inline constexpr block::result_of result_of =
    std::is_same_v<Finish, warp_atomic> ? block::result_of::warp : block::result_of::block;

}  // namespace warpfold::finish

namespace warpfold::grid {

namespace detail {
/// Stores a CUDA-block's total as a partial result. The only CUDA-block of a grid writes the result.
template <class Arguments, class A> __device__ void store_or_write(const Arguments& arguments, const A& value) {
  if (arch::thread_rank() != 0) return;
  if (gridDim.x == 1) arguments.write(value);
  else arguments.partials[blockIdx.x] = value;
}
}  // namespace detail

/// Each overload is one finish: what a CUDA-block does with the `total` of its share. All threads call it; `shared` is
/// free.
template <class Algorithm, int Threads, class Storage, class Arguments, class A>
__device__ void conclude(finish::last_block, Storage& shared, const Arguments& arguments,
                         const thread::running<A>& total) {
  detail::store_or_write(arguments, total.value);
  if (gridDim.x == 1 || !block_arrives_last(arguments.ticket, shared.is_last)) return;
  // Through an iterator_source: a pointer_source would read by non-coherent loads, but other blocks wrote these values.
  using leaves = thread::leaves<thread::iterator_source<const A*>, thread::no_transform, A>;
  const leaves partials{{arguments.partials, gridDim.x}, {}};
  constexpr int items = Algorithm::template data_block_items<leaves>;
  const share all{0, (gridDim.x - 1) / items + 1};
  const auto result = block::fold_run<Algorithm, block::result_of::block, A>(
      block::whole_block<Threads>{}, shared.last, feed_of<Algorithm>(partials, all), all.count, arguments.op);
  if (arch::thread_rank() == 0) arguments.write(result.value);
}

template <class, int, class Storage, class Arguments, class A>
__device__ void conclude(finish::two_launch, Storage&, const Arguments& arguments, const thread::running<A>& total) {
  detail::store_or_write(arguments, total.value);
}

template <class, int, class Storage, class Arguments, class A>
__device__ void conclude(finish::none, Storage&, const Arguments& arguments, const thread::running<A>& total) {
  detail::store_or_write(arguments, total.value);
}

template <class, int, class Storage, class Arguments, class A>
__device__ void conclude(finish::block_atomic, Storage&, const Arguments& arguments, const thread::running<A>& total) {
  if (arch::thread_rank() == 0) thread::atomic_fold<typename Arguments::operation>(arguments.out, total.value);
}

template <class, int, class Storage, class Arguments, class A>
__device__ void conclude(finish::warp_atomic, Storage&, const Arguments& arguments, const thread::running<A>& total) {
  if (arch::lane_id() == 0 && total.exists)
    thread::atomic_fold<typename Arguments::operation>(arguments.out, total.value);
}

}  // namespace warpfold::grid
