// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which data-blocks a CUDA-block reduces: q + 1 consecutive ones for the first r CUDA-blocks, q for the others, with
// q, r = divmod(data-blocks, G). Source: the persistent blocks of the paper on reductions on CUDA.
#pragma once
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::grid {

/// One CUDA-block's run of data-blocks.
struct share {
  std::int64_t first;
  std::uint32_t count;
};

/// The quotient and remainder that the host computes, so that no thread has to divide.
struct share_schedule {
  std::uint32_t quotient;
  std::uint32_t remainder;

  __host__ __device__ share of(std::uint32_t block) const {
    const std::uint32_t longer = block < remainder ? block : remainder;
    return {std::int64_t{block} * quotient + longer, quotient + (block < remainder)};
  }
};

/// The data-blocks of a share, read from where the input lies (a feed, see block/fold_run.cuh).
template <class Leaves> struct direct_feed {
  const Leaves& leaves;
  std::int64_t first_item;
  int data_block_items;

  __device__ const Leaves& acquire(std::uint32_t) const { return leaves; }
  __device__ std::int64_t first(std::uint32_t k) const { return first_item + std::int64_t{k} * data_block_items; }
  __device__ static void release(std::uint32_t) {}
};

/// The feed of `own` for an algorithm.
template <class Algorithm, class Leaves>
__device__ direct_feed<Leaves> feed_of(const Leaves& leaves, const share& own) {
  constexpr int items = Algorithm::template data_block_items<Leaves>;
  return {leaves, own.first * items, items};
}

}  // namespace warpfold::grid
