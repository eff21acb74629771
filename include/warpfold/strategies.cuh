// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies for reduce.cuh and segmented_reduce.cuh: the algorithms of the sources, as compositions of three parts.
//
//   wf::reduce<wf::strategy<wf::block::matrix<32, 32>, wf::grid::producer_consumer<8, 1>, wf::finish::last_block>>(in, out, op);
//   wf::segmented_reduce<wf::strategy<wf::block::segmented::matrix<32, 32>, wf::grid::persistent, wf::finish::last_block>>(
//       in, wf::owners{ids}, out, op);
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
//
// For segmented_reduce with owners there are block::segmented::tree, warp_tree and matrix (block/segmented.cuh), on
// multi_pass, persistent or producer_consumer, the latter two with last_block or two_launch. Against segmented_reduce.cuh's
// promises, such a strategy
// - keeps order, needs no identity, and gives the same bits on every run on one device with the same max_blocks, however
//   segments lie to data-blocks and CUDA-blocks (thread/piece.cuh says why). A segment's association depends on where it
//   lies; with the persistent schedules also on the grid, and so on the device;
// - folds into `out`, whose items must be of the accumulator type: valid when the last launch has ended;
// - takes one launch more, which writes what an empty segment holds to all of `out`, as the sources fill it with the
//   identity: with last_block two in all, with two_launch three, with multi_pass one more than passes;
// - reads items and owners once, in whole vectors where both are aligned; writes `out` once more, and reads and writes it
//   again where a segment spans chunks of the algorithm. Owners of a signed 32-bit type take the least shared memory;
// - needs workspace_bytes<S, A>(count) of scratch; for the persistent schedules that does not depend on the count;
// - throws std::invalid_argument where segmented_reduce does, and as above.
#pragma once
#include <warpfold/strategies/bulk_producer_consumer.cuh>
#include <warpfold/strategies/dispatch.cuh>
#include <warpfold/strategies/matrix.cuh>
#include <warpfold/strategies/persistent.cuh>
#include <warpfold/strategies/producer_consumer.cuh>
#include <warpfold/strategies/segmented.cuh>
#include <warpfold/strategies/segmented_dispatch.cuh>
#include <warpfold/strategies/shuffle.cuh>
#include <warpfold/strategies/tree.cuh>
#include <warpfold/strategies/warp_tree.cuh>

namespace warpfold {

namespace detail {
template <class S> struct parts_of;
template <class Algorithm, class Schedule, class Finish> struct parts_of<strategy<Algorithm, Schedule, Finish>> {
  using algorithm = Algorithm;
  using schedule = Schedule;
};

/// The block algorithm that runs, and what it reduces: items, or pieces of segments.
template <class Algorithm, class A> struct reduced_by {
  using algorithm = Algorithm;
  using item = A;
};
template <class Algorithm, class A>
  requires block::is_segmented<Algorithm>
struct reduced_by<Algorithm, A> {
  using algorithm = typename Algorithm::unsegmented;
  using item = thread::piece<A, std::int64_t>;
};
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

/// Bytes of scratch, aligned to 128, that reduce<S>, transform_reduce<S> or segmented_reduce<S> need for `count` items with
/// accumulators of type `A` on the current device. For multi_pass it grows with the count; it may be more than a given input
/// needs.
template <reduction_strategy S, class A> std::size_t workspace_bytes(std::int64_t count) {
  std::size_t bytes = warpfold::workspace_bytes<A>();
  if constexpr (!std::is_same_v<S, automatic>) {
    using parts = detail::parts_of<S>;
    using reduced = detail::reduced_by<typename parts::algorithm, A>;
    using item = typename reduced::item;
    bytes = std::max(bytes, reduction::scratch_bytes(host::current_device(), sizeof(item)));
    if (!parts::schedule::is_persistent && count > 0) {
      constexpr int least = block::least_data_block_items<typename reduced::algorithm, item>;
      const std::int64_t partials = strategies::multi_pass_partials(count, least, least);
      bytes = std::max(bytes, host::control_bytes + static_cast<std::size_t>(partials) * sizeof(item));
    }
  }
  return bytes;
}

/// What the strategy `S` is on the current device, for `count` items of type `T` behind a pointer; for segments, with owners
/// of type `Id`.
template <reduction_strategy S, class T, class Op, class A = accumulator_t<Op, T>, class Id = std::int32_t>
strategies::strategy_facts facts_of(std::int64_t count) {
  using leaves = thread::leaves<thread::pointer_source<T>, thread::no_transform, A>;
  if constexpr (block::is_segmented<typename detail::parts_of<S>::algorithm>)
    return host::segmented_reduce_with<S>::template facts<const Id*, leaves, Op>(count);
  else return host::reduce_with<S>::template facts<leaves, Op, A*>(count);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
