// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// How long segments are. Names stand in benchmark names.
struct distribution {
  std::string name;
  /// The offsets of segments that hold about `items` items: whole segments only.
  std::vector<int> (*offsets)(std::int64_t items, std::int64_t length);
  std::int64_t length = 0;  ///< where all are equally long
  bool has_empty = false;

  std::vector<int> operator()(std::int64_t items) const { return offsets(items, length); }
};

/// Those of all sizes: equal lengths, random ones, a power law, empty ones, and one after many tiny ones.
std::vector<distribution> all_distributions();

/// Of high variance, with empty parts, monotone, of two lengths far apart, and at both sides of a border.
std::vector<distribution> irregular_distributions();

/// Those without empty segments: only they can be runs of equal keys.
std::vector<distribution> without_empty(std::vector<distribution> list);

/// The one with this name.
distribution named_distribution(const std::string& name);

/// All segments of `length` items.
distribution equal_lengths(std::int64_t length);

}  // namespace bench
