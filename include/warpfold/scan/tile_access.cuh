// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp reads its rows of a tile, and writes their results. Items are read once, before their results are written,
// so results may take the items' place.
#pragma once
#include <iterator>
#include <warpfold/thread/source.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::scan {

/// Loads `Rows` rows of 32 chunks from item `first` on, of which `count` items exist. All lanes of the warp call it.
template <int Rows, class Source>
__device__ void load_rows(typename Source::chunk (&rows)[Rows], const Source& source, std::int64_t first, int count) {
  constexpr int items = Source::chunk_items, row_items = warp_lanes * items, warp_items = Rows * row_items;
  const int own = arch::lane_id() * items;
  const auto each_row = [&](auto load) {
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) load(rows[row], row * row_items + own);
  };
  if constexpr (requires { source.data; }) {
    using chunk = typename Source::chunk;
    constexpr int vector_bytes = chunk::vector_bytes;
    const auto* const data = source.data + first;
    if (count >= warp_items) {
      const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(data) & (vector_bytes - 1));
      if (shift == 0)
        return each_row([&](chunk& to, int item) { to.template load<arch::read_once>(data + item); });
      if constexpr (vector_bytes >= 4) {
        constexpr std::int64_t item_bytes = sizeof(typename Source::item);
        if (first * item_bytes >= shift && (source.items - first - warp_items) * item_bytes >= vector_bytes - shift)
          return each_row(
              [&](chunk& to, int item) { to.template load_shifted<arch::read_once>(data + item, shift); });
      }
    }
    each_row([&](chunk& to, int item) { to.template load<arch::read_once>(data + item, least_of(count - item, items)); });
  } else each_row([&](auto& to, int item) { source.load_edge(to, first + item); });
}

/// Whether results of type `A` are written to `Out` by vectors.
template <class Out>
inline constexpr bool writes_vectors = std::is_pointer_v<Out> && std::is_trivially_copyable_v<std::remove_pointer_t<Out>>;

/// Writes the results of `Rows` rows of 32 chunks of `Items` items from out[first] on, of which `count` exist. All lanes
/// of the warp call it.
template <int Rows, int Items, class A, class Out>
__device__ void store_rows(const A (&results)[Rows][Items], Out out, std::int64_t first, int count) {
  constexpr int row_items = warp_lanes * Items;
  const int own = arch::lane_id() * Items;
  if constexpr (writes_vectors<Out>) {
    using T = std::remove_pointer_t<Out>;
    using chunk = thread::chunk<T, Items>;
    T* const to = out + first;
    if (count >= Rows * row_items && (reinterpret_cast<std::uintptr_t>(to) & (chunk::vector_bytes - 1)) == 0) {
      WARPFOLD_UNROLL
      for (int row = 0; row < Rows; ++row) {
        chunk packed;
        WARPFOLD_UNROLL
        for (int k = 0; k < Items; ++k) {
          const T item = static_cast<T>(results[row][k]);
          std::memcpy(reinterpret_cast<unsigned char*>(packed.word) + k * sizeof(T), &item, sizeof(T));
        }
        auto* const target = reinterpret_cast<unsigned char*>(to + row * row_items + own);
        WARPFOLD_UNROLL
        for (int offset = 0; offset < chunk::bytes; offset += chunk::vector_bytes)
          arch::store_once<chunk::vector_bytes>(target + offset,
                                                reinterpret_cast<const unsigned char*>(packed.word) + offset);
      }
      return;
    }
  }
  WARPFOLD_UNROLL
  for (int row = 0; row < Rows; ++row) WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    const int item = row * row_items + own + k;
    if constexpr (std::is_pointer_v<Out>) {
      using T = std::remove_pointer_t<Out>;
      if (item < count) out[first + item] = static_cast<T>(results[row][k]);
    } else if (item < count) out[static_cast<std::ptrdiff_t>(first + item)] = results[row][k];
  }
}

}  // namespace warpfold::scan
