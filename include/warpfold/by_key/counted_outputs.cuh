// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction by key of as many items as the device knows. The host plans the grid for as many as there may be; the
// kernel reads the number before anything else.
#pragma once
#include <warpfold/by_key/arguments.cuh>
#include <warpfold/by_key/pipeline.cuh>
#include <warpfold/grid/device_items.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The outputs of a call, with the number of items that the kernel is to read.
template <class Outputs, class N> struct counted_outputs : Outputs { grid::device_items<N> number; };
template <class Outputs> inline constexpr bool is_counted = false;
template <class Outputs, class N> inline constexpr bool is_counted<counted_outputs<Outputs, N>> = true;

/// The arguments for the items that there are.
template <class Arguments> __device__ decltype(auto) with_known_items(const Arguments& given) {
  if constexpr (!is_counted<decltype(Arguments::out)>) return (given);
  else {
    constexpr int tile_items =
        by_key_storage<decltype(Arguments::keys), decltype(Arguments::leaves)>::thread_tile::tile_items;
    Arguments known = given;
    const std::int64_t items = given.out.number.read();
    grid::keep_first(known.keys, items);
    grid::keep_first(known.leaves.source, items);
    known.schedule.tiles = static_cast<int>((items + tile_items - 1) / tile_items);
    known.whole_tiles = static_cast<int>(items / tile_items);
    return known;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
