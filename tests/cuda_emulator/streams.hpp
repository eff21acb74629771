// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the tests of streams and of graphs: two streams, two events, and a log that kernels write.
#pragma once

#include "emulated.hpp"

namespace emulated {

struct two_streams : testing::Test {
  two_streams() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&back, cudaEventDisableTiming), cudaSuccess);
  }
  ~two_streams() override {
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(back), cudaSuccess);
    cudaGetLastError();
  }
  cudaStream_t stream{}, other{};
  cudaEvent_t event{}, back{};
};

inline __global__ void append(int* list, int* count, int value) { list[(*count)++] = value; }

struct launch_log {
  device_array<int> list{32}, count{1};
  void add(int value, cudaStream_t stream) {
    cudaLaunchConfig_t config = shape(1, 1);
    config.stream = stream;
    EXPECT_EQ(em::launch(append, config, list.get(), count.get(), value), cudaSuccess);
  }
  std::vector<int> values() const { return {list.get(), list.get() + count[0]}; }
};

}  // namespace emulated
