// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures as portable grey maps, which nearly every viewer shows. Plain C++: knows nothing of CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace examples {

/// Writes rows x columns squares of `pixels` x `pixels` pixels each. brightness(row, column) is from 0 for black to 1
/// for white; values outside are cut off, and NaN is black.
template <class Brightness>
void write_picture(const std::filesystem::path& path, std::int64_t rows, std::int64_t columns, std::int64_t pixels,
                   Brightness brightness) {
  std::ofstream file(path, std::ios::binary);
  file << "P5\n" << columns * pixels << ' ' << rows * pixels << "\n255\n";
  for (std::int64_t y = 0; y < rows * pixels; ++y)
    for (std::int64_t x = 0; x < columns * pixels; ++x) {
      const double grey = 255 * brightness(y / pixels, x / pixels);
      file.put(static_cast<char>(static_cast<unsigned char>(grey > 0 ? std::min(grey, 255.0) : 0.0)));
    }
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace examples
