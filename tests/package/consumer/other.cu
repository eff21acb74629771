// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpfold/warpfold.cuh>

#include <span>

int largest(std::span<const int> items) { return warpfold::reduce_value(items, warpfold::maximum{}); }
