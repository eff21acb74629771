// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A grid of 16-bit numbers, such as the bundled precipitation. Plain C++: knows nothing of CUDA.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "npy.hpp"
#include "program.hpp"

namespace examples {

struct grid {
  std::int64_t rows, columns;
  std::vector<std::uint16_t> items;
  bool is_bundled;

  std::int64_t item(std::int64_t row, std::int64_t column) const {
    return items[static_cast<std::size_t>(row * columns + column)];
  }
};

/// The grid of the first file given, or else the bundled one.
inline grid read_grid(const std::vector<std::string_view>& files) {
  const auto path = files.empty() ? bundled_data("annual_precipitation.npy") : std::filesystem::path(files[0]);
  const array_file file = read_npy(path);
  if (file.type != item_type::uint16 || file.shape.size() != 2)
    throw file_error(path.string() + ": a grid is uint16 of shape (rows, columns), this is " +
                     std::string(describe(file.type).name) + " " + shape_text(file.shape));
  if (file.count() == 0) throw file_error(path.string() + ": an empty grid, " + shape_text(file.shape));
  return {static_cast<std::int64_t>(file.shape[0]), static_cast<std::int64_t>(file.shape[1]),
          file.items_as<std::uint16_t>(), files.empty()};
}

}  // namespace examples
