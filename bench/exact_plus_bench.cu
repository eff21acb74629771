// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/groups.hpp"
#include "exact/register.hpp"

namespace {

void register_all() {
  bench::register_exact_float_sums();
  bench::register_exact_double_sums();
}

}  // namespace

/// warpfold/exact_plus.cuh and warpfold/compensated_plus.hpp against plain sums, CUB and the read limit; README.md
/// beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
