// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If plain accesses are split, their races show, and right kernels stay right.
#include <atomic>
#include <utility>

#include "emulated.hpp"

namespace {

using namespace emulated;

constexpr int seeds = 10;

/// The seeds under which `kernel` leaves another count than one for each thread.
template <class Kernel> int wrong_counts(Kernel kernel, dim3 grid, dim3 block, int* count) {
  int wrong = 0;
  for_each_seed(seeds, [&] {
    *count = 0;
    EXPECT_EQ(em::launch(kernel, shape(grid, block), count), cudaSuccess);
    wrong += *count != static_cast<int>(grid.x * block.x);
  });
  return wrong;
}

__global__ void count_plainly(int* count) { *count = *count + 1; }
__global__ void count_by_increment(int* count) { ++*count; }
__global__ void count_volatile(volatile int* count) { *count = *count + 1; }
__global__ void count_atomically(int* count) { atomicAdd(count, 1); }

TEST(split_accesses, a_count_without_atomics_loses_threads) {
  device_array<int> count(1);
  EXPECT_GT(wrong_counts(count_plainly, 1, 64, count.get()), 0) << "in a block";
  EXPECT_GT(wrong_counts(count_plainly, 64, 1, count.get()), 0) << "between blocks";
  EXPECT_GT(wrong_counts(count_by_increment, 1, 64, count.get()), 0);
  EXPECT_EQ(wrong_counts(count_atomically, 2, 64, count.get()), 0);
  int lost = 0;
  for_each_seed(seeds, [&] {
    count[0] = 0;
    EXPECT_EQ(em::launch(count_volatile, shape(1, 64), static_cast<volatile int*>(count.get())), cudaSuccess);
    lost += 64 - count[0];
  });
  EXPECT_GT(lost, 0);
}

__device__ int counter_of_the_program;
__global__ void count_in_program(int* count) {
  counter_of_the_program = counter_of_the_program + 1;
  __syncthreads();
  *count = counter_of_the_program;
  __syncthreads();
  counter_of_the_program = 0;
}
__global__ void count_in_static_shared(int* count) {
  __shared__ int counter;
  if (threadIdx.x == 0) counter = 0;
  __syncthreads();
  counter = counter + 1;
  __syncthreads();
  *count = counter;
}
__global__ void count_in_dynamic_shared(int* count) {
  int* const counter = static_cast<int*>(em::dynamic_shared());
  if (threadIdx.x == 0) *counter = 0;
  __syncthreads();
  *counter = *counter + 1;
  __syncthreads();
  *count = *counter;
}

TEST(split_accesses, all_memory_that_threads_share_is_split) {
  device_array<int> count(1);
  EXPECT_GT(wrong_counts(count_in_program, 1, 64, count.get()), 0);
  EXPECT_GT(wrong_counts(count_in_static_shared, 1, 64, count.get()), 0);
  int wrong = 0;
  for_each_seed(seeds, [&] {
    EXPECT_EQ(em::launch(count_in_dynamic_shared, shape(1, 64, sizeof(int)), count.get()), cudaSuccess);
    wrong += count[0] != 64;
  });
  EXPECT_GT(wrong, 0);
}

// A right kernel: barriers order all its plain accesses, also those of registers that had to be spilt.
__global__ void sum_of_block(const int* in, int* out) {
  __shared__ int sums[128];
  sums[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  for (unsigned half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
__global__ void sum_without_barriers(const int* in, int* out) {
  __shared__ int sums[128];
  sums[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2)
    if (threadIdx.x < half) sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

TEST(split_accesses, a_right_kernel_stays_right_and_a_missing_barrier_shows) {
  device_array<int> in(4 * 128, 1), out(4);
  int wrong = 0;
  for_each_seed(seeds, [&] {
    EXPECT_EQ(em::launch(sum_of_block, shape(4, 128), static_cast<const int*>(in.get()), out.get()), cudaSuccess);
    for (std::size_t block = 0; block < 4; ++block) EXPECT_EQ(out[block], 128);
    EXPECT_EQ(em::launch(sum_without_barriers, shape(4, 128), static_cast<const int*>(in.get()), out.get()),
              cudaSuccess);
    wrong += out[0] != 128;
  });
  EXPECT_GT(wrong, 0);
}

TEST(split_accesses, the_seed_decides) {
  device_array<int> count(1);
  std::vector<int> first, second;
  for (std::vector<int>* counts : {&first, &second})
    for_each_seed(seeds, [&] {
      count[0] = 0;
      EXPECT_EQ(em::launch(count_plainly, shape(3, 64), count.get()), cudaSuccess);
      counts->push_back(count[0]);
    });
  EXPECT_EQ(first, second);
}

// ---- faults ---------------------------------------------------------------------------------------------------------

__global__ void read_vectors(const unsigned char* memory, int byte, float4* out) {
  out[threadIdx.x] = reinterpret_cast<const float4*>(memory + byte)[threadIdx.x];
}

TEST(split_accesses, misaligned_plain_accesses_are_found) {
  device_array<unsigned char> memory(1024);
  device_array<float4> out(32);
  const auto* bytes = static_cast<const unsigned char*>(memory.get());
  EXPECT_EQ(em::launch(read_vectors, shape(1, 32), bytes, 16, out.get()), cudaSuccess);
  expect_fault(em::fault::misaligned, {"4 bytes past a multiple", "read_vectors"}, read_vectors, shape(1, 32), bytes, 4,
               out.get());
}

struct counted {
  explicit counted(int* live) : live(live) { atomicAdd(live, 1); }
  ~counted() { --std::atomic_ref<int>(*live); }
  int* live;
};
__global__ void fails_midway(int* live, int* memory) {
  const counted here(live);
  for (int i = 0; i < 100; ++i) memory[(threadIdx.x + static_cast<unsigned>(i)) % 64] = i;
  if (threadIdx.x == 40) __trap();
  for (int i = 0; i < 100; ++i) memory[(threadIdx.x + static_cast<unsigned>(i)) % 64] = i;
}

TEST(split_accesses, a_failure_unwinds_threads_that_stand_at_an_access) {
  device_array<int> live(1), memory(64);
  for_each_seed(seeds, [&] {
    expect_fault(em::fault::trap, {"fails_midway"}, fails_midway, shape(3, 64), live.get(), memory.get());
    EXPECT_EQ(live[0], 0);
    EXPECT_EQ(em::launch(count_atomically, shape(3, 64), live.get()), cudaSuccess);
    EXPECT_EQ(std::exchange(live[0], 0), 3 * 64);
  });
}

}  // namespace
