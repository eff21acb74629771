// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/groups.hpp"
#include "segmented/register.hpp"

namespace {

void register_all() {
  bench::register_segmented_sums();
  bench::register_segmented_forms();
  bench::register_segmented_types();
}

}  // namespace

/// segmented_reduce over segments of all lengths, beside CUB and the kernels that move the same bytes.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
