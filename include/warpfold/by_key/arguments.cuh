// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel of reduction by key is given, and where its results go.
#pragma once
#include <warpfold/by_key/join_tiles.cuh>
#include <warpfold/by_key/tile_epochs.cuh>
#include <warpfold/grid/initial_value.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Keys, class Leaves, class Op, class Equal, class OutKeys, class OutValues, class OutCount>
struct by_key_arguments {
  using key = typename Keys::item;
  using A = typename Leaves::accumulator;

  Keys keys;
  Leaves leaves;
  Op op;
  Equal equal;
  OutKeys out_keys;
  OutValues out_values;
  OutCount out_count;
  std::int64_t capacity;  ///< of the outputs; later runs are counted only
  grid::initial_value<A> init;
  lap_schedule schedule;
  by_key_scratch<A> scratch;
  int whole_tiles;  ///< whose items all exist
  bool stages;      ///< whether these come through shared memory: there is room, and they are aligned

  __device__ run_joiner<Op, A> joiner() const { return {op}; }
  __device__ void write_key(std::int64_t run, const key& k) const {
    if (run < capacity) out_keys[static_cast<std::iter_difference_t<OutKeys>>(run)] = k;
  }
  __device__ void write_value(std::int64_t run, const A& result) const {
    if (run < capacity) out_values[static_cast<std::iter_difference_t<OutValues>>(run)] = init.join(result, op);
  }
  __device__ void write_count(std::int64_t runs) const { *out_count = static_cast<std::iter_value_t<OutCount>>(runs); }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
