// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axes/register.hpp"
#include "common/groups.hpp"

namespace {

void register_all() {
  bench::register_float_axes();
  bench::register_other_axes();
  bench::register_grid_of_axes();
}

}  // namespace

/// warpfold/reduce_axes.cuh against CUB and kernels that move as many bytes; README.md beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
