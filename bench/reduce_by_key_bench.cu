// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "by_key/register.hpp"
#include "common/groups.hpp"

namespace {

void register_all() {
  bench::register_sums_by_key();
  bench::register_types_by_key();
}

}  // namespace

/// reduce_by_key over runs of all lengths, beside CUB and the kernels that move the same bytes.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, register_all); }
