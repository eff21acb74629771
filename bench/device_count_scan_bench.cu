// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <warpfold/device_count_scan.cuh>

#include "common/device_number.cuh"
#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// A running sum whose count the kernel reads, beside the call with that count. There may be `times` as many items.
void add_scan(std::int64_t items, std::int64_t times) {
  add_one_read<float>("device_count_scan/float/plus_of_most_" + std::to_string(times), items,
                      {"warpfold", "host_count"}, [=](one_read<float>& input) {
                        const auto out = std::make_shared<device_buffer<float>>(static_cast<std::size_t>(items));
                        return contenders{{"warpfold",
                                           [&input, times, out, number = on_device(items)](cudaStream_t stream, int) {
                                             wf::inclusive_scan(input.in(),
                                                                wf::device_count(number->data(), times * input.items),
                                                                out->data(), wf::plus{},
                                                                {.stream = stream, .workspace = input.workspace});
                                           }},
                                          {"host_count", [&input, out](cudaStream_t stream, int) {
                                             wf::inclusive_scan(input.in(), input.items, out->data(), wf::plus{},
                                                                {.stream = stream, .workspace = input.workspace});
                                           }}};
                      });
}

void register_all() {
  for (const int log_items : {12, 20, 24, 28})
    for (const std::int64_t times : {1, 8}) add_scan(std::int64_t{1} << log_items, times);
}

}  // namespace

/// warpfold/device_count_scan.cuh against warpfold/scan.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }
