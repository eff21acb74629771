// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __syncthreads and its voting forms, used rightly and wrongly.
#include "emulated.hpp"

namespace {

using namespace emulated;

// Each round every thread reads what its neighbour wrote: a missing barrier would be seen.
__global__ void pass_around(int* out) {
  auto* box = static_cast<int*>(em::dynamic_shared(blockDim.x * sizeof(int), alignof(int)));
  int mine = static_cast<int>(threadIdx.x);
  for (int round = 0; round < 5; ++round) {
    box[threadIdx.x] = mine;
    __syncthreads();
    mine = box[(threadIdx.x + 1) % blockDim.x] + 1;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

TEST(block_barrier, orders_the_block) {
  for (const int block_threads : {1, 32, 33, 96, 1024})
    for_each_seed(5, [&] {
      device_array<int> out(static_cast<std::size_t>(3 * block_threads));
      const auto threads = static_cast<unsigned>(block_threads);
      ASSERT_EQ(em::launch(pass_around, shape(3, threads, threads * sizeof(int)), out.get()), cudaSuccess);
      for (int i = 0; i < 3 * block_threads; ++i) ASSERT_EQ(out[i], (i % block_threads + 5) % block_threads + 5);
    });
}

// Without the barrier, some schedule must show the race.
__global__ void pass_without_barrier(int* out) {
  auto* box = static_cast<int*>(em::dynamic_shared(blockDim.x * sizeof(int), alignof(int)));
  box[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = box[(threadIdx.x + 32) % blockDim.x];
}

TEST(block_barrier, a_missing_one_shows) {
  device_array<int> out(64);
  int wrong = 0;
  for_each_seed(10, [&] {
    ASSERT_EQ(em::launch(pass_without_barrier, shape(1, 64, 64 * sizeof(int)), out.get()), cudaSuccess);
    for (int i = 0; i < 64; ++i) wrong += out[i] != (i + 32) % 64;
  });
  EXPECT_GT(wrong, 0);
}

__global__ void vote(int* out, int true_threads) {
  const int rank = static_cast<int>(threadIdx.x);
  for (int round = 0; round < 3; ++round) {
    out[3 * rank] = __syncthreads_or(rank < true_threads);
    out[3 * rank + 1] = __syncthreads_and(rank < true_threads);
    out[3 * rank + 2] = __syncthreads_count(rank < true_threads);
  }
}

TEST(block_barrier, voting_forms) {
  device_array<int> out(3 * 70);
  for (const int true_threads : {0, 1, 69, 70}) {
    ASSERT_EQ(em::launch(vote, shape(1, 70), out.get(), true_threads), cudaSuccess);
    for (int i = 0; i < 70; ++i) {
      EXPECT_EQ(out[3 * i], true_threads > 0);
      EXPECT_EQ(out[3 * i + 1], true_threads == 70);
      EXPECT_EQ(out[3 * i + 2], true_threads);
    }
  }
}

__global__ void leaves_early_without_barrier(int* out) {
  if (threadIdx.x >= 10) return;
  out[threadIdx.x] = 1;
}

TEST(block_barrier, threads_may_leave_early_when_no_barrier_follows) {
  device_array<int> out(10);
  EXPECT_EQ(em::launch(leaves_early_without_barrier, shape(1, 64), out.get()), cudaSuccess);
  EXPECT_EQ(out.host(), std::vector<int>(10, 1));
}

__global__ void leaves_before_barrier() {
  if (threadIdx.x == 5) return;
  __syncthreads();
}

TEST(block_barrier, a_thread_leaves_before_it) {
  for_each_seed(10, [] {
    expect_fault(em::fault::divergent_barrier, {"__syncthreads", "leaves_before_barrier", "5: left the kernel"},
                 leaves_before_barrier, shape(1, 64));
  });
}

__global__ void meets_in_two_places() {
  if (threadIdx.x < 32) __syncthreads();
  else __syncthreads();
}

TEST(block_barrier, threads_meet_in_different_places) {
  for_each_seed(5, [] {
    expect_fault(em::fault::divergent_barrier, {"in different places", "block_barrier_test.cu:"}, meets_in_two_places,
                 shape(1, 64));
  });
}

TEST(block_barrier, different_places_can_be_allowed) {
  em::scoped_settings settings;
  settings->check_barrier_sites = false;
  EXPECT_EQ(em::launch(meets_in_two_places, shape(1, 64)), cudaSuccess);
}

__global__ void meets_at_two_kinds() {
  if (threadIdx.x < 32) __syncthreads();
  else (void)__syncthreads_or(1);
}

TEST(block_barrier, threads_meet_at_different_kinds) {
  for_each_seed(5, [] {
    expect_fault(em::fault::divergent_barrier,
                 {"threads meet at", "wait at __syncthreads,", "wait at __syncthreads_or,"}, meets_at_two_kinds,
                 shape(1, 64));
  });
}

__global__ void loops_unequally() {
  for (unsigned i = 0; i < 2 + threadIdx.x / 32; ++i) __syncthreads();
}

TEST(block_barrier, warps_loop_unequally) {
  for_each_seed(5, [] {
    expect_fault(em::fault::divergent_barrier, {"left the kernel", "wait at __syncthreads, block_barrier_test.cu:"},
                 loops_unequally, shape(1, 64));
  });
}

// Two groups of warps, each with a barrier of its own; then a producer that does not wait for its consumers.
__global__ void meet_in_groups(int* out) {
  auto* box = static_cast<int*>(em::dynamic_shared(128 * sizeof(int), alignof(int)));
  const unsigned group = threadIdx.x / 64, rank = threadIdx.x % 64;
  int sum = 0;
  for (int round = 0; round < static_cast<int>(group + 1) * 3; ++round) {
    box[threadIdx.x] = round;
    em::named_barrier_sync(1 + group, 64);
    sum += box[group * 64 + (rank + 33) % 64];
    em::named_barrier_sync(1 + group, 64);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    box[threadIdx.x] = 7;
    em::named_barrier_arrive(5, 64);
  } else if (threadIdx.x < 64) {
    em::named_barrier_sync(5, 64);
    sum += box[threadIdx.x - 32];
  }
  out[threadIdx.x] = sum;
}

TEST(named_barrier, groups_of_warps_meet_apart) {
  device_array<int> out(128);
  for_each_seed(10, [&] {
    ASSERT_EQ(em::launch(meet_in_groups, shape(2, 128, 128 * sizeof(int)), out.get()), cudaSuccess);
    for (int i = 0; i < 128; ++i) EXPECT_EQ(out[i], i < 32 ? 3 : i < 64 ? 10 : 15);
  });
}

__global__ void use_named_barrier(unsigned id, unsigned threads, unsigned more) {
  em::named_barrier_sync(id, threads + (threadIdx.x < 32 ? 0 : more));
}

TEST(named_barrier, mistakes_are_found) {
  expect_fault(em::fault::usage, {"named barrier 0"}, use_named_barrier, shape(1, 64), 0u, 64u, 0u);
  expect_fault(em::fault::usage, {"named barrier 16"}, use_named_barrier, shape(1, 64), 16u, 64u, 0u);
  expect_fault(em::fault::usage, {"of 33 threads"}, use_named_barrier, shape(1, 64), 1u, 33u, 0u);
  expect_fault(em::fault::usage, {"of 96 threads"}, use_named_barrier, shape(1, 64), 1u, 96u, 0u);
  for_each_seed(5, [] {
    expect_fault(em::fault::divergent_barrier, {"threads expect"}, use_named_barrier, shape(1, 96), 1u, 64u, 32u);
    expect_fault(em::fault::deadlock, {"wait at named barrier"}, use_named_barrier, shape(1, 96), 1u, 64u, 0u);
  });
}

TEST(block_barrier, a_fault_leaves_the_emulator_usable) {
  device_array<int> out(192);
  for (int i = 0; i < 20; ++i) {
    expect_fault(em::fault::divergent_barrier, {}, leaves_before_barrier, shape(4, 64));
    ASSERT_EQ(em::launch(pass_around, shape(3, 64, 64 * sizeof(int)), out.get()), cudaSuccess);
    EXPECT_EQ(out[0], 10);
  }
}

}  // namespace
