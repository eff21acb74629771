// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An iterator is followed by a count, also before segments. Items have a type of their own: a sentence is said once for
// each.
#include <warpfold/arg_reduce.cuh>

#include <span>

void find(const double* in, [[maybe_unused]] int count, std::span<const int> offsets,
          warpfold::indexed_value<double>* out) {
#if defined(MISTAKE)
  warpfold::segmented_argmax<warpfold::relative_to::array>(in, offsets, out);
#else
  warpfold::segmented_argmax<warpfold::relative_to::array>(in, count, offsets, out);
#endif
}
