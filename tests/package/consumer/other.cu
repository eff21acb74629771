// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/reduce.cuh>

#include <cstddef>
#include <span>

void largest_of_each(std::span<const int> items, std::span<int> results) {
  const std::size_t length = items.size() / results.size();
  for (std::size_t s = 0; s < results.size(); ++s)
    warpfold::reduce(items.subspan(s * length, length), results.data() + s, warpfold::maximum{});
}
