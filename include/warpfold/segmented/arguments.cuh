// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the segmented kernels, and the constants that follow from their types.
#pragma once
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/indexed_output.cuh>
#include <warpfold/segmented/policy.hpp>
#include <warpfold/segmented/segment_units.cuh>
#include <warpfold/segmented/segments.cuh>
#include <warpfold/thread/locate.cuh>
#include <warpfold/thread/put.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `partition` and `units` are unused by the kernel for short segments of one length. If `Refers`, most of it refers to
/// the kernel's parameter: copies would take registers.
template <class Segments, class Leaves, class Op, class Out, bool Refers = false> struct kernel_arguments {
  using A = typename Leaves::accumulator;
  using leaves_type = Leaves;
  template <class T> using given = std::conditional_t<Refers, const T&, T>;
  /// What a kernel has once it knows the segments (known_segments.cuh).
  using known = kernel_arguments<typename segment::known_segments<Segments>::type, Leaves, Op, Out,
                                 segment::is_counted<Segments>>;
  Segments segments;
  given<Leaves> leaves;
  Op op;
  given<Out> out;
  given<grid::initial_value<A>> init;
  given<grid::initial_value<A>> empty;  ///< the result of an empty segment
  load_balance_partition partition;
  given<unit_values<A>> units;

  /// Writes the result of segment number `segment` of those whose places begin at `to`. It has the `count` > 0 items
  /// from item `begin` on.
  __device__ void write(const Out& to, std::int64_t segment, std::int64_t begin, std::int64_t count,
                        const A& result) const {
    if constexpr (thread::joins_initial_value<Out>) thread::put(place_of(to, segment, begin, count), result);
    else thread::put(place_of(to, segment, begin, count), init.join(result, op));
  }
  /// The same of segment `segment` of all, whose length is that of all others.
  __device__ void write(std::int64_t segment, const A& result) const requires(Segments::is_fixed_length) {
    write(out, segment, segments.begin(segment), segments.length, result);
  }
};

template <class Leaves>
inline constexpr kernel_policy policy_of = [] {
  kernel_policy policy = kernel_policy_for(thread::loaded_bytes<typename Leaves::chunk>,
                                           sizeof(typename Leaves::accumulator), folds_slowly<Leaves>);
  policy.has_long_joins = has_long_joins<Leaves>;
  policy.folds_halves_in_turn = folds_halves_in_turn<Leaves>;
  return policy;
}();

/// Bytes that a lane holds of an accumulator of each item of a wide chunk; by runs, of one part after another.
template <class Leaves, class A = typename Leaves::accumulator>
inline constexpr std::size_t chunk_leaf_bytes = thread::folds_parts_by_runs<Leaves> ? 8 : sizeof(A);

/// Items of a wide chunk: a lane folds this much of a segment that is longer than a narrow chunk.
template <class Leaves, class A = typename Leaves::accumulator>
inline constexpr int wide_items = wide_chunk_items(thread::held_bytes<typename Leaves::source_type, A>,
                                                   chunk_leaf_bytes<Leaves>, Leaves::chunk_items);

/// The same leaves in other chunks. (A class, since clang finds no std::declval in a device function's signature.)
template <class Leaves, int Items> struct in_chunks {
  using type = std::remove_cv_t<decltype(std::declval<const Leaves&>().template from<Items>(0))>;
};
template <class Leaves> using wide_leaves = typename in_chunks<Leaves, wide_items<Leaves>>::type;

/// Rows of 32 chunks of a long segment that a warp has in flight. Folds that locate extrema take more instructions
/// per row, and the loop over the rows has to fit the instruction cache.
template <class Leaves>
inline constexpr int long_rows_of = thread::locates<Leaves>               ? 2
                                    : thread::folds_parts_by_runs<Leaves> ? long_rows_of_runs
                                                                          : policy_of<Leaves>.long_rows;

/// Items of half a chunk, for short segments of narrow items: 0 if half a chunk is no vector, or is no longer than the
/// segments that lanes read item by item.
template <class Leaves>
inline constexpr int half_chunk_items = [] {
  constexpr int items = Leaves::chunk_items / 2;
  if constexpr (requires { Leaves::chunk::vector_bytes; })
    return Leaves::chunk::bytes % 32 == 0 && items > policy_of<Leaves>.tiny_items ? items : 0;
  else return 0;
}();

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
