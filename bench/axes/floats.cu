// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/std/functional>

#include "measure.cuh"
#include "register.hpp"

namespace bench {

void register_float_axes() {
  const auto add = [](const axes_form& form) {
    add_axes<float, warpfold::plus, cuda::std::plus<>>("float", "plus", form);
  };
  for (const int log_items : {26, 22})
    for (const std::int64_t extent : {1, 2, 3, 5, 7, 8, 31, 32, 33, 100, 127, 256, 1000, 4096, 65536, 1 << 20}) {
      add(rows_of(extent, log_items));
      add(columns_of(extent, log_items));
    }
  for (const std::int64_t rows : {2, 3, 8})  // few rows
    add({"rows_to_add_" + std::to_string(rows), {rows, (std::int64_t{1} << 26) / rows}, {0}});
  for (const std::int64_t columns : {16, 64, 1024}) add(columns_of(columns, 26));
  for (axes_form form :
       {axes_form{"padded_rows", {8192, 8192}, {1}, 8}, axes_form{"padded_columns", {8192, 8192}, {0}, 8},
        axes_form{"short_padded_rows", {1 << 20, 60}, {1}, 4}})
    add(form);
  for (const std::int64_t length : {1000, 4096}) {
    axes_form rows = rows_of(length, 26), columns = columns_of(length, 26);
    rows.offset_items = columns.offset_items = 1;
    add(rows), add(columns);
  }
  add({"8x2048x4096_axis_1", {8, 2048, 4096}, {1}});
  add({"64x1024x1024_axes_0_2", {64, 1024, 1024}, {0, 2}});
  add({"5000x400x33_axis_1", {5000, 400, 33}, {1}});
  add({"80x80x80x131_axes_1_2", {80, 80, 80, 131}, {1, 2}});
  add({"images_32x3x224x224", {32, 3, 224, 224}, {0, 2, 3}});
  add({"65536x32x32_axis_2", {65536, 32, 32}, {2}});
  add({"batch_norm_64x256x56x56", {64, 256, 56, 56}, {0, 2, 3}});
  add({"bias_gradient_16384x4096", {16384, 4096}, {0}});
  add({"1024x256x256_axis_1", {1024, 256, 256}, {1}});
}

}  // namespace bench
