// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest program: a sum and a maximum. It also knows --help and reports errors.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <span>
#include <vector>

#include "common/program.hpp"

constexpr const char* help = R"(usage: quickstart

Sums a million numbers and finds the largest, on the GPU: the smallest program
that uses Warpfold. Prints "sum 499999500000, largest 999999".
)";

void quickstart() {
  std::vector<double> numbers(1'000'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);

  // check turns an error code into an exception, as Warpfold's own functions do.
  double* data = nullptr;
  warpfold::check(cudaMalloc(&data, numbers.size() * sizeof(double)), "cudaMalloc");
  warpfold::check(cudaMemcpy(data, numbers.data(), numbers.size() * sizeof(double), cudaMemcpyHostToDevice),
                  "cudaMemcpy");

  const std::span<const double> items(data, numbers.size());
  const double sum = warpfold::reduce_value(items);
  const double largest = warpfold::reduce_value(items, warpfold::maximum{});
  std::printf("sum %.0f, largest %.0f\n", sum, largest);
  warpfold::check(cudaFree(data), "cudaFree");
}

int main(int argc, char** argv) {
  return examples::run_program(argc, argv, help, [](const auto& arguments) {
    if (!arguments.empty()) throw examples::usage_error("quickstart takes no arguments");
    quickstart();
  });
}
