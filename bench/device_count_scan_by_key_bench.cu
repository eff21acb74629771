// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <warpfold/device_count_scan_by_key.cuh>

#include "common/device_number.cuh"
#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// Numbers of runs of 100 items.
struct run_numbers {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(i) / 100; }
};
/// Running sums within runs, of as many items as the kernel reads, beside the call with that count.
void add_scan_by_key(std::int64_t items) {
  add_one_read<float>(
      "device_count_scan_by_key/float/plus", items, {"warpfold", "host_count"}, [=](one_read<float>& input) {
        const auto out = std::make_shared<device_buffer<float>>(static_cast<std::size_t>(items));
        return contenders{{"warpfold",
                           [&input, out, number = on_device(items)](cudaStream_t stream, int) {
                             wf::inclusive_scan_by_key(run_numbers{}, input.in(),
                                                       wf::device_count(number->data(), input.items), out->data(),
                                                       wf::plus{}, {.stream = stream, .workspace = input.workspace});
                           }},
                          {"host_count", [&input, out](cudaStream_t stream, int) {
                             wf::inclusive_scan_by_key(run_numbers{}, input.in(), input.items, out->data(), wf::plus{},
                                                       {.stream = stream, .workspace = input.workspace});
                           }}};
      });
}

void register_all() {
  for (const int log_items : {12, 20, 28}) add_scan_by_key(std::int64_t{1} << log_items);
}

}  // namespace

/// warpfold/device_count_scan_by_key.cuh against warpfold/scan_by_key.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }
