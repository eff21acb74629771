// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/groups.hpp"
#include "scan/register.hpp"

namespace {

void register_all() {
  bench::register_float_scans();
  bench::register_narrow_scans();
  bench::register_wide_scans();
  bench::register_scans_by_key();
}

}  // namespace

/// warpfold/scan.cuh and warpfold/scan_by_key.cuh against CUB and the copy of as many bytes; README.md beside this file
/// says how.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
