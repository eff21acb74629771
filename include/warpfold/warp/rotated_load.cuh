// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full-rate loads from a base that is not aligned to 16 bytes: each lane reads whole aligned vectors, takes the one that
// follows its chunk from the next lane, and cuts its items out of the two. Costs some shuffles, and no extra traffic but
// one vector a warp.
#pragma once
#include <warpfold/thread/source.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

namespace detail {
/// The `Words` words that start `bytes` (0 to 15, the same in all lanes) into Words + 4 words.
template <int Words> __device__ void cut(std::uint32_t (&word)[Words + 4], int bytes) {
  if (bytes & 8)
    WARPFOLD_UNROLL
    for (int i = 0; i < Words + 2; ++i) word[i] = word[i + 2];
  if (bytes & 4)
    WARPFOLD_UNROLL
    for (int i = 0; i < Words + 1; ++i) word[i] = word[i + 1];
  WARPFOLD_UNROLL
  for (int i = 0; i < Words; ++i) word[i] = __funnelshift_r(word[i], word[i + 1], 8 * (bytes & 3));
}
}  // namespace detail

/// Loads `Rows` rows of 32 chunks, from item `first` on, of a source that is misaligned. The aligned vectors around them
/// must lie within the source: can_rotate says so. All 32 lanes must call it.
template <int Rows, class T, int Items> requires(thread::chunk<T, Items>::vector_bytes == 16)
__device__ void rotated_load(thread::chunk<T, Items> (&rows)[Rows], const thread::pointer_source<T, Items>& source,
                             std::int64_t first) {
  using chunk = thread::chunk<T, Items>;
  const int lane = arch::lane_id(), shift = source.misaligned_bytes();
  const auto* aligned = reinterpret_cast<const unsigned char*>(source.data + first) - shift;
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row)
    rows[row].load(reinterpret_cast<const T*>(aligned + (row * warp_lanes + lane) * std::int64_t{chunk::bytes}));
  std::uint32_t after[4];  // the vector that follows the last row
  arch::load<16>(aligned + Rows * warp_lanes * std::int64_t{chunk::bytes}, after);
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    std::uint32_t window[chunk::words + 4];
    WARPFOLD_UNROLL
    for (int i = 0; i < chunk::words; ++i) window[i] = rows[row].word[i];
    WARPFOLD_UNROLL
    for (int i = 0; i < 4; ++i) {  // lane 31 is followed by the next row's lane 0
      const std::uint32_t next_row = row + 1 < Rows ? rows[row + 1 < Rows ? row + 1 : row].word[i] : after[i];
      window[chunk::words + i] = shuffle(lane == 0 ? next_row : rows[row].word[i], (lane + 1) % warp_lanes);
    }
    detail::cut<chunk::words>(window, shift);
    WARPFOLD_UNROLL
    for (int i = 0; i < chunk::words; ++i) rows[row].word[i] = window[i];
  }
}

/// Whether the aligned vectors around [first, last) all lie within the source.
template <class T, int Items>
__device__ bool can_rotate(const thread::pointer_source<T, Items>& source, std::int64_t first, std::int64_t last) {
  const std::int64_t before = first * std::int64_t{sizeof(T)}, after = (source.items - last) * std::int64_t{sizeof(T)};
  return before >= source.misaligned_bytes() && after >= 16 - source.misaligned_bytes();
}

}  // namespace warpfold::warp
