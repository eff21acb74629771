// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <warpfold/device_count_scan_axes.cuh>

#include "common/device_number.cuh"
#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// Sums along an axis of a matrix of as many rows as the kernel reads, beside the call with that many.
void add_prefixes(std::int64_t items, std::int64_t columns, int axis) {
  add_one_read<float>(
      "device_count_scan_axes/float/plus_along_" + std::to_string(axis) + "_of_columns_" + std::to_string(columns),
      items, {"warpfold", "host_count"}, [=](one_read<float>& input) {
        const std::int64_t rows = items / columns;
        const auto out = std::make_shared<device_buffer<float>>(static_cast<std::size_t>(rows * columns));
        const auto matrix = wf::strided(input.in(), {rows, columns});
        const auto to = wf::strided(out->data(), {rows, columns});
        return contenders{{"warpfold",
                           [&input, rows, matrix, to, out, axis, number = on_device(rows)](cudaStream_t stream, int) {
                             wf::inclusive_scan_axes(matrix, wf::device_count(number->data(), rows), to, wf::axes{axis},
                                                     wf::plus{}, {.stream = stream, .workspace = input.workspace});
                           }},
                          {"host_count", [&input, matrix, to, out, axis](cudaStream_t stream, int) {
                             wf::inclusive_scan_axes(matrix, to, wf::axes{axis}, wf::plus{},
                                                     {.stream = stream, .workspace = input.workspace});
                           }}};
      });
}

void register_all() {
  for (const std::int64_t columns : {1, 24, 768, 50257})
    for (const int axis : {0, 1}) add_prefixes(std::int64_t{1} << 26, columns, axis);
}

}  // namespace

/// warpfold/device_count_scan_axes.cuh against warpfold/scan_axes.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }
