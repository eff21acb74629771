// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that a scan's results may replace. ld.global.nc must not read memory that is written while the kernel runs:
// these items are read by other loads.
#pragma once
#include <warpfold/thread/source.cuh>
#include <warpfold_strategies/load_data_block.cuh>

namespace warpfold::thread {

template <class T, int Items = items_per_chunk(sizeof(T))> struct overwritten_source : pointer_source<T, Items> {
  using base = pointer_source<T, Items>;
  using chunk = typename base::chunk;

  /// Whether results do replace the items. Then no vector may hold items of other blocks.
  bool is_in_place;

  __device__ void load(chunk& to, std::int64_t first) const { to.template load<arch::read_once>(this->data + first); }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    const std::int64_t rest = this->items - first;
    if (rest >= Items && this->misaligned_bytes(first) == 0) load(to, first);
    else if (rest > 0)
      to.template load<arch::read_once>(this->data + first, static_cast<int>(least_of(rest, std::int64_t{Items})));
  }
  __device__ bool can_shift(std::int64_t first, std::int64_t last) const requires(chunk::vector_bytes == 16) {
    return !is_in_place && base::can_shift(first, last);
  }
  __device__ void load_shifted(chunk& to, std::int64_t first) const requires(chunk::vector_bytes == 16) {
    to.template load_shifted<arch::read_once>(this->data + first, this->misaligned_bytes());
  }
};

template <class T, int Items> inline constexpr bool may_be_overwritten<overwritten_source<T, Items>> = true;

template <int Items, class T, int Own>
constexpr overwritten_source<T, Items> rechunk(const overwritten_source<T, Own>& source) {
  return {rechunk<Items>(static_cast<const pointer_source<T, Own>&>(source)), source.is_in_place};
}

/// The same leaves, of items that results at `out` may replace.
template <class Leaves> Leaves overwritten(const Leaves& given, const void*) { return given; }
template <class T, int Items, class Transform, class A>
leaves<overwritten_source<T, Items>, Transform, A> overwritten(
    const leaves<pointer_source<T, Items>, Transform, A>& given, const void* out) {
  return {{given.source, given.source.data == out}, given.transform};
}

}  // namespace warpfold::thread
