// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text files, line by line. Plain C++: knows nothing of CUDA.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "npy.hpp"

namespace examples {

/// The whole of a file, as text. Throws file_error without the file's name.
inline std::string read_text(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_bytes(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Takes the first line off `text`, and returns it without its end: "\n", "\r\n", or the end of the text.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The lines of a file. Throws file_error, its message beginning with the file's name.
inline std::vector<std::string> read_lines(const std::filesystem::path& path) try {
  const std::string text = read_text(path);
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) lines.emplace_back(take_line(rest));
  return lines;
} catch (const file_error& error) {
  throw file_error(path.string() + ": " + error.what());
}

}  // namespace examples
