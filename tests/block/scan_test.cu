// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans over a warp and over a block: every prefix has the canonical tree over it, for every count.
#include <warpfold/block/scan.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<12, 4>;
using wf_test::device_array, wf_test::hash_pair;

template <class T> __host__ __device__ T absent_of() {
  if constexpr (std::is_integral_v<T>) return 77;
  else return T::absent();
}
template <class T> __host__ __device__ T init_of() {
  if constexpr (std::is_integral_v<T>) return 5;
  else return T::of(-1);
}

/// Block b scans its first b + 1 values, in logical warps of `Width` lanes.
template <int Width> __global__ void warp_kernel(const hash* values, hash* inclusive, hash* exclusive) {
  const int thread = static_cast<int>(threadIdx.x), count = static_cast<int>(blockIdx.x) % Width + 1;
  const hash own = thread % Width < count ? values[thread % Width] : hash::absent();
  inclusive[blockIdx.x * 32 + threadIdx.x] = wf::warp::inclusive_scan<Width>(own, hash_pair{}, count);
  exclusive[blockIdx.x * 32 + threadIdx.x] = wf::warp::exclusive_scan<Width>(own, hash_pair{}, hash::of(-1), count);
}
template <int Threads, class T = hash, class Op = hash_pair>
__global__ void block_kernel(const T* values, T* inclusive, T* exclusive) {
  __shared__ wf::block::scan_storage<T, Threads> storage;
  const int thread = static_cast<int>(threadIdx.x), count = static_cast<int>(blockIdx.x) + 1;
  const T own = thread < count ? values[thread] : absent_of<T>();
  inclusive[blockIdx.x * Threads + threadIdx.x] = wf::block::inclusive_scan(storage, own, Op{}, count);
  __syncthreads();
  exclusive[blockIdx.x * Threads + threadIdx.x] = wf::block::exclusive_scan(storage, own, Op{}, init_of<T>(), count);
}

/// Blocks of `threads` threads, each of which scans as many values as its number says, in groups of `width` threads.
template <class T, class Op = hash_pair>
void expect_prefixes(int blocks, int threads, int width, void (*kernel)(const T*, T*, T*), const std::vector<T>& items,
                     Op op = {}) {
  const device_array<T> in(items), inclusive(blocks * threads), exclusive(blocks * threads);
  wf_test::launch_and_wait(kernel, blocks, threads, 0, in.data(), inclusive.data(), exclusive.data());
  const auto through = inclusive.to_host(), before = exclusive.to_host();
  for (int block = 0; block < blocks; ++block)
    for (int thread = 0; thread < threads; ++thread) {
      const int rank = thread % width, place = block * threads + thread;
      if (rank > block % width) continue;
      const auto replay = [&](int count) { return wf::canonical_tree::replay(items.data(), count, op); };
      ASSERT_EQ(through[static_cast<std::size_t>(place)], replay(rank + 1)) << thread << " of " << block + 1;
      ASSERT_EQ(before[static_cast<std::size_t>(place)], rank == 0 ? init_of<T>() : op(init_of<T>(), replay(rank)))
          << thread << " of " << block + 1;
    }
}

void expect_prefixes(int blocks, int threads, int width, void (*kernel)(const hash*, hash*, hash*)) {
  expect_prefixes(blocks, threads, width, kernel, wf_test::hash_items<hash>(width));
}

TEST(block_scan, over_logical_warps) {
  expect_prefixes(32, 32, 32, &warp_kernel<32>);
  expect_prefixes(8, 32, 8, &warp_kernel<8>);
  expect_prefixes(2, 32, 1, &warp_kernel<1>);
}

TEST(block_scan, over_blocks) {
  expect_prefixes(32, 32, 32, &block_kernel<32>);
  expect_prefixes(96, 96, 96, &block_kernel<96>);
  expect_prefixes(256, 256, 256, &block_kernel<256>);
}

// The race detector sees loads of numbers, and none of structs that are passed by value.
TEST(block_scan, of_numbers) {
  expect_prefixes(96, 96, 96, &block_kernel<96, unsigned, wf_test::number_pair>, wf_test::random_items<unsigned>(96),
                  wf_test::number_pair{});
}

}  // namespace
