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

/// Reduction i of thread t brings [1000 i + t, 1000 i + t], or the number.
__device__ void set(item& value, int number) { value = item::of(number); }
__device__ void set(int& value, int number) { value = number; }
template <class T, int Count> __device__ void fill(T (&values)[Count]) {
  for (int i = 0; i < Count; ++i) set(values[i], 1000 * i + static_cast<int>(threadIdx.x));
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

template <int BlockThreads, int Count, class T, class Op> __global__ void block_kernel(T* out, Op op) {
  using storage = warpfold::block::interleaved_storage<T, BlockThreads, Count>;
  T values[Count];
  fill(values);
  warpfold::block::interleaved_reduce<BlockThreads>(warpfold::arch::dynamic_shared<storage>(), values, op);
  if (threadIdx.x == 0)
    for (int i = 0; i < Count; ++i) out[i] = values[i];
}

template <int BlockThreads, int Count> void expect_block() {
  const device_array<item> out(Count);
  launch_and_wait(&block_kernel<BlockThreads, Count, item, join>, 1, BlockThreads,
                  sizeof(warpfold::block::interleaved_storage<item, BlockThreads, Count>), out.data(), join{});
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

// The race detector sees loads of numbers, and none of structs that are passed by value.
TEST(interleaved_reduce, of_numbers) {
  constexpr int threads = 96, count = 2;
  using warpfold::plus;
  const device_array<int> out(count);
  launch_and_wait(&block_kernel<threads, count, int, plus>, 1, threads,
                  sizeof(warpfold::block::interleaved_storage<int, threads, count>), out.data(), plus{});
  for (int i = 0; i < count; ++i) EXPECT_EQ(out.value(i), threads * 1000 * i + threads * (threads - 1) / 2);
}

}  // namespace
}  // namespace wf_test
