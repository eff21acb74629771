// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/warpfold.cuh>

#include <span>

/// The sum; `totals` gets the sums of both halves. Each build gives this function another name.
int SUM(std::span<const int> items, std::span<int, 2> totals) {
  const auto length = static_cast<std::ptrdiff_t>(items.size() / 2);
  warpfold::segmented_reduce(items, warpfold::fixed_length{length}, std::span<int>(totals), warpfold::plus{});
  return warpfold::reduce_value(items);
}
