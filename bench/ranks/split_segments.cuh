// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of items that are split evenly over GPUs: most borders of parts lie within a segment.
#pragma once
#include <algorithm>
#include <vector>

#include "../segmented/lengths.hpp"
#include "rank_arrays.cuh"

namespace bench {

/// The segments that have items on one GPU.
class split_segments {
 public:
  /// Those of `offsets` with items in [first, first + items), on the current device.
  split_segments(const std::vector<int>& offsets, std::int64_t first, std::int64_t items) {
    const auto end = static_cast<int>(first + items);
    const auto from = std::upper_bound(offsets.begin(), offsets.end(), static_cast<int>(first)) - 1;
    const auto to = std::lower_bound(from, offsets.end(), end);
    std::vector<int> own(from, to == offsets.end() ? to : to + 1);
    offsets_ = copied(own);
    std::vector<int> keys;
    keys.reserve(static_cast<std::size_t>(items));
    for (std::size_t s = 0; s + 1 < own.size(); ++s)
      keys.insert(keys.end(),
                  static_cast<std::size_t>(std::min(own[s + 1], end) - std::max(own[s], static_cast<int>(first))),
                  static_cast<int>(from - offsets.begin()) + static_cast<int>(s));
    keys.resize(static_cast<std::size_t>(items), -1);
    keys_ = copied(keys);
    for (int& each : own) each = std::clamp(each, static_cast<int>(first), end) - static_cast<int>(first);
    in_part_ = copied(own);
    out_keys_ = device_buffer<int>(keys.size());
    count_ = device_buffer<int>(1);
  }

  std::size_t size() const { return offsets_.size() - 1; }
  std::span<const int> offsets() const { return {offsets_.data(), offsets_.size()}; }  ///< over the items of all GPUs
  std::span<const int> in_part() const { return {in_part_.data(), in_part_.size()}; }  ///< cut to the part, and over it
  std::span<const int> keys() const { return {keys_.data(), keys_.size()}; }           ///< the segments' numbers
  std::span<int> out_keys() const { return {out_keys_.data(), out_keys_.size()}; }
  int* count() const { return count_.data(); }

 private:
  static device_buffer<int> copied(const std::vector<int>& from) {
    device_buffer<int> to(from.size());
    check(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyDefault));
    return to;
  }

  device_buffer<int> offsets_, in_part_, keys_, out_keys_, count_;
};

/// Those of each of `ranks` GPUs with `items` items.
inline std::vector<split_segments> split_over(int ranks, std::int64_t items, const distribution& lengths) {
  const std::vector<int> offsets = lengths(items * ranks);
  std::vector<split_segments> all;
  for (int r = 0; r < ranks; ++r) {
    check(cudaSetDevice(r));
    all.emplace_back(offsets, items * r, items);
  }
  return all;
}

}  // namespace bench
