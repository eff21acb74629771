// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies for reduce.cuh and segmented_reduce.cuh: the algorithms of Martín 2012 and Kepler, composed of
// three parts. Not part of the umbrella warpfold.cuh.
//
//   wf::reduce<wf::strategy<wf::block::matrix<32, 32>, wf::grid::producer_consumer<8, 1>, wf::finish::last_block>>(
//       in, out, op);
//   wf::segmented_reduce<
//       wf::strategy<wf::block::segmented::matrix<32, 32>, wf::grid::persistent, wf::finish::last_block>>(
//       in, wf::owners{ids}, out, op);
//
// How a CUDA-block of B threads reduces a data-block of D items:
//
//   block::tree<B = 256>                 a binary tree in shared memory, one barrier per level; D = 2 B
//   block::warp_tree<B = 256>            one binary tree per warp in shared memory, one barrier; D = 4 B
//   block::matrix<H, W, B = 256>         a thread folds each of H rows of W items, then one warp folds the row results
//   block::shuffle<B = 512, bytes = 128> registers and shuffles; no data-block in shared memory; D follows from the
//                                        bytes that a lane has in flight
//   block::segmented::tree, warp_tree, matrix   the first three, for segments given by owners
//
// Which data-blocks a CUDA-block takes:
//
//   grid::multi_pass                     one; the grid is launched again until one value is left. Takes no finish
//   grid::persistent                     a share of consecutive data-blocks; the grid is what fits the device at once
//   grid::producer_consumer<P = 8, C = 1>   persistent; P warps load a data-block while C warps reduce the one before
//   grid::bulk_producer_consumer<P = 1, C = 8, Stages = 3>   the same by bulk copies; sm_90 and later; not for segments
//
// How the partial results of a persistent grid become one:
//
//   finish::last_block                   the last CUDA-block to finish reduces them
//   finish::two_launch                   a second launch reduces them
//   finish::block_atomic                 one hardware atomic per CUDA-block; not for segments
//   finish::warp_atomic                  one hardware atomic per warp; for shuffle and warp_tree; not for segments
//
// The sources' scans (Hillis and Steele, up- and down-sweep, MatrixScan, also segmented) are in
// warpfold_strategies/scan.cuh.
//
// warpfold_strategies/strategy.hpp lists the valid compositions. Another one does not compile, and a message says why.
//
// A named strategy promises, compared to reduce.cuh:
// - It keeps order, unless its finish is atomic. Atomic finishes need a commutative operator with a hardware atomic.
// - It gives the same bits on every run on one device with the same max_blocks. With multi_pass the bits depend on the
//   count alone. With persistent schedules they depend on the grid, and so on the device. With an atomic finish of an
//   operator that is not exact they depend on timing.
// - It takes one launch with last_block, two with two_launch, and one for each pass with multi_pass. Atomic finishes
//   take two: the first one writes init, or the operator's identity, to `out`.
// - `out` may lie within the input, unless the finish is atomic.
// - It needs workspace_bytes<A>() bytes of scratch; with multi_pass, workspace_bytes<S, A>(count). Atomic finishes need
//   none.
// - It throws std::invalid_argument, before anything is enqueued, where reduce does; if max_blocks is given to
//   multi_pass; if `out` lies within the input of an atomic finish; and if the device lacks what one of the launches
//   needs: shared memory, or compute capability 9.0 for bulk_producer_consumer.
//
// For segments, a named strategy promises, compared to segmented_reduce.cuh:
// - It keeps order and needs no identity. It gives the same bits on every run on one device with the same max_blocks,
//   wherever segments are cut by data-blocks and CUDA-blocks (piece.cuh explains why). The association within a segment
//   depends on where the segment lies; with persistent schedules also on the grid, and so on the device.
// - It folds into `out`, whose items must be of the accumulator type. They are valid when the last launch has ended.
// - It takes one launch more than above, which comes first and writes the value of an empty segment to all of `out`.
// - It reads items and owners once, in whole vectors if both are aligned. It writes `out` once more than it has to, and
//   reads and writes it again for each segment that spans chunks of the algorithm. Signed 32-bit owners take the least
//   shared memory.
// - It needs workspace_bytes<S, A>(count) bytes of scratch; with persistent schedules they do not depend on the count.
// - It throws std::invalid_argument where segmented_reduce does, if .init or .empty points into `out`, and as above. In
//   builds with WARPFOLD_CHECKS a kernel stops at an owner outside of `out` or below the owner before it, with a
//   message.
#pragma once
#include <warpfold_strategies/bulk_producer_consumer.cuh>
#include <warpfold_strategies/dispatch.cuh>
#include <warpfold_strategies/matrix.cuh>
#include <warpfold_strategies/persistent.cuh>
#include <warpfold_strategies/producer_consumer.cuh>
#include <warpfold_strategies/scan.cuh>
#include <warpfold_strategies/segmented.cuh>
#include <warpfold_strategies/segmented_dispatch.cuh>
#include <warpfold_strategies/shuffle.cuh>
#include <warpfold_strategies/tree.cuh>
#include <warpfold_strategies/warp_tree.cuh>

namespace warpfold {

namespace detail {
template <class S> struct parts_of;
template <class Algorithm, class Schedule, class Finish> struct parts_of<strategy<Algorithm, Schedule, Finish>> {
  using algorithm = Algorithm;
  using schedule = Schedule;
};

/// The block algorithm that runs, and the type of what it reduces: accumulators, or pieces of segments.
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

/// Bytes of scratch, aligned to 128, that are enough for reduce<S>, transform_reduce<S> or segmented_reduce<S> of
/// `count` items with accumulators of type `A` on the current device. With multi_pass they grow with the count.
template <reduction_strategy S, class A> std::size_t workspace_bytes(std::int64_t count) {
  std::size_t bytes = warpfold::workspace_bytes<A>();
  if constexpr (!std::is_same_v<S, automatic>) {
    using parts = detail::parts_of<S>;
    using reduced = detail::reduced_by<typename parts::algorithm, A>;
    using item = typename reduced::item;
    bytes = greatest_of(bytes, reduction::scratch(host_side::current_device(), sizeof(item)).workspace_bytes());
    if (!parts::schedule::is_persistent && count > 0) {
      constexpr int least = block::least_data_block_items<typename reduced::algorithm, item>;
      const std::int64_t partials = strategies::multi_pass_partials(count, least, least);
      bytes = greatest_of(bytes, host_side::control_bytes + static_cast<std::size_t>(partials) * sizeof(item));
    }
  }
  return bytes;
}

/// Registers, shared memory, occupancy, grid and launches of the strategy `S` on the current device, for `count` items
/// of type `T` behind a pointer. A strategy for segments has owners of type `Id`.
template <reduction_strategy S, class T, class Op, class A = accumulator_t<Op, T>, class Id = std::int32_t>
strategies::strategy_facts facts_of(std::int64_t count) {
  using leaves = thread::leaves<thread::pointer_source<T>, thread::no_transform, A>;
  if constexpr (block::is_segmented<typename detail::parts_of<S>::algorithm>)
    return host_side::segmented_reduce_with<S>::template facts<const Id*, leaves, Op>(count);
  else return host_side::reduce_with<S>::template facts<leaves, Op, A*>(count);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
