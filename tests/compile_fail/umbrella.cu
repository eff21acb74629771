// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first program, for the compilers that are not supported.
#include <warpfold/warpfold.cuh>
