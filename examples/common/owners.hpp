// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owner ids and the names of owners, from files. Plain C++: knows nothing of CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "npy.hpp"
#include "text.hpp"

namespace examples {

/// The owner ids of `items` items, which messages call `of`: ascending, from 0 on.
inline std::vector<std::int32_t> read_owners(const std::filesystem::path& path, std::size_t items, const char* of) {
  std::vector<std::int32_t> owners = read_items<std::int32_t>(path, "owners", item_type::int32);
  if (owners.size() != items) {
    throw file_error(path.string() + ": " + std::to_string(owners.size()) + " owners for " + std::to_string(items) +
                     " " + of);
  }
  if (owners.front() < 0 || !std::is_sorted(owners.begin(), owners.end())) {
    throw file_error(path.string() + ": owners must ascend from 0 or more");
  }
  return owners;
}

/// The names of owners, one per line, or without a file their numbers.
inline std::vector<std::string> read_owner_names(const std::filesystem::path& path,
                                                 const std::vector<std::int32_t>& owners) {
  const std::size_t wanted = static_cast<std::size_t>(owners.back()) + 1;
  std::vector<std::string> names;
  if (path.empty()) {
    for (std::size_t owner = 0; owner < wanted; ++owner) names.push_back("number " + std::to_string(owner));
  } else if (names = read_lines(path); names.size() < wanted) {
    throw file_error(path.string() + ": " + std::to_string(names.size()) + " names for owners up to number " +
                     std::to_string(wanted - 1));
  }
  return names;
}

}  // namespace examples
