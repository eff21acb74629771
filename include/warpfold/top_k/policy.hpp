// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of top_k_items. They change its speed, never its result.
#pragma once
#include <bit>
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int most_k = 1024;
inline constexpr int most_block_warps = 8;
/// Asked of the register allocator.
template <class Key> inline constexpr int blocks_per_multiprocessor = sizeof(Key) > 8 ? 2 : 3;
/// Bounds of the blocks that share segments: as many as may be resident, and as have lists in scratch. A default
/// wf::workspace has that much.
inline constexpr int most_blocks_per_multiprocessor = 4;
inline constexpr std::size_t most_list_bytes = std::size_t{4} << 20;
/// Rows of 32 chunks in a batch. A bit of a register marks each item of a lane, so there are at most 32. Wide items
/// have registers for more rows, since fewer blocks share them.
template <class Source>
inline constexpr int batch_rows = Source::chunk_items > 8   ? greatest_of(32 / Source::chunk_items, 1)
                                  : Source::chunk_items > 2 ? 4
                                                            : 8;
template <class Source> inline constexpr int batch_items = batch_rows<Source>* warp_lanes* Source::chunk_items;

/// The shape of a block's lists: as many keys as are kept, and those that wait.
struct list_shape {
  int k;         ///< of the call
  int kept;      ///< a power of two from k on
  int capacity;  ///< of the buffer of waiting keys, a power of two
};
/// A full buffer is sorted, so a larger one costs random items more, and ascending items less.
inline list_shape shape_of_lists(int k, int block_warps) {
  const int kept = greatest_of(warp_lanes, static_cast<int>(std::bit_ceil(static_cast<unsigned>(k))));
  return {k, kept, greatest_of(kept, 2 * warp_lanes * block_warps)};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
