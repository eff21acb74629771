// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// share_kernel for a number of items that it reads from device memory. The host plans the grid for as many items as
// there may be; blocks without work leave at once.
#pragma once
#include <warpfold/arch/precondition.cuh>
#include <warpfold/reduce/kernel.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A number of items in device memory, of type `N`.
template <class N> struct device_items {
  const N* pointer;
  std::int64_t most;
  int* status;  ///< or null

  /// The number, within 0 and `most`. The grid's first thread reports one that is not.
  __device__ std::int64_t read() const {
    const N given = *pointer;
    const bool is_negative = warpfold::detail::is_negative(given),
               fits = !is_negative && static_cast<std::uint64_t>(given) <= static_cast<std::uint64_t>(most);
    arch::require(fits, "the count on the device is %lld, not 0 to %lld", static_cast<long long>(given),
                  static_cast<long long>(most));
    if (fits) return static_cast<std::int64_t>(given);
    if (status != nullptr && blockIdx.x == 0 && arch::flat_thread() == 0) *status = 1;
    return is_negative ? 0 : most;
  }
};

/// `out`, with the number of items that the kernel is to read.
template <class Out, class N, class A> struct counted_output {
  Out out;
  device_items<N> count;
  grid::initial_value<A> nothing;  ///< is written if there are no items

  __device__ decltype(auto) operator*() const { return *out; }
  __device__ void write_nothing() const {
    if (blockIdx.x == 0 && arch::flat_thread() == 0) *out = nothing.alone();
  }
};
template <class Out, class N, class A> inline constexpr bool is_counted<counted_output<Out, N, A>> = true;

/// Lets `source` end behind its first `items` items.
template <class Source> __device__ void keep_first(Source& source, std::int64_t items) {
  source.items = items;
  if constexpr (requires { source.source; }) keep_first(source.source, items);
  if constexpr (requires { source.left; }) {
    keep_first(source.left, items);
    keep_first(source.right, items);
  }
}

/// Units whose results the last block can join.
template <class Leaves>
inline constexpr int most_units = max_units(sizeof(typename Leaves::accumulator),
                                            policy_of<Leaves>.share_threads / warp_lanes);

/// The arguments for the items that there are. Units are as large as planned, or smaller, so that all blocks have one.
template <class Leaves, class Op, class Out, class N, class A>
__device__ auto with_counted_items(const reduce_arguments<Leaves, Op, counted_output<Out, N, A>>& planned) {
  constexpr std::int64_t tile_items =
      std::int64_t{policy_of<Leaves>.share_rows} * policy_of<Leaves>.share_threads * Leaves::chunk_items;
  auto counted = planned;
  const std::int64_t items = planned.out.count.read();
  keep_first(counted.leaves.source, items);
  auto& schedule = counted.schedule;
  schedule.tiles = (items + tile_items - 1) / tile_items;
  const auto units = [&](int level) { return ((schedule.tiles - 1) >> level) + 1; };
  while (schedule.level > 0 && units(schedule.level) < gridDim.x && units(schedule.level - 1) <= most_units<Leaves>)
    --schedule.level;
  schedule.units = static_cast<int>(units(schedule.level));
  return counted;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
