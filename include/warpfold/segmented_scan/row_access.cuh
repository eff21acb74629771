// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp reads and writes its rows, which begin at boundaries of the output's vectors, or anywhere if whole.
#pragma once
#include <warpfold/warp/tile_rows.cuh>

namespace warpfold::segmented_scan {

/// Results that something is joined to before they are written to `to`: finish(values, live, item) does that to the
/// values, whose bits are set in `live`, of consecutive items from `item` on.
template <class A, class Finish> struct finished_output {
  A* to;
  Finish finish;
};
template <class Out> inline constexpr bool is_finished = false;
template <class A, class Finish> inline constexpr bool is_finished<finished_output<A, Finish>> = true;

/// Where results are written.
template <class Out> __host__ __device__ auto target_of(const Out& out) {
  if constexpr (is_finished<Out>) return out.to;
  else return out;
}

/// Whether results take the items' place.
template <class Source, class Out> __device__ bool is_in_place(const Source& source, Out out) {
  if constexpr (requires { source.data; } && std::is_pointer_v<Out>)
    return static_cast<const void*>(source.data) == static_cast<const void*>(out);
  else return false;
}

/// Reads rows of `Source`, counted from item `base`.
template <class Source> struct row_reader {
  using chunk = typename Source::chunk;
  static constexpr int items = Source::chunk_items, row_items = warp_lanes * items;

  const Source& source;
  std::int64_t base;
  int begin, end;  ///< of the items that may be read
  int shift;       ///< bytes between a boundary of vectors and a chunk

  /// Knows the items in [least, past).
  __device__ static row_reader of(const Source& source, std::int64_t base, int least, int past) {
    row_reader rows{source, base, static_cast<int>(greatest_of(-base, std::int64_t{least})),
                    static_cast<int>(least_of(source.items - base, std::int64_t{past})), 0};
    if constexpr (requires { source.data; })
      rows.shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(source.data + base) & (chunk::vector_bytes - 1));
    return rows;
  }
  /// Knows the items less than `Reach` away from `base`.
  template <int Reach> __device__ static row_reader around(const Source& source, std::int64_t base) {
    return of(source, base, -Reach, Reach);
  }
  /// Loads the lanes' chunks of the row that begins at item `row`: the items that may be read. All lanes call it.
  __device__ void load(chunk& to, int row) const {
    const int own = arch::lane_id() * items, count = end - row - own, skipped = begin - row - own;
    if constexpr (requires { source.data; }) {
      const auto* const from = source.data + (base + own) + row;
      const auto has = [&](int around) { return skipped <= -around && count >= items + around; };
      if (shift == 0) {
        if (has(0)) return to.template load<arch::read_once>(from);
      } else if constexpr (chunk::vector_bytes >= 4) {
        if (has(chunk::margin)) return to.template load_shifted<arch::read_once>(from, shift);
      }
      to.template load<arch::read_once>(from, count, skipped);
    } else source.load_items(to, base + own + row, count, skipped);
  }
};

/// Writes the lane's results of a chunk of the row that begins at item `base` + `row` of the output: those whose bits
/// are set in `live`. If `is_aligned`, chunks begin at boundaries of vectors.
template <int Items, class A, class Out>
__device__ void store_chunk(const A (&results)[Items], unsigned live, Out out, std::int64_t base, int row,
                            [[maybe_unused]] bool is_aligned) {
  const std::int64_t own = base + arch::lane_id() * Items;
  if constexpr (warp::writes_vectors<Out>) {
    constexpr unsigned all = Items < 32 ? (1u << Items) - 1 : ~0u;
    if (is_aligned && live == all) {
      warp::stored_chunk_t<Out, A, Items> packed;
      warp::pack(results, packed, [](int) { return true; });
      return warp::store_vectors(reinterpret_cast<unsigned char*>(out + own + row), packed);
    }
  }
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    if (!(live >> k & 1)) continue;
    if constexpr (std::is_pointer_v<Out>) (out + own + row)[k] = static_cast<std::remove_pointer_t<Out>>(results[k]);
    else out[static_cast<std::ptrdiff_t>(own + row + k)] = results[k];
  }
}

/// Writes the lanes' results of a whole row, which begins at item `first` of the output, wherever that lies. All lanes
/// call it.
template <int Items, class A, class Out>
__device__ void store_row(const A (&results)[Items], Out out, std::int64_t first) {
  warp::stored_chunk_t<Out, A, Items> row[1];
  warp::pack(results, row[0], [](int) { return true; });
  warp::store_rows<Items>(row, out, first, warp_lanes * Items);
}

}  // namespace warpfold::segmented_scan
