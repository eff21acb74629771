// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/functional>
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
  for (const std::int64_t columns : {4, 6, 12, 16, 24, 48, 64, 257, 1024, 2049}) add(columns_of(columns, 26));  // tall
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
  // Statistics of images: over N, H and W in both usual layouts, one value per channel; and those of single images.
  add({"images_32x3x224x224", {32, 3, 224, 224}, {0, 2, 3}, 0, 0, true});
  add({"images_32x224x224x3", {32, 224, 224, 3}, {0, 1, 2}, 0, 0, true});
  add({"channels_of_256x3x224x224", {256, 3, 224, 224}, {2, 3}});
  add({"mean_image_512x3x224x224", {512, 3, 224, 224}, {0}});
  add({"65536x32x32_axis_2", {65536, 32, 32}, {2}});
  add({"batch_norm_64x256x56x56", {64, 256, 56, 56}, {0, 2, 3}, 0, 0, true});
  add({"batch_norm_64x56x56x256", {64, 56, 56, 256}, {0, 1, 2}, 0, 0, true});
  // Channels whose pixels are no vectors, and images that are parts of larger ones.
  add({"batch_norm_512x2048x7x7", {512, 2048, 7, 7}, {0, 2, 3}});
  add({"batch_norm_64x256x57x57", {64, 256, 57, 57}, {0, 2, 3}});
  add({"cropped_images_64x512x15x30", {64, 512, 15, 30}, {0, 2, 3}, 2});
  add({"bias_gradient_16384x4096", {16384, 4096}, {0}});
  add({"bias_gradient_32x512x4096", {32, 512, 4096}, {0, 1}});
  add({"1024x256x256_axis_1", {1024, 256, 256}, {1}});
  add_axes<float, warpfold::maximum, cuda::maximum<>>("float", "maximum",
                                                      {"attention_rows_512", {16, 16, 512, 512}, {3}});
}

// Matrices of all pairs of extents, for the heat map.
void register_grid_of_axes() {
  constexpr std::int64_t extents[] = {1, 2, 3, 8, 32, 33, 100, 1000, 4096, 65536, 1 << 20};
  for (const std::int64_t rows : extents)
    for (const std::int64_t columns : extents)
      for (const int axis : {0, 1}) {
        if (rows * columns > std::int64_t{1} << 26) continue;
        axes_form form{std::to_string(rows) + "x" + std::to_string(columns) + "_axis_" + std::to_string(axis),
                       {rows, columns},
                       {axis}};
        form.is_in_grid = true;
        add_axes<float, warpfold::plus, cuda::std::plus<>>("float", "plus", form);
      }
}

}  // namespace bench
