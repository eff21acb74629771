// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number of items that a kernel reads from device memory.
#pragma once
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/precondition.cuh>
#include <warpfold/operator_traits.hpp>

namespace warpfold::grid {

/// The number is of type `N`.
template <class N> struct device_items {
  using integer = N;
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

/// Lets `source` end behind its first `items` items.
template <class Source> __device__ void keep_first(Source& source, std::int64_t items) {
  source.items = items;
  if constexpr (requires { source.source; }) keep_first(source.source, items);
  if constexpr (requires { source.left; }) {
    keep_first(source.left, items);
    keep_first(source.right, items);
  }
  if constexpr (requires { source.keys; }) {
    keep_first(source.keys, items);
    keep_first(source.values, items);
  }
}

}  // namespace warpfold::grid
