// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As the package's consumer has it, by kernels that are not inlined as a whole.
#include <warpfold/warpfold.cuh>

#include <cstddef>
#include <span>

void largest_of_each(std::span<const int> items, std::span<int> results) {
  const auto length = static_cast<std::ptrdiff_t>(items.size() / results.size());
  warpfold::segmented_reduce(items, warpfold::fixed_length{length}, results, warpfold::maximum{});
}
