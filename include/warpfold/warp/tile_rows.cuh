// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp of a scan reads its rows of a tile, and writes their results. Items are read once, before their results
// are written, so results may take the items' place.
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/thread/source.cuh>
#include <warpfold/warp/prefetch.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::warp {

/// Items that a lane loads at once: as many as fill 16 bytes of input or output, whose items are larger.
template <class T, class Out> WARPFOLD_JIT consteval int chunk_items_of() {
  if constexpr (std::is_pointer_v<Out>)
    return least_of(thread::items_per_chunk(sizeof(T)), thread::items_per_chunk(sizeof(std::remove_pointer_t<Out>)));
  else return thread::items_per_chunk(sizeof(T));
}

/// Whether whole chunks of a warp that lacks items go by vectors, too: with more items than these, one after another
/// takes long.
template <int Items> inline constexpr bool has_long_chunks = Items > 4;

/// Loads `Rows` rows of 32 chunks from item `first` on, of which `count` items exist, row r to row_at(r). All lanes of
/// the warp call it.
template <int Rows, class Source, class RowAt>
__device__ void load_rows(const Source& source, std::int64_t first, int count, RowAt row_at) {
  constexpr int items = Source::chunk_items, row_items = warp_lanes * items, warp_items = Rows * row_items;
  const int own = arch::lane_id() * items;
  const auto each_row = [&](auto load) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) load(row_at(row), row * row_items + own);
  };
  if constexpr (requires { source.first_index; }) {
    load_rows<Rows>(
        source.source, first, count, [&](int row) -> auto& {
          auto& to = row_at(row);
          to.first = source.first_index + first + row * row_items + own;
          return static_cast<typename decltype(source.source)::chunk&>(to);
        });
  } else if constexpr (requires { source.data; }) {
    using chunk = typename Source::chunk;
    constexpr int vector_bytes = chunk::vector_bytes;
    const auto* const data = source.data + first;
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(data) & (vector_bytes - 1));
    // Whether the vectors that hold some of the `n` items from `item` on hold items of the source only.
    const auto can_shift = [&](int item, int n) {
      constexpr std::int64_t item_bytes = sizeof(typename Source::item);
      return vector_bytes >= 4 && (first + item) * item_bytes >= shift &&
             (source.items - first - item - n) * item_bytes >= vector_bytes - shift;
    };
    const auto load_whole = [&](chunk& to, int item) { to.template load<arch::read_once>(data + item); };
    const auto load_shifted = [&](chunk& to, int item) {
      if constexpr (vector_bytes >= 4) to.template load_shifted<arch::read_once>(data + item, shift);
    };
    if (count >= warp_items) {
      if (shift == 0) return each_row(load_whole);
      if (can_shift(0, warp_items)) return each_row(load_shifted);
    }
    each_row([&](chunk& to, int item) {
      const bool is_whole = has_long_chunks<items> && count - item >= items;
      if (is_whole && shift == 0) load_whole(to, item);
      else if (is_whole && can_shift(item, items)) load_shifted(to, item);
      else to.template load<arch::read_once>(data + item, least_of(count - item, items));
    });
  } else each_row([&](auto& to, int item) { source.load_edge(to, first + item); });
}
template <int Rows, class Source>
__device__ void load_rows(typename Source::chunk (&rows)[Rows], const Source& source, std::int64_t first, int count) {
  load_rows<Rows>(
      source, first, count, [&](int row) -> auto& { return rows[row]; });
}

/// Whether results are written to `Out` by vectors.
template <class Out>
inline constexpr bool writes_vectors =
    std::is_pointer_v<Out>&& std::is_trivially_copyable_v<std::remove_pointer_t<Out>>;

/// A lane's results of a row on their way to `Out`: as they are stored, or as accumulators, which an iterator takes.
template <class A, int Items> struct result_chunk {
  A results[Items];
  __device__ const A& item(int k) const { return results[k]; }
};
template <class Out, class A, int Items> struct stored_chunk { using type = result_chunk<A, Items>; };
template <class Out, class A, int Items>
  requires writes_vectors<Out>
struct stored_chunk<Out, A, Items> {
  using type = thread::chunk<std::remove_pointer_t<Out>, Items>;
};
template <class Out, class A, int Items> using stored_chunk_t = typename stored_chunk<Out, A, Items>::type;

/// Packs results. Only those for which exists(k) are converted, since a conversion may be the user's.
template <class T, int Items, class A, class Exists>
__device__ void pack(const A* results, thread::chunk<T, Items>& to, Exists exists) {
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    if (!std::is_arithmetic_v<A> && !std::is_same_v<A, T> && !exists(k)) continue;
    const T item = static_cast<T>(results[k]);
    std::memcpy(reinterpret_cast<unsigned char*>(to.word) + k * sizeof(T), &item, sizeof(T));
  }
}
template <class A, int Items, class Exists> __device__ void pack(const A* results, result_chunk<A, Items>& to, Exists) {
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) to.results[k] = results[k];
}

