// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "everyday/register.hpp"

/// What people compute along axes and segments every day, beside the sum of the same shape.
int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, bench::register_everyday); }
