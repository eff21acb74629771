// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread folds items of a column that have been copied to shared memory as they lie.
#pragma once
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/policy.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves>
inline constexpr staged_policy staged_policy_of = staged_policy_for(sizeof(typename Leaves::item));

/// An item at any address to which its type is aligned.
template <class Chunk, class T> __device__ void load_staged(Chunk& to, const unsigned char* from) {
  constexpr int piece = alignof(T) < 16 ? int{alignof(T)} : 16;
  WARPFOLD_UNROLL
  for (int byte = 0; byte < int{sizeof(T)}; byte += piece)
    arch::load_shared<piece>(from + byte, reinterpret_cast<unsigned char*>(to.word) + byte);
}

/// Calls push(node) for the nodes over batches of the `count` items of a column that a stage has, the first of which is
/// number `first` of the column. They lie at `items` in shared memory if they have been copied, at `place` in any case.
template <class Leaves, class Op, class Push>
__device__ void fold_stage(const Leaves& leaves, Op op, int pitch, std::int64_t first, int count,
                           const unsigned char* items, bool are_copied, std::int64_t place, Push push) {
  using T = typename Leaves::item;
  constexpr int batch_rows = staged_policy_of<Leaves>.batch_rows, stage_rows = staged_policy_of<Leaves>.stage_rows;
  const int row_bytes = pitch * int{sizeof(T)};
  WARPFOLD_NO_UNROLL
  for (int row = 0; row < count; row += batch_rows) {
    typename Leaves::chunk held[batch_rows] = {};
    if (are_copied) {
      // Behind the last rows lie old items, which are still within the storage.
      WARPFOLD_UNROLL
      for (int k = 0; k < batch_rows; ++k)
        load_staged<typename Leaves::chunk, T>(held[k], items + (row + k) * row_bytes);
    } else {
      WARPFOLD_UNROLL
      for (int k = 0; k < batch_rows; ++k)
        if (row + k < count) leaves.load(held[k], place + std::int64_t{row + k} * pitch);
    }
    push(fold_batch_rows(leaves, held, 0, first + row, count - row, op));
    if constexpr (batch_rows == stage_rows) break;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
