// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel does first: if only the device knows how many segments there are, it reads the number (see
// segments/counted.cuh). Otherwise its arguments are what it was given.
#pragma once
#include <warpfold/segmented/arguments.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Arguments> __device__ const Arguments& with_known_segments(const Arguments& given) { return given; }
template <class Segments, class N, class Leaves, class Op, class Out>
__device__ auto with_known_segments(const kernel_arguments<segment::counted<Segments, N>, Leaves, Op, Out>& given) {
  using known = typename kernel_arguments<segment::counted<Segments, N>, Leaves, Op, Out>::known;
  return known{given.segments.known(), given.leaves, given.op, given.out, given.init, given.empty,
               given.partition,        given.units};
}

/// The same for owners of as many items as the device knows.
template <class Owners, class N, class Leaves, class Op, class Out>
__device__ auto with_known_segments(const kernel_arguments<segment::counted_items<Owners, N>, Leaves, Op, Out>& given) {
  using known = typename kernel_arguments<segment::counted_items<Owners, N>, Leaves, Op, Out>::known;
  return known{given.segments.known(), given.leaves, given.op, given.out, given.init, given.empty,
               given.partition,        given.units};
}

/// The same for a kernel whose warps have ranges of positions: all warps share the segments that there are.
template <class Arguments> __device__ const Arguments& with_even_ranges(const Arguments& given) { return given; }
template <class Segments, class N, class Leaves, class Op, class Out>
__device__ auto with_even_ranges(const kernel_arguments<segment::counted<Segments, N>, Leaves, Op, Out>& given) {
  auto known = with_known_segments(given);
  const auto& segments = known.segments;
  known.partition = given.partition.of_fewer(
      given.partition.position(segments.count, segment::items_of(segments, known.leaves.source.items)));
  return known;
}
template <class Owners, class N, class Leaves, class Op, class Out>
__device__ auto with_even_ranges(const kernel_arguments<segment::counted_items<Owners, N>, Leaves, Op, Out>& given) {
  auto known = with_known_segments(given);
  known.partition = given.partition.of_fewer(given.partition.position(known.segments.count, known.segments.items));
  return known;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
