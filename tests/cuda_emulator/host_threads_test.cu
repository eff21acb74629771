// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several host threads, each with launches of its own.
#include <thread>

#include "emulated.hpp"

namespace {

using namespace emulated;

template <class Work> void on_host_threads(int threads, Work work) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(work, i);
  for (auto& thread : running) thread.join();
}

__global__ void add_to_both(int* shared_total, int* own_total) {
  __shared__ int block_total;
  if (threadIdx.x == 0) block_total = 0;
  __syncthreads();
  atomicAdd(&block_total, 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(shared_total, block_total);
  atomicAdd(own_total, block_total);
}

TEST(host_threads, launch_at_the_same_time) {
  constexpr int threads = 4, rounds = 10;
  device_array<int> shared_total(1), own_total(threads);
  on_host_threads(threads, [&](int i) {
    cudaStream_t stream{};
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    em::settings().seed = static_cast<std::uint64_t>(i);
    for (int round = 0; round < rounds; ++round) {
      cudaLaunchConfig_t config = shape(5, 64);
      config.stream = stream;
      EXPECT_EQ(em::launch(add_to_both, config, shared_total.get(), &own_total[static_cast<std::size_t>(i)]),
                cudaSuccess);
    }
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  });
  EXPECT_EQ(shared_total[0], threads * rounds * 5 * 64);
  for (int i = 0; i < threads; ++i) EXPECT_EQ(own_total[static_cast<std::size_t>(i)], rounds * 5 * 64);
}

__global__ void play(int* ball, int player, int rounds) {  // each waits for the other's kernel
  for (int i = 0; i < rounds; ++i) {
    while (atomicAdd(ball, 0) % 2 != player) em::yield();
    atomicAdd(ball, 1);
  }
}

TEST(host_threads, kernels_on_two_streams_wait_for_one_another) {
  device_array<int> ball(1);
  on_host_threads(2, [&](int player) {
    cudaStream_t stream{};
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    cudaLaunchConfig_t config = shape(1, 1);
    config.stream = stream;
    EXPECT_EQ(em::launch(play, config, ball.get(), player, 20), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  });
  EXPECT_EQ(ball[0], 40);
}

__global__ void count_up(int* value) { *value = *value + 1; }  // not atomic: the stream keeps launches apart

TEST(host_threads, one_stream_keeps_its_order) {
  device_array<int> value(1);
  cudaStream_t stream{};
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  on_host_threads(4, [&](int) {
    cudaLaunchConfig_t config = shape(1, 1);
    config.stream = stream;
    for (int i = 0; i < 200; ++i) EXPECT_EQ(em::launch(count_up, config, value.get()), cudaSuccess);
  });
  EXPECT_EQ(value[0], 800);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

__global__ void traps() { __trap(); }

TEST(host_threads, faults_stay_with_their_thread) {
  device_array<int> value(4);
  on_host_threads(4, [&](int i) {
    for (int round = 0; round < 20; ++round) {
      if (i % 2 == 0) EXPECT_THROW((void)em::launch(traps, shape(2, 32)), em::error);
      else EXPECT_EQ(em::launch(count_up, shape(1, 1), &value[static_cast<std::size_t>(i)]), cudaSuccess);
    }
  });
  EXPECT_EQ(value[1], 20);
}

TEST(host_threads, memory_is_allocated_safely) {
  on_host_threads(4, [](int) {
    for (int i = 1; i < 200; ++i) {
      void* p = nullptr;
      EXPECT_EQ(cudaMalloc(&p, static_cast<std::size_t>(i)), cudaSuccess);
      EXPECT_EQ(cudaFree(p), cudaSuccess);
    }
  });
}

}  // namespace
