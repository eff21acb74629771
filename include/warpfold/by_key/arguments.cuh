// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the kernel of reduction by key, and how it writes its results.
#pragma once
#include <warpfold/by_key/join_tiles.cuh>
#include <warpfold/by_key/tile_epochs.cuh>
#include <warpfold/grid/initial_value.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The type in which the number of runs is written: the integer that a pointer points to, 64 bits for other iterators.
template <class Out> struct run_count { using type = std::int64_t; };
template <class T> struct run_count<T*> { using type = T; };
template <class Out> using run_count_t = typename run_count<Out>::type;

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
  std::int64_t capacity;  ///< the number of runs that out_keys and out_values hold; later runs are only counted
  grid::initial_value<A> init;
  tile_epochs epochs;
  by_key_scratch<A> scratch;
  int whole_tiles;  ///< the number of tiles without a missing item
  bool stages;      ///< whether whole tiles come through shared memory: there is room, and the items are aligned

  __device__ run_joiner<Op, A> joiner() const { return {op}; }
  __device__ void write_key(std::int64_t run, const key& k) const {
    if (run < capacity) out_keys[static_cast<std::ptrdiff_t>(run)] = k;
  }
  __device__ void write_value(std::int64_t run, const A& result) const {
    if (run < capacity) out_values[static_cast<std::ptrdiff_t>(run)] = init.join(result, op);
  }
  __device__ void write_count(std::int64_t runs) const { *out_count = static_cast<run_count_t<OutCount>>(runs); }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
