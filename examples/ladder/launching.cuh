// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a rung on an array: one launch, or as many as its finish needs.
#pragma once

#include <warpfold/warpfold.cuh>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "rung.hpp"

namespace ladder {

inline constexpr int most_results = 3;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// No kernel leaves more than one partial for 128 items; relaunches read one buffer and write another.
constexpr std::int64_t partials_in_buffer(std::int64_t items) { return ceil_div(items, 128) + most_results; }

/// An array and everything that a rung writes to, all in device memory.
template <class T> struct problem {
  const T* input{};  // aligned to 16 bytes
  std::int64_t items{};
  T* result{};    // most_results values
  T* partials{};  // two buffers of partials_in_buffer(items) values
  int multiprocessors{};
};

template <class T> std::int64_t blocks_for(const rung<T>& r, std::int64_t items, int multiprocessors) {
  const std::int64_t limit =
      r.blocks_a_multiprocessor ? std::int64_t{r.blocks_a_multiprocessor} * multiprocessors : r.max_blocks;
  return std::clamp<std::int64_t>(ceil_div(items, r.items_a_block), 1, limit);  // an empty array has a block, too
}

template <class T>
void launch_blocks(const rung<T>& r, std::int64_t blocks, int threads, const T* in, T* out, std::int64_t items) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(r.shared_items) * sizeof(T);
  warpfold::launch(r.kernel, config, in, out, items);
}

/// 001 and Harris: each launch leaves one partial per block. The next launch reduces these, until one block does it
/// all.
template <class T> void relaunch_until_one(const rung<T>& r, const problem<T>& p) {
  T* out = p.partials;
  T* other = p.partials + partials_in_buffer(p.items);
  const T* in = p.input;
  std::int64_t items = p.items;
  std::int64_t blocks = blocks_for(r, items, p.multiprocessors);
  while (blocks > 1) {
    launch_blocks(r, blocks, r.about.block_threads, in, out, items);
    in = out;
    std::swap(out, other);
    items = blocks;
    blocks = blocks_for(r, items, p.multiprocessors);
  }
  launch_blocks(r, 1, r.about.block_threads, in, p.result, items);
}

/// Enqueues the rung on the default stream. A rung that ends in atomics adds to what `result` holds.
template <class T> void run(const rung<T>& r, const problem<T>& p) {
  if (r.end == finish::library) return r.library(p);
  if (r.end == finish::relaunch) return relaunch_until_one(r, p);

  const std::int64_t blocks = blocks_for(r, p.items, p.multiprocessors);
  T* const out = r.end == finish::atomics ? p.result : p.partials;
  launch_blocks(r, blocks, r.about.block_threads, p.input, out, p.items);
  if (r.end == finish::second_launch) launch_blocks<T>(r, 1, 1024, p.partials, p.result, blocks * r.results);
}

/// The most additions that an item passes through. The error bound of a floating-point sum grows with this number.
template <class T> std::int64_t longest_chain(const rung<T>& r, std::int64_t items, int multiprocessors) {
  const auto log2_up = [](std::int64_t n) {
    int steps = 0;
    while ((std::int64_t{1} << steps) < n) ++steps;
    return steps;
  };
  if (r.end == finish::library) return log2_up(items);

  const int threads = r.about.block_threads;
  std::int64_t chain = 0;
  for (std::int64_t left = items;;) {
    const std::int64_t blocks = blocks_for(r, left, multiprocessors);
    chain += ceil_div(ceil_div(left, blocks * r.items_a_block) * r.items_a_block, threads);  // in one thread
    chain += r.about.name == "atomic-shared" ? threads : log2_up(threads) + 1;               // in one block
    if (r.end == finish::atomics) return chain + blocks * r.atomics_a_block;
    if (r.end == finish::second_launch) return chain + log2_up(1024) + ceil_div(blocks, 1024) + 1;
    if (blocks == 1) return chain;
    left = blocks;
  }
}

}  // namespace ladder
