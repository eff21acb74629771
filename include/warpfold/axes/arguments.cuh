// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of all kernels over axes, and how these write their results.
#pragma once
#include <warpfold/arch/vector_load.cuh>
#include <warpfold/axes/index_map.cuh>
#include <warpfold/axes/plan.hpp>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/thread/chunk.cuh>
#include <warpfold/thread/counted_output.cuh>
#include <warpfold/thread/locate.cuh>
#include <warpfold/thread/put.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `leaves` begin at the first item of the shape, `out` at the first output. `kept` numbers vectors of outputs whose
/// items are adjacent in memory. `Map` is index_map or axis_map, or a reference to one.
template <class Leaves, class Op, class Out, class Map = index_map> struct axis_arguments {
  using A = typename Leaves::accumulator;
  using leaves_type = Leaves;
  using operation = Op;
  using output = Out;
  using map = std::remove_cvref_t<Map>;

  Leaves leaves;
  Op op;
  Out out;
  grid::initial_value<A> init;
  Map kept, reduced;
  std::int64_t vectors;           ///< numbers of `kept`
  std::int64_t items;             ///< of an output
  std::int64_t inner_out_stride;  ///< from an output to the next of its vector
  axis_reduction::plan plan;
  A* partials;         ///< scratch of outputs that several blocks share
  unsigned* counters;  ///< zero before and after the kernel: of drawn work items, then of each tile

  /// The counter from which work items are drawn, null if they are not.
  __device__ unsigned* draw_counter() const { return plan.draws ? counters : nullptr; }
  __device__ unsigned* counter_of(std::int64_t tile) const { return counters + 1 + tile; }

  __device__ work_item item_at(std::int64_t number) const { return plan.item_at(number, items); }
  /// How many outputs a tile of vectors of `Vector` has, where tiles take no heed of matrices.
  template <int Vector> __device__ int outputs_of(std::int64_t tile) const {
    return Vector * static_cast<int>(least_of<std::int64_t>(plan.lanes, vectors - tile * plan.lanes));
  }

  /// Writes the results of vector number `vector`.
  template <int Vector> __device__ void write(std::int64_t vector, const A (&results)[Vector]) const {
    write_at(kept.place_of(vector).out, results);
  }
  /// Writes the results of a vector, the first of them to `first`.
  template <int Vector> __device__ void write_at(std::int64_t first, const A (&results)[Vector]) const {
    if constexpr (Vector > 1 && thread::takes_vectors<Out>) {
      auto* const to = thread::memory_of(out) + first;
      using R = std::remove_pointer_t<decltype(to)>;
      using chunk = thread::chunk<R, Vector>;
      constexpr int width = chunk::vector_bytes;
      if (inner_out_stride == 1 && reinterpret_cast<std::uintptr_t>(to) % width == 0) {
        chunk held;
        WARPFOLD_UNROLL
        for (int v = 0; v < Vector; ++v) {
          R one;
          thread::assign(one, result(results[v]));
          held.set(v, one);
        }
        WARPFOLD_UNROLL
        for (int byte = 0; byte < chunk::bytes; byte += width)
          arch::store_once<width>(reinterpret_cast<unsigned char*>(to) + byte,
                                  reinterpret_cast<const unsigned char*>(held.word) + byte);
        return;
      }
    }
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) put(first + v * inner_out_stride, results[v]);
  }
  /// Writes a sum that the operator lowers in place of an accumulator to `to`, if there is no initial value; returns
  /// whether there is none.
  template <class Sum> __device__ bool write_sum_at(std::int64_t to, const Sum& sum) const {
    if (init.exists()) return false;
    thread::put(out[to], sum);
    return true;
  }
  /// Writes the result of output number `v` of vector number `vector`.
  __device__ void write_one(std::int64_t vector, int v, const A& result) const {
    put(kept.place_of(vector).out + v * inner_out_stride, result);
  }

 private:
  /// What is written of an accumulator.
  __device__ auto result(const A& of) const {
    if constexpr (thread::joins_initial_value<Out>) return out.result(of);
    else return init.join(of, thread::any_operator(op));
  }
  __device__ void put(std::int64_t place, const A& of) const {
    if constexpr (thread::joins_initial_value<Out>) thread::put(out[place], of);
    else thread::put(out[place], result(of));
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
