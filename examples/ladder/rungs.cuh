// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ladder: every rung, in order, from one global atomic per item to Warpfold's default.
// Block sizes and grids are those of the sources; where one depends on the GPU of its day, the entry says so.
#pragma once

#include <warpfold/reduce.cuh>

#include <vector>

#include "atomics.cuh"
#include "launching.cuh"
#include "rung.hpp"
#include "shared_trees.cuh"
#include "shuffles.cuh"
#include "unrolled.cuh"
#include "vectorized.cuh"

namespace ladder {

// Each `about` reads: source, name, title, same kernel as, kernel, step is measured against, commutativity, threads.

template <class T> std::vector<rung<T>> lecture_rungs() {
  using enum commutativity;
  using end = add_to_result;
  constexpr auto source = ladder_of::lecture;
  std::vector<rung<T>> rungs = {
      {.about = {source, "atomic-global", "atomic global", "", "atomic_global", "", everywhere, 256},
       .kernel = atomic_global<T>,
       .items_a_block = 256},
      {.about = {source, "atomic-shared", "atomic shared", "", "atomic_shared", "atomic-global", everywhere, 256},
       .kernel = atomic_shared<T>,
       .items_a_block = 256,
       .shared_items = 1},
      {.about = {source, "shared", "shared (interleaved, divergent)", "harris-1", "interleaved_divergent",
                 "atomic-shared", between_blocks, 256},
       .kernel = interleaved_divergent<end, T>,
       .items_a_block = 256,
       .shared_items = 256},
      {.about = {source, "anti-divergence", "anti-divergence", "harris-2", "interleaved_strided", "shared",
                 between_blocks, 256},
       .kernel = interleaved_strided<end, T>,
       .items_a_block = 256,
       .shared_items = 256},
      {.about = {source, "anti-conflicts", "anti-conflicts (sequential addressing)", "harris-3",
                 "sequential_addressing", "anti-divergence", everywhere, 256},
       .kernel = sequential_addressing<end, T>,
       .items_a_block = 256,
       .shared_items = 256},
      {.about = {source, "dual-load", "dual load", "harris-4", "first_add_during_load", "anti-conflicts", everywhere,
                 256},
       .kernel = first_add_during_load<end, T>,
       .items_a_block = 512,
       .shared_items = 256},
      {.about = {source, "unrolled-last", "unrolled last warp", "harris-5", "unroll_last_warp", "dual-load", everywhere,
                 256},
       .kernel = unroll_last_warp<end, T>,
       .items_a_block = 512,
       .shared_items = 256},
      {.about = {source, "unrolled-all", "unrolled all (templated block size)", "harris-6", "completely_unrolled",
                 "unrolled-last", everywhere, 256},
       .kernel = completely_unrolled<256, end, T>,
       .items_a_block = 512,
       .shared_items = 256},
      {.about = {source, "shuffle", "shuffle", "", "shuffle_last_warp", "unrolled-all", everywhere, 256},
       .kernel = shuffle_last_warp<256, T>,
       .items_a_block = 512,
       .shared_items = 256},
      // 37450 blocks for 2^28 items: 28 items per thread.
      {.about = {source, "multi-sequential", "multi sequential (grid stride)", "", "multi_sequential", "shuffle",
                 everywhere, 256},
       .kernel = multi_sequential<256, T>,
       .items_a_block = 28 * 256,
       .shared_items = 256}};
  for (auto& r : rungs) r.end = finish::atomics, r.atomics_a_block = 1;
  rungs.front().atomics_a_block = 256;
  return rungs;
}

template <class T> std::vector<rung<T>> course_note_rungs() {
  using enum commutativity;
  constexpr auto source = ladder_of::course_note;
  return {{.about = {source, "naive-tree", "naive tree", "", "naive_tree", "", not_needed, 1024},
           .end = finish::relaunch,
           .kernel = naive_tree<T>,
           .items_a_block = 2048,
           .shared_items = 2048},
          {.about = {source, "reassigned-tree", "reassigned tree", "", "reassigned_tree", "naive-tree", within_blocks,
                     1024},
           .end = finish::relaunch,
           .kernel = reassigned_tree<T>,
           .items_a_block = 2048,
           .shared_items = 2048}};
}

template <class T> std::vector<rung<T>> harris_rungs() {
  using enum commutativity;
  using end = one_partial_a_block;
  constexpr auto source = ladder_of::harris;
  std::vector<rung<T>> rungs = {
      {.about = {source, "harris-1", "interleaved divergent", "shared", "interleaved_divergent", "", not_needed, 128},
       .kernel = interleaved_divergent<end, T>,
       .items_a_block = 128},
      {.about = {source, "harris-2", "interleaved strided", "anti-divergence", "interleaved_strided", "harris-1",
                 not_needed, 128},
       .kernel = interleaved_strided<end, T>,
       .items_a_block = 128},
      {.about = {source, "harris-3", "sequential addressing", "anti-conflicts", "sequential_addressing", "harris-2",
                 within_blocks, 128},
       .kernel = sequential_addressing<end, T>,
       .items_a_block = 128},
      {.about = {source, "harris-4", "first add during load", "dual-load", "first_add_during_load", "harris-3",
                 within_blocks, 128},
       .kernel = first_add_during_load<end, T>,
       .items_a_block = 256},
      {.about = {source, "harris-5", "unroll last warp", "unrolled-last", "unroll_last_warp", "harris-4", within_blocks,
                 128},
       .kernel = unroll_last_warp<end, T>,
       .items_a_block = 256},
      {.about = {source, "harris-6", "completely unrolled", "unrolled-all", "completely_unrolled", "harris-5",
                 within_blocks, 128},
       .kernel = completely_unrolled<128, end, T>,
       .items_a_block = 256},
      // "64-256 blocks" on 16 multiprocessors: 16 blocks of 128 threads per multiprocessor fill today's, too.
      {.about = {source, "harris-7", "multiple items per thread", "", "multiple_items", "harris-6", everywhere, 128},
       .kernel = multiple_items<128, T>,
       .items_a_block = 256,
       .blocks_a_multiprocessor = 16}};
  for (auto& r : rungs) r.end = finish::relaunch, r.shared_items = 128;
  return rungs;
}

template <class T> std::vector<rung<T>> kepler_rungs() {
  using commutativity::everywhere;
  constexpr auto source = ladder_of::kepler;
  constexpr std::int64_t width = 16 / sizeof(T);
  return {{.about = {source, "two-pass", "two-pass shuffle", "", "two_pass", "", everywhere, 512},
           .end = finish::second_launch,
           .kernel = two_pass<scalar_loads, T>,
           .items_a_block = 512,
           .max_blocks = 1024,
           .shared_items = 32},
          {.about = {source, "two-pass-vectorised", "two-pass shuffle, vectorised", "", "two_pass", "two-pass",
                     everywhere, 512},
           .end = finish::second_launch,
           .kernel = two_pass<vector_loads, T>,
           .items_a_block = 512 * width,
           .max_blocks = 1024,
           .shared_items = 32},
          {.about = {source, "warp-atomic", "warp atomic", "", "warp_atomic", "two-pass", everywhere, 256},
           .end = finish::atomics,
           .kernel = warp_atomic<scalar_loads, T>,
           .items_a_block = 256,
           .max_blocks = 2048,
           .atomics_a_block = 8},
          {.about = {source, "warp-atomic-vectorised", "warp atomic, vectorised", "", "warp_atomic", "warp-atomic",
                     everywhere, 256},
           .end = finish::atomics,
           .kernel = warp_atomic<vector_loads, T>,
           .items_a_block = 256 * width,
           .max_blocks = 2048,
           .atomics_a_block = 8},
          {.about = {source, "block-atomic", "block atomic", "", "block_atomic", "warp-atomic", everywhere, 256},
           .end = finish::atomics,
           .kernel = block_atomic<scalar_loads, T>,
           .items_a_block = 256,
           .max_blocks = 2048,
           .shared_items = 32,
           .atomics_a_block = 1},
          {.about = {source, "block-atomic-vectorised", "block atomic, vectorised", "", "block_atomic", "block-atomic",
                     everywhere, 256},
           .end = finish::atomics,
           .kernel = block_atomic<vector_loads, T>,
           .items_a_block = 256 * width,
           .max_blocks = 2048,
           .shared_items = 32,
           .atomics_a_block = 1},
          {.about = {source, "triple", "interleaved triple", "", "two_pass_triple", "two-pass", everywhere, 512},
           .end = finish::second_launch,
           .kernel = two_pass_triple<T>,
           .items_a_block = 3 * 512,
           .max_blocks = 1024,
           .shared_items = 3 * 32,
           .results = 3}};
}

/// All rungs of the sources. T needs +=, zero as T{}, atomicAdd and __shfl_down_sync.
template <class T> std::vector<rung<T>> source_rungs() {
  std::vector<rung<T>> rungs;
  for (auto* part : {lecture_rungs<T>, course_note_rungs<T>, harris_rungs<T>, kepler_rungs<T>})
    for (const rung<T>& r : part()) rungs.push_back(r);
  return rungs;
}

/// The top of the ladder. It keeps the order and does not need a result that starts at zero.
template <class T> rung<T> warpfold_rung() {
  return {.about = {ladder_of::warpfold, "warpfold", "Warpfold's default", "", "warpfold::reduce",
                    "two-pass-vectorised", commutativity::not_needed, 0},
          .end = finish::library,
          .library = [](const problem<T>& p) { warpfold::reduce(p.input, p.items, p.result); }};
}

template <class T> std::vector<rung<T>> all_rungs() {
  std::vector<rung<T>> rungs = source_rungs<T>();
  rungs.push_back(warpfold_rung<T>());
  return rungs;
}

}  // namespace ladder
