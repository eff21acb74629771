// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <warpfold/device_count.cuh>

#include "common/device_number.cuh"
#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A sum whose count the kernel reads, beside the call with that count (float_plus). There may be `times` as many items.
void add_sum(std::int64_t items, std::int64_t times) {
  add_one_read<float>(
      "device_count/float/plus_of_most_" + std::to_string(times), items, {"warpfold"}, [=](one_read<float>& input) {
        return contenders{{"warpfold", [&input, times, number = on_device(input.items)](cudaStream_t stream, int) {
                             wf::reduce(input.in(), wf::device_count(number->data(), times * input.items),
                                        input.sum.data(), wf::plus{}, {.stream = stream, .workspace = input.workspace});
                           }}};
      });
}

void register_all() {
  for (const int log_items : {12, 20, 24, 28})
    for (const std::int64_t times : {1, 8}) add_sum(std::int64_t{1} << log_items, times);
}

}  // namespace

/// warpfold/device_count.cuh against warpfold/reduce.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }
