// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../strategy/entry.hpp"

namespace bench {

/// The input of a segmented strategy: the items, and for each item the number of its segment, as in the sources.
struct owned_problem {
  std::span<const float> items;
  std::span<const int> owners;
  std::span<float> out;
  std::span<std::byte> scratch;  // initialised, enough for any entry
};

/// One segmented composition with one operator. Named <block algorithm>.<schedule>.<finish>.
struct owned_entry {
  std::string name;
  void (*enqueue)(const owned_problem&, cudaStream_t);
  std::size_t (*scratch_bytes)(std::int64_t count);
  /// The columns of the paper's Table II, for `count` items on the current device.
  std::vector<std::pair<std::string, double>> (*facts)(std::int64_t count);
};

// One source file each, so that they compile side by side.
std::vector<owned_entry> segmented_tree_strategies(strategy_operator op);
std::vector<owned_entry> segmented_warp_tree_strategies(strategy_operator op);
std::vector<owned_entry> segmented_matrix_strategies(strategy_operator op);

}  // namespace bench
