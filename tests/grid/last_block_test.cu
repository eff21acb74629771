// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hand-over to the last block: one block is last, it sees what all others wrote, and the ticket is zero again.
#include <warpfold/grid/last_block.cuh>

#include <gtest/gtest.h>

#include <vector>

#include "common/device.cuh"

namespace {

/// Each block leaves a value; the last one sums them. `lasts` counts threads of last blocks.
__global__ void block_kernel(unsigned* ticket, unsigned* left, unsigned long long* sum, unsigned* lasts) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) left[blockIdx.x] = blockIdx.x + 1;
  if (!warpfold::grid::block_arrives_last(ticket, is_last)) return;
  atomicAdd(lasts, 1u);
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
    atomicAdd(sum, static_cast<unsigned long long>(left[i]));
}

/// The same by one warp of each block, the lanes of which leave a value each.
__global__ void warp_kernel(unsigned* ticket, unsigned* left, unsigned long long* sum, unsigned* lasts) {
  if (threadIdx.x >= 32) return;
  left[32 * blockIdx.x + threadIdx.x] = 32 * blockIdx.x + threadIdx.x + 1;
  if (!warpfold::grid::warp_arrives_last(ticket)) return;
  atomicAdd(lasts, 1u);
  for (unsigned i = threadIdx.x; i < 32 * gridDim.x; i += 32) atomicAdd(sum, static_cast<unsigned long long>(left[i]));
}

/// Launches one after another with the same ticket, as calls do. `values` are what each grid leaves.
void check(void (*kernel)(unsigned*, unsigned*, unsigned long long*, unsigned*), int blocks, int threads, int values,
           unsigned last_threads) {
  const wf_test::device_array<unsigned> ticket(std::vector<unsigned>{0});
  for (std::uint64_t launch = 1; launch <= 3; ++launch) {
    const wf_test::schedule_seed scheduled(launch);
    const wf_test::device_array<unsigned> left(std::vector<unsigned>(static_cast<std::size_t>(values), 1u << 30));
    const wf_test::device_array<unsigned> lasts(std::vector<unsigned>{0});
    const wf_test::device_array<unsigned long long> sum(std::vector<unsigned long long>{0});
    wf_test::launch_and_wait(kernel, blocks, threads, 0, ticket.data(), left.data(), sum.data(), lasts.data());
    EXPECT_EQ(sum.value(), static_cast<unsigned long long>(values) * (values + 1u) / 2) << blocks << " blocks";
    EXPECT_EQ(lasts.value(), last_threads) << blocks << " blocks of " << threads;
    EXPECT_EQ(ticket.value(), 0u) << "ready for the next launch";
  }
}

TEST(last_block, of_whole_blocks) {
  for (const int blocks : {1, 2, 3, 40, 333})
    for (const int threads : {32, 128}) check(&block_kernel, blocks, threads, blocks, static_cast<unsigned>(threads));
}

TEST(last_block, of_their_first_warps) {
  for (const int blocks : {1, 2, 7, 100})
    for (const int threads : {32, 96}) check(&warp_kernel, blocks, threads, 32 * blocks, 32u);
}

#if defined(__CUDACC__)
// A GPU runs blocks at the same time and does not order their writes by itself.
TEST(last_block, under_stress) {
  for (int round = 0; round < 20; ++round) {
    check(&block_kernel, 5000, 64, 5000, 64u);
    check(&warp_kernel, 3000, 32, 96000, 32u);
  }
}
#endif

}  // namespace
