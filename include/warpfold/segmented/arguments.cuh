// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel of segmented reduction is given, and what it knows at compile time.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/segmented/policy.hpp>
#include <warpfold/segmented/segment_units.cuh>
#include <warpfold/segmented/segments.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Segments, class Leaves, class Op, class Out> struct kernel_arguments {
  using A = typename Leaves::accumulator;
  Segments segments;
  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<A> init;
  grid::initial_value<A> empty;  ///< the result of an empty segment
  load_balance_partition partition;
  unit_values<A> units;

  /// `to` is the segment's place in `out`.
  __device__ void write(Out to, const A& result) const { *to = init.join(result, op); }
};

template <class Leaves>
inline constexpr kernel_policy policy_of = kernel_policy_for(sizeof(typename Leaves::chunk),
                                                             sizeof(typename Leaves::accumulator));

/// Items of the chunks that lanes take of all but the shortest segments: what their places cost to find is paid once a chunk.
template <class Leaves, class A = typename Leaves::accumulator>
inline constexpr int wide_items = wide_chunk_items(thread::held_bytes<typename Leaves::source_type, A>, sizeof(A),
                                                   Leaves::chunk_items);

/// Items of half a chunk, if it is a vector of more items than a lane reads one by one; else none. For the shortest segments of
/// narrow items, of which a whole chunk is many more than they have.
template <class Leaves>
inline constexpr int half_chunk_items = [] {
  constexpr int items = Leaves::chunk_items / 2;
  if constexpr (requires { Leaves::chunk::vector_bytes; })
    return Leaves::chunk::bytes % 32 == 0 && items > policy_of<Leaves>.tiny_items ? items : 0;
  else return 0;
}();

inline constexpr const char* segments_out_of_order =
    "segmented_reduce: segments must be in order, must not overlap, and must lie within the input";

/// In debug builds, looks at every entry. A warp that reads a wrong one may go astray before, or overlook it.
template <class Segments>
__device__ void require_order([[maybe_unused]] const Segments& segments, [[maybe_unused]] std::int64_t items) {
#if WARPFOLD_CHECKS
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < segments.entries(); i += threads)
    arch::require(segments.in_order(i, items), segments_out_of_order);
#endif
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
