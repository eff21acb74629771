// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other libraries take the equality of keys before the operator.
#include <warpfold/reduce_by_key.cuh>

#include <span>

void sums(std::span<const int> keys, std::span<const int> values, std::span<int> out_keys, std::span<int> out_values,
          int* count) {
#if defined(MISTAKE)
  warpfold::reduce_by_key(keys, values, out_keys, out_values, count, warpfold::equal_to{}, warpfold::plus{});
#else
  warpfold::reduce_by_key(keys, values, out_keys, out_values, count, warpfold::plus{}, warpfold::equal_to{});
#endif
}
