// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of the keys, as Thrust takes it.
#include <warpfold/reduce_by_key.cuh>

#include <span>

std::int64_t fold(const int* keys, const float* values, int* out_keys, float* out) {
#if defined(MISTAKE)
  return warpfold::reduce_by_key_value(keys, keys + 3, values, out_keys, out);
#else
  return warpfold::reduce_by_key_value(keys, values, 3, out_keys, out);
#endif
}
