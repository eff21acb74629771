// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loader of all block algorithms: copies a data-block to shared memory, in the layout of the algorithm.
#pragma once
#include <algorithm>
#include <bit>
#include <warpfold/arch/lane.cuh>
#include <warpfold/thread/load_by_alignment.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::thread {

/// Whether other CUDA-blocks may write what lies beyond the data-block.
template <class Source> inline constexpr bool may_be_overwritten = false;
template <class Source>
  requires requires(const Source& source) { source.left, source.right; }
inline constexpr bool may_be_overwritten<Source> =
    may_be_overwritten<decltype(Source::left)> || may_be_overwritten<decltype(Source::right)>;

}  // namespace warpfold::thread

namespace warpfold::block {

namespace detail {
/// Rows that a warp has in flight: the largest power of two up to `Rows` and 8, at least 1.
template <int Rows> inline constexpr int batch_rows = int(std::bit_floor(unsigned(std::clamp(Rows, 1, 8))));
}  // namespace detail

/// Copies the data-block that starts at item `first` to `to`, and returns how many of its items exist: at least one.
/// All threads of the group call it. A group barrier must follow before others read. Loads are coalesced, from any
/// alignment; a warp has up to 8 rows in flight.
template <class Group, class Leaves, class Slots>
__device__ int load_data_block(const Group& group, const Leaves& leaves, std::int64_t first, Slots& to) {
  constexpr int chunk_items = Leaves::chunk_items, row_items = warp_lanes * chunk_items;
  constexpr int all_rows = (Slots::items + row_items - 1) / row_items;
  constexpr int rows = detail::batch_rows<all_rows / Group::warps>;
  const std::int64_t left = leaves.source.items - first;
  const int count = left < Slots::items ? static_cast<int>(left) : Slots::items;
  WARPFOLD_NO_UNROLL
  for (int begin = group.warp() * rows * row_items; begin < count; begin += Group::warps * rows * row_items) {
    typename Leaves::chunk chunks[rows];
    const std::int64_t begin_item = first + begin;
    thread::load_by_alignment(leaves.source, begin_item, begin_item + rows * row_items, [&](auto load) {
      WARPFOLD_UNROLL
      for (int row = 0; row < rows; ++row) {
        const int item = row * row_items + arch::lane_id() * chunk_items;
        if (!thread::may_be_overwritten<std::remove_cvref_t<decltype(leaves.source)>> || begin + item < count)
          load(chunks[row], begin_item + item);
      }
    });
    WARPFOLD_UNROLL
    for (int row = 0; row < rows; ++row) {
      const int item = begin + row * row_items + arch::lane_id() * chunk_items;
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_items; ++k)
        if (item + k < count) {
          if constexpr (requires { leaves.check_owner(chunks[row], k, first); })
            leaves.check_owner(chunks[row], k, first + item + k);
          to.set(item + k, leaves.leaf(chunks[row], k));
        }
    }
  }
  return count;
}

}  // namespace warpfold::block
