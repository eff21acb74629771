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
/// So many warps have the blocks that read segments alone, up to this k (bench/top_k_bench).
inline constexpr int small_block_warps = 4;
inline constexpr int most_small_block_k = 256;
/// Asked of the register allocator.
template <class Key> inline constexpr int blocks_per_multiprocessor = sizeof(Key) > 8 ? 2 : 4;
/// Bounds of the blocks that share segments: enough to read at the speed of memory, since each has a list of its own;
/// and as many as have lists in scratch. A default wf::workspace has that much.
inline constexpr int most_blocks_per_multiprocessor = 3;
inline constexpr std::size_t most_list_bytes = std::size_t{4} << 20;
/// Items, or pairs of items, that each lane has of a batch, unless they are loaded one by one.
inline constexpr int most_lane_items = 16, most_lane_pairs = 16;
/// Rows of 32 chunks in a batch of so many items for each lane.
template <class Source> constexpr int batch_rows(int lane_items) {
  return least_of(greatest_of(lane_items / Source::chunk_items, 1), 8);
}

/// The least k for which blocks with one tile of a segment tell each other of it (bench/top_k_bench).
inline constexpr int least_told_k = 128;
/// Blocks that share a segment tell each other so many words per thread.
inline constexpr int most_thread_words = 4;
inline constexpr int most_parts = most_thread_words * most_block_warps * warp_lanes;

/// The shape of a block's list.
struct list_shape {
  int k;         ///< of the call
  int kept;      ///< a power of two from k on: keys that are sorted at the end
  int spared;    ///< keys that stay when there is no more room: the fewer, the more steps find their bound
  int capacity;  ///< keys that there is room for
};
inline int spared_keys(int k) { return k + k / 8 + 4; }
/// More room means fewer pauses, but a pause raises the bound. A large block pauses for longer, so it has room for 1024
/// keys at least, a small one for 128 (bench/top_k_bench). The lists of all resident blocks fit shared memory.
inline list_shape shape_of_list(int k, int block_warps, std::size_t key_bytes) {
  constexpr std::size_t most_bytes = 32768;
  const int kept = greatest_of(warp_lanes, static_cast<int>(std::bit_ceil(static_cast<unsigned>(k))));
  const int room = least_of(4 * kept, static_cast<int>(most_bytes / key_bytes));
  return {k, kept, spared_keys(k), greatest_of(room, block_warps > small_block_warps ? 1024 : 128)};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
