// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// The input of a strategy.
struct strategy_problem {
  const float* items = nullptr;
  std::int64_t count = 0;
  float* out = nullptr;
  std::span<std::byte> scratch;  // initialised, enough for any entry
};

/// One composition with one operator. Named <block algorithm>.<schedule>.<finish>.
struct strategy_entry {
  std::string name;
  bool needs_bulk_copy;  // of sm_90
  void (*enqueue)(const strategy_problem&, cudaStream_t);
  std::size_t (*scratch_bytes)(std::int64_t count);
  /// The columns of the paper's Table I, for `count` items on the current device.
  std::vector<std::pair<std::string, double>> (*facts)(std::int64_t count);
};

enum class strategy_operator { minimum, plus };

// One source file each, so that they compile side by side.
std::vector<strategy_entry> tree_strategies(strategy_operator op);
std::vector<strategy_entry> warp_tree_strategies(strategy_operator op);
std::vector<strategy_entry> matrix_strategies(strategy_operator op);
std::vector<strategy_entry> shuffle_strategies(strategy_operator op);

}  // namespace bench
