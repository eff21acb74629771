// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter of the kernel of reduction by key.
#pragma once
#include <warpfold/by_key/join_tiles.cuh>
#include <warpfold/by_key/tile_epochs.cuh>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/thread/put.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The outputs of a call.
template <class Keys, class Values, class Count> struct run_outputs {
  Keys keys;
  Values values;
  Count count;
  std::int64_t capacity;  ///< runs that keys and values have room for; later runs are counted only
};

/// `Outputs` are run_outputs. `Schedule` is tile_epochs, or part_epochs of a part of an input.
template <class Keys, class Leaves, class Op, class Equal, class Outputs, class Schedule = tile_epochs>
struct by_key_arguments {
  using key = typename Keys::item;
  using A = typename Leaves::accumulator;

  Keys keys;
  Leaves leaves;
  Op op;
  Equal equal;
  Outputs out;
  grid::initial_value<A> init;
  Schedule schedule;
  by_key_scratch<A> scratch;
  int whole_tiles;  ///< tiles before this one are whole, but a part's first one if items are missing
  bool stages;      ///< whether whole tiles come through shared memory: there is room, and items are aligned

  __device__ bool is_whole(int tile) const {
    if (Schedule::is_part && schedule.missing > 0 && tile == schedule.first_tile) return false;
    return tile < whole_tiles;
  }
  __device__ carry_joiner<Op, A> joiner() const { return {op}; }
  __device__ void write_key(std::int64_t run, const key& k) const {
    if (run < out.capacity) out.keys[static_cast<std::ptrdiff_t>(run)] = k;
  }
  __device__ void write_value(std::int64_t run, const A& result) const {
    if (run < out.capacity) thread::put(out.values[static_cast<std::ptrdiff_t>(run)], init.join(result, op));
  }
  __device__ void write_count(std::int64_t runs) const {
    *out.count = static_cast<std::iter_value_t<decltype(out.count)>>(runs);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
