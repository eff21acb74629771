// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/groups.hpp"
#include "reduce/register.hpp"

namespace {

void register_all() {
  bench::register_float_reductions();
  bench::register_double_reductions();
  bench::register_integer_reductions();
  bench::register_half_reductions();
  bench::register_struct_reductions();
}

}  // namespace

/// warpfold/reduce.cuh against CUB and the read limit; README.md beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
