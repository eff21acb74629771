// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies for reduce.cuh: the algorithms of the sources, as compositions of three parts.
//
//   wf::reduce<wf::strategy<wf::block::matrix<32, 32>, wf::grid::producer_consumer<8, 1>, wf::finish::last_block>>(in, out, op);
//
// The parts are declared, with what each promises, in block/tree.cuh, block/warp_tree.cuh, block/matrix.cuh,
// block/shuffle.cuh; grid/persistent.cuh (persistent and multi_pass), grid/producer_consumer.cuh,
// grid/bulk_producer_consumer.cuh; grid/finish.cuh. dispatch/strategy_type.hpp lists the valid compositions; another one
// does not compile, and says why.
//
// Against reduce.cuh's promises, a named strategy
// - keeps order, but for the atomic finishes, which need a commutative operator with a hardware atomic;
// - gives the same bits on every run on one device with the same max_blocks. multi_pass depends on the count alone; the
//   persistent schedules on the grid, and so on the device; atomic finishes of inexact operators on timing;
// - takes a launch a pass (multi_pass), two launches (two_launch, and the atomic finishes: the first one writes init, or
//   the operator's identity, to `out`), or one (last_block);
// - may write `out` into the input, but for the atomic finishes;
// - needs workspace_bytes<A>() of scratch, none for atomic finishes, and for multi_pass workspace_bytes<S, A>(count);
// - throws std::invalid_argument where reduce does, for max_blocks with multi_pass, and where the device lacks what the
//   strategy needs: compute capability 9.0 for bulk_producer_consumer, shared memory.
#pragma once
#include <warpfold/block/matrix.cuh>
#include <warpfold/block/shuffle.cuh>
#include <warpfold/block/tree.cuh>
#include <warpfold/block/warp_tree.cuh>
#include <warpfold/dispatch/strategy.cuh>
#include <warpfold/grid/bulk_producer_consumer.cuh>
#include <warpfold/grid/persistent.cuh>
#include <warpfold/grid/producer_consumer.cuh>

namespace warpfold {

namespace detail {
template <class S> struct parts_of;
template <class Algorithm, class Schedule, class Finish> struct parts_of<strategy<Algorithm, Schedule, Finish>> {
  using algorithm = Algorithm;
  using schedule = Schedule;
};
}  // namespace detail

inline namespace v1 WARPFOLD_HIDDEN {

/// Bytes of scratch, aligned to 128, that reduce<S> and transform_reduce<S> need for `count` items with accumulators of
/// type `A` on the current device. For multi_pass it grows with the count; it may be more than a given input needs.
template <reduction_strategy S, class A> std::size_t workspace_bytes(std::int64_t count) {
  const std::size_t constant = warpfold::workspace_bytes<A>();
  if constexpr (!std::is_same_v<S, automatic>) {
    using parts = detail::parts_of<S>;
    if (!parts::schedule::is_persistent && count > 0) {
      constexpr int least = block::least_data_block_items<typename parts::algorithm, A>;
      const std::int64_t partials = dispatch::multi_pass_partials(count, least, least);
      return std::max(constant, dispatch::control_bytes + static_cast<std::size_t>(partials) * sizeof(A));
    }
  }
  return constant;
}

/// What the strategy `S` is on the current device, for `count` items of type `T` behind a pointer.
template <reduction_strategy S, class T, class Op, class A = accumulator_t<Op, T>>
dispatch::strategy_facts facts_of(std::int64_t count) {
  using leaves = thread::leaves<thread::pointer_source<T>, thread::no_transform, A>;
  return dispatch::reduction<S>::template facts<leaves, Op, A*>(count);
}

}  // namespace v1
}  // namespace warpfold
