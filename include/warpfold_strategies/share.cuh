// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which data-blocks a CUDA-block reduces. With q, r = divmod(data-blocks, G), the first r CUDA-blocks take q + 1
// consecutive data-blocks each, the others q. Source: the persistent blocks of Martín 2012.
#pragma once
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::grid {

/// The consecutive data-blocks of one CUDA-block.
struct share {
  std::int64_t first;
  std::uint32_t count;
};

/// Quotient q and remainder r. The host computes them, so that no thread must divide.
struct share_schedule {
  std::uint32_t quotient;
  std::uint32_t remainder;

  __host__ __device__ share of(std::uint32_t block) const {
    const std::uint32_t longer = block < remainder ? block : remainder;
    return {std::int64_t{block} * quotient + longer, quotient + (block < remainder)};
  }
};

/// A feed (see fold_run.cuh): the data-blocks of a share, read straight from the input.
template <class Leaves> struct direct_feed {
  const Leaves& leaves;
  std::int64_t first_item;
  int data_block_items;

  __device__ const Leaves& acquire(std::uint32_t) const { return leaves; }
  __device__ std::int64_t first(std::uint32_t k) const { return first_item + std::int64_t{k} * data_block_items; }
  __device__ static void release(std::uint32_t) {}
};

/// The feed of the share `own`, in data-blocks of an algorithm.
template <class Algorithm, class Leaves>
__device__ direct_feed<Leaves> feed_of(const Leaves& leaves, const share& own) {
  constexpr int items = Algorithm::template data_block_items<Leaves>;
  return {leaves, own.first * items, items};
}

}  // namespace warpfold::grid
