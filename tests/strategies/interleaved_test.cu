// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several reductions at once, over a warp and over a block.
#include <gtest/gtest.h>

#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/block/interleaved_reduce.cuh>

#include "common/device.cuh"
#include "common/interval.hpp"

namespace wf_test {
namespace {

using item = interval<>;

/// Reduction i of thread t brings [1000 i + t, 1000 i + t].
template <int Count> __device__ void fill(item (&values)[Count]) {
  for (int i = 0; i < Count; ++i) values[i] = item::of(1000 * i + static_cast<int>(threadIdx.x));
}

template <int Width, int Count> __global__ void warp_kernel(item* out) {
  item values[Count];
  fill(values);
  warpfold::warp::interleaved_reduce<Width>(values, join{});
  if (threadIdx.x % Width == 0)
    for (int i = 0; i < Count; ++i) out[static_cast<int>(threadIdx.x) / Width * Count + i] = values[i];
}

template <int Width, int Count> void expect_warp() {
  const device_array<item> out(64 / Width * Count);
  launch_and_wait(&warp_kernel<Width, Count>, 1, 64, 0, out.data());
  for (int w = 0; w < 64 / Width; ++w)
    for (int i = 0; i < Count; ++i)
      EXPECT_EQ(out.value(w * Count + i), item::of(1000 * i + w * Width, 1000 * i + (w + 1) * Width - 1))
          << "width " << Width << ", reduction " << i << " of " << Count;
}

TEST(interleaved_reduce, of_a_warp) {
  expect_warp<32, 1>();
  expect_warp<32, 3>();
  expect_warp<32, 5>();
  expect_warp<8, 3>();
  expect_warp<1, 2>();
}

template <int BlockThreads, int Count> __global__ void block_kernel(item* out) {
  using storage = warpfold::block::interleaved_storage<item, BlockThreads, Count>;
  item values[Count];
  fill(values);
  warpfold::block::interleaved_reduce<BlockThreads>(warpfold::arch::dynamic_shared<storage>(), values, join{});
  if (threadIdx.x == 0)
    for (int i = 0; i < Count; ++i) out[i] = values[i];
}

template <int BlockThreads, int Count> void expect_block() {
  const device_array<item> out(Count);
  launch_and_wait(&block_kernel<BlockThreads, Count>, 1, BlockThreads,
                  sizeof(warpfold::block::interleaved_storage<item, BlockThreads, Count>), out.data());
  for (int i = 0; i < Count; ++i)
    EXPECT_EQ(out.value(i), item::of(1000 * i, 1000 * i + BlockThreads - 1))
        << BlockThreads << " threads, reduction " << i;
}

TEST(interleaved_reduce, of_a_block) {
  expect_block<32, 3>();
  expect_block<96, 3>();
  expect_block<256, 3>();
  expect_block<1024, 2>();
}

}  // namespace
}  // namespace wf_test
