// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of integers are integers of 128 bits: no other result can be asked for.
#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce.cuh>

#include <span>

#if defined(MISTAKE)
using item = int;
#else
using item = double;
#endif

void add_up(std::span<const item> in, float* out) { warpfold::reduce(in, out, warpfold::exact_plus_as<float>{}); }
