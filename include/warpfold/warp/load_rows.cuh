// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp loads rows of 32 chunks whose items it does not fold by the canonical tree: all that exist, from any
// alignment.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/opaque.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::warp {

/// Loads the calling lane's chunk of each row at item `first`. Returns whether all items of the rows exist; if not, the
/// chunks' other items are unknown.
template <int Rows, class Source>
__device__ bool load_rows(const Source& source, std::int64_t first, typename Source::chunk (&rows)[Rows]) {
  constexpr int chunk_items = Source::chunk_items, row_items = warp_lanes * chunk_items;
  std::int64_t own = first + arch::lane_id() * chunk_items;
  const bool all_exist = first + Rows * row_items <= source.items;
  if (all_exist && source.misaligned_bytes() == 0) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) source.load(rows[row], own + row * row_items);
    return true;
  }
  own = arch::opaque(own);
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const std::int64_t at = own + row * row_items;
    if constexpr (requires { source.can_shift(first, first); })
      if (source.can_shift(at, at + chunk_items)) {
        source.load_shifted(rows[row], at);
        continue;
      }
    source.load_edge(rows[row], at);
  }
  return all_exist;
}

}  // namespace warpfold::warp
