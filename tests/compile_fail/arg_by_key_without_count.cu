// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys and values as iterators need a count. Keys have a type of their own: a sentence is said once for each.
#include <warpfold/arg_reduce.cuh>

#include <span>

void find(const long* keys, const float* in, [[maybe_unused]] int count, long* out_keys,
          warpfold::indexed_value<float>* out, int* runs) {
#if defined(MISTAKE)
  warpfold::argmax_by_key(keys, in, out_keys, out, runs);
#else
  warpfold::argmax_by_key(keys, in, count, out_keys, out, runs);
#endif
}
