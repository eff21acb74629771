// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <memory>
#include <string>
#include <warpfold/device_count_axes.cuh>

#include "common/device_number.cuh"
#include "common/one_read.cuh"

namespace {

using namespace bench;
namespace wf = warpfold;

/// Sums of columns of as many rows as the kernel reads, beside the call with that many.
void add_columns(std::int64_t items, std::int64_t columns) {
  add_one_read<float>("device_count_axes/float/plus_of_columns_" + std::to_string(columns), items,
                      {"warpfold", "host_count"}, [=](one_read<float>& input) {
                        const std::int64_t rows = items / columns;
                        const auto out = std::make_shared<device_buffer<float>>(static_cast<std::size_t>(columns));
                        const auto matrix = wf::strided(input.in(), {rows, columns});
                        return contenders{
                            {"warpfold",
                             [&input, rows, matrix, out, number = on_device(rows)](cudaStream_t stream, int) {
                               wf::reduce_columns(matrix, wf::device_count(number->data(), rows), out->data(),
                                                  wf::plus{}, {.stream = stream, .workspace = input.workspace});
                             }},
                            {"host_count", [&input, matrix, out](cudaStream_t stream, int) {
                               wf::reduce_columns(matrix, out->data(), wf::plus{},
                                                  {.stream = stream, .workspace = input.workspace});
                             }}};
                      });
}

/// Sums of as many rows, or of the columns of as many matrices of 64 rows, likewise.
void add_kept(std::int64_t items, std::int64_t columns, std::int64_t rows) {
  add_one_read<float>(
      "device_count_axes/float/plus_of_matrices_" + std::to_string(rows) + "_by_" + std::to_string(columns), items,
      {"warpfold", "host_count"}, [=](one_read<float>& input) {
        const std::int64_t matrices = items / (rows * columns);
        const auto out = std::make_shared<device_buffer<float>>(static_cast<std::size_t>(matrices * columns));
        const auto array = wf::strided(input.in(), {matrices, rows, columns});
        const auto matrix = wf::strided(input.in(), {matrices, columns});
        return contenders{{"warpfold",
                           [=, &input, number = on_device(matrices)](cudaStream_t stream, int) {
                             const wf::device_count count(number->data(), matrices);
                             const wf::segmented_options<float> options{.stream = stream, .workspace = input.workspace};
                             if (rows == 1)
                               wf::reduce_axes(matrix, count, out->data(), wf::axes{1}, wf::plus{}, options);
                             else wf::reduce_axes(array, count, out->data(), wf::axes{1}, wf::plus{}, options);
                           }},
                          {"host_count", [=, &input](cudaStream_t stream, int) {
                             const wf::segmented_options<float> options{.stream = stream, .workspace = input.workspace};
                             if (rows == 1) wf::reduce_axes(matrix, out->data(), wf::axes{1}, wf::plus{}, options);
                             else wf::reduce_axes(array, out->data(), wf::axes{1}, wf::plus{}, options);
                           }}};
      });
}

void register_all() {
  for (const int log_items : {16, 22, 26})
    for (const std::int64_t columns : {1, 24, 768, 50257})
      if (columns < std::int64_t{1} << log_items) add_columns(std::int64_t{1} << log_items, columns);
  for (const std::int64_t rows : {1, 64}) add_kept(std::int64_t{1} << 26, 768, rows);
}

}  // namespace

/// warpfold/device_count_axes.cuh against warpfold/reduce_axes.cuh.
int main(int argc, char** argv) { return run_benchmarks(argc, argv, register_all); }
