// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/groups.hpp"
#include "segmented_scan/register.hpp"

namespace {

void register_all() {
  bench::register_segmented_float_scans();
  bench::register_segmented_scan_types();
}

}  // namespace

/// warpfold/segmented_scan.cuh over segments of all lengths, beside CUB's scan by key and the kernels that move the
/// same bytes; README.md beside this file says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
