// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "everyday/register.hpp"

/// Everyday operators along axes and segments, beside the sum of the same shape.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, bench::register_everyday); }
