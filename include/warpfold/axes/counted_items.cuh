// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes of arrays whose outermost axis is as long as the device knows. If it is reduced, its indices
// come first in the order of items, so outputs have the first items of those that there may be. If it is kept, they
// come first in the order of outputs, so there are the first outputs. The host plans for all of them; the kernel reads
// the number before anything else.
#pragma once
#include <warpfold/axes/arguments.cuh>
#include <warpfold/grid/device_items.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `out`, and how long the outermost axis is: the number that the kernel is to read.
template <class Out, class N, class A> struct counted_output {
  Out out;
  grid::device_items<N> number;
  bool is_kept;                    ///< that axis
  std::int64_t each;               ///< for each index of it: vectors of outputs if it is kept, or items of an output
  grid::initial_value<A> nothing;  ///< the result of no items
};
template <class Out> inline constexpr bool is_counted = false;
template <class Out, class N, class A> inline constexpr bool is_counted<counted_output<Out, N, A>> = true;

/// The arguments for the items and outputs that there are, in as many splits and tiles as these need. Maps stay where
/// they are: copies of them would lie in local memory.
template <class Arguments> __device__ const Arguments& with_known_items(const Arguments& given) { return given; }
template <class Leaves, class Op, class Out, class N, class A>
__device__ auto with_known_items(const axis_arguments<Leaves, Op, counted_output<Out, N, A>>& given) {
  const std::int64_t known_each = given.out.number.read() * given.out.each;
  const bool is_kept = given.out.is_kept;
  axis_arguments<Leaves, Op, Out, const index_map&> known{given.leaves,
                                                          given.op,
                                                          given.out.out,
                                                          given.init,
                                                          given.kept,
                                                          given.reduced,
                                                          is_kept ? known_each : given.vectors,
                                                          is_kept ? given.items : known_each,
                                                          given.inner_out_stride,
                                                          given.plan,
                                                          given.partials,
                                                          given.counters};
  if (is_kept) known.plan.tiles = (known.vectors + given.plan.lanes - 1) / given.plan.lanes;
  else known.plan.splits = greatest_of((known.items - 1) / given.plan.split_items() + 1, std::int64_t{1});
  return known;
}

/// Writes the results of no items.
template <int Vector, class Out, class N, class A>
__device__ void write_nothing(const counted_output<Out, N, A>& to, const index_map& kept, std::int64_t vectors,
                              std::int64_t inner_out_stride) {
  const A value = to.nothing.alone();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + arch::flat_thread(); i < vectors; i += step)
    for (int v = 0; v < Vector; ++v) to.out[kept.place_of(i).out + v * inner_out_stride] = value;
}

/// If the device has found no outputs, or no items of them, writes the outputs that there are, and returns true:
/// nothing is left to do.
template <int Vector, class Known, class Given>
__device__ bool finish_without_items([[maybe_unused]] const Known& known, [[maybe_unused]] const Given& given) {
  if constexpr (is_counted<typename Given::output>) {
    if (known.vectors == 0) return true;
    if (known.items == 0) {
      write_nothing<Vector>(given.out, given.kept, given.vectors, given.inner_out_stride);
      return true;
    }
  }
  return false;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
