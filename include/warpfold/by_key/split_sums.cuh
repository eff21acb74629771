// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of runs of 8- and 16-bit integers, several items per instruction.
#pragma once
#include <warpfold/by_key/run_carry.cuh>
#include <warpfold/thread/fold_packed.cuh>

namespace warpfold::by_key {

/// The sums of all items of some chunks, of those before number `head`, and of those from it on. `head` may be less
/// than 1.
template <class A, class T, int Items, int Chunks>
__device__ split_run<A> split_sums(const thread::chunk<T, Items> (&from)[Chunks], int head) {
  unsigned all = 0, before = 0;
  WARPFOLD_UNROLL
  for (int i = 0; i < Chunks; ++i) {
    all += thread::fold_packed<unsigned, plus>(from[i], Items);
    before += thread::fold_packed<unsigned, plus>(from[i], head - i * Items);
  }
  return {static_cast<A>(all), static_cast<A>(before), static_cast<A>(all - before)};
}

}  // namespace warpfold::by_key