/// Stores a chunk by vectors, the first one but if `has_first`. `target` is a boundary of vectors.
template <class Chunk> __device__ void store_vectors(unsigned char* target, const Chunk& from, bool has_first = true) {
  constexpr int width = Chunk::vector_bytes;
  WARPFOLD_UNROLL
  for (int offset = 0; offset < Chunk::bytes; offset += width)
    if (offset > 0 || has_first)
      arch::store_once<width>(target + offset, reinterpret_cast<const unsigned char*>(from.word) + offset);
}

/// Writes whole rows that begin at `to`, `shift` bytes past a boundary of vectors: each lane writes the vectors that
/// begin with the end of its left neighbour's chunk. The ends of the rows, where other warps own the rest of the
/// vector, are written piece by piece.
template <int Rows, int Items, class T>
__device__ void store_shifted_rows(const thread::chunk<T, Items> (&rows)[Rows], T* to, int shift) {
  using chunk = thread::chunk<T, Items>;
  constexpr int vector_bytes = chunk::vector_bytes, vector_words = vector_bytes / 4, width = int{alignof(T)};
  const int lane = arch::lane_id();
  std::uint32_t before[vector_words] = {};  // in lane 0: the last vector of the row before
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) {
    const chunk& own = rows[row];
    const auto* const bytes = reinterpret_cast<const unsigned char*>(own.word);
    auto* const target = reinterpret_cast<unsigned char*>(to + (row * warp_lanes + lane) * Items);
    std::uint32_t window[chunk::window_words];
    WARPFOLD_UNROLL
    for (int i = 0; i < vector_words; ++i) {
      const std::uint32_t rotated =
          __shfl_sync(full_warp, own.word[chunk::words - vector_words + i], (lane + warp_lanes - 1) & (warp_lanes - 1));
      window[i] = lane == 0 ? before[i] : rotated;
      before[i] = rotated;
    }
    WARPFOLD_UNROLL
    for (int i = 0; i < chunk::words; ++i) window[vector_words + i] = own.word[i];
    chunk shifted;
    shifted.cut(window, vector_bytes - shift);
    const bool is_first = row == 0 && lane == 0, is_last = row == Rows - 1 && lane == warp_lanes - 1;
    store_vectors(target - shift, shifted, !is_first);
    WARPFOLD_UNROLL
    for (int piece = 0; piece < vector_bytes; piece += width) {
      if (is_first && piece < vector_bytes - shift) arch::store_once<width>(target + piece, bytes + piece);
      constexpr int last_vector = chunk::bytes - vector_bytes;
      if (is_last && piece >= vector_bytes - shift)
        arch::store_once<width>(target + last_vector + piece, bytes + last_vector + piece);
    }
  }
}

/// Writes the results of `Rows` rows of 32 chunks from out[first] on, of which `count` exist: by vectors where all do.
/// All lanes of the warp call it.
template <int Items, int Rows, class Chunk, class Out>
__device__ void store_rows(const Chunk (&rows)[Rows], Out out, std::int64_t first, int count) {
  constexpr int row_items = warp_lanes * Items;
  const int own = arch::lane_id() * Items;
  [[maybe_unused]] int whole = 0;  // items whose chunks are stored by vectors
  if constexpr (writes_vectors<Out>) {
    using T = std::remove_pointer_t<Out>;
    constexpr int vector_bytes = Chunk::vector_bytes;
    T* const to = out + first;
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) & (vector_bytes - 1));
    const bool has_all = count >= Rows * row_items;
    if (shift == 0 && (has_all || has_long_chunks<Items>)) {
      whole = count & ~(Items - 1);
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row)
        if (!has_long_chunks<Items> || row * row_items + own < whole)
          store_vectors(reinterpret_cast<unsigned char*>(to + row * row_items + own), rows[row]);
    }
    if (has_all && shift == 0) return;
    if constexpr (vector_bytes >= 4 && alignof(T) < vector_bytes)
      if (has_all) return store_shifted_rows(rows, to, shift);
  }
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    const int item = row * row_items + own + k;
    if (whole <= item && item < count) out[static_cast<std::ptrdiff_t>(first + item)] = rows[row].item(k);
  }
}

/// The same of results that have not been packed.
template <int Rows, int Items, class A, class Out>
__device__ void store_rows(const A (&results)[Rows][Items], Out out, std::int64_t first, int count) {
  stored_chunk_t<Out, A, Items> rows[Rows] = {};
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row)
    pack(results[row], rows[row], [=](int k) { return (row * warp_lanes + arch::lane_id()) * Items + k < count; });
  store_rows<Items>(rows, out, first, count);
}

}  // namespace warpfold::warp
