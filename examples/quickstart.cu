// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The twelve lines of the README, in the shape of a program that also knows --help and reports errors.
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

  double* data = nullptr;
  cudaMalloc(&data, numbers.size() * sizeof(double));
  cudaMemcpy(data, numbers.data(), numbers.size() * sizeof(double), cudaMemcpyHostToDevice);

  const std::span<const double> items(data, numbers.size());
  const double sum = warpfold::reduce_value(items);
  const double largest = warpfold::reduce_value(items, warpfold::maximum{});
  std::printf("sum %.0f, largest %.0f\n", sum, largest);
  cudaFree(data);
}

int main(int argc, char** argv) {
  return examples::run_program(argc, argv, help, [](const auto& arguments) {
    if (!arguments.empty()) throw examples::usage_error("quickstart takes no arguments");
    quickstart();
  });
}
