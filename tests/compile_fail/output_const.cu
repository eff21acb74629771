// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An output of items that are const.
#include <warpfold/reduce.cuh>

#include <span>

#if defined(MISTAKE)
using out_pointer = const float*;
#else
using out_pointer = float*;
#endif

void fold(std::span<const float> in, out_pointer out) { warpfold::reduce(in, out); }
