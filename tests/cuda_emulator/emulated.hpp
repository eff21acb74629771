// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the emulator's tests: launches, device arrays, expected faults, typed shared memory and barriers.
#pragma once

#include <gtest/gtest.h>

#include <cuda_emulator/cuda_emulator.hpp>
#include <string>
#include <utility>
#include <vector>

namespace emulated {

namespace em = cuda_emulator;

inline cudaLaunchConfig_t shape(dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  return config;
}

template <class T> class device_array {
 public:
  explicit device_array(std::size_t items, T fill = T{}) : items_(items) {
    EXPECT_EQ(cudaMalloc(&data_, items * sizeof(T)), cudaSuccess);
    for (std::size_t i = 0; i < items; ++i) data_[i] = fill;
  }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  std::vector<T> host() const { return {data_, data_ + items_}; }

 private:
  T* data_ = nullptr;
  std::size_t items_;
};

// Runs `test` under several schedules.
template <class Test> void for_each_seed(int seeds, Test test) {
  em::scoped_settings settings;
  for (int seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    settings->seed = static_cast<std::uint64_t>(seed);
    test();
  }
}

// The fault that the kernel meets; the message must hold every text.
template <class Kernel, class... A>
void expect_fault(em::fault kind, const std::vector<std::string>& texts, Kernel kernel,
                  const cudaLaunchConfig_t& config, A... args) {
  try {
    EXPECT_EQ(em::launch(kernel, config, args...), cudaSuccess);
    ADD_FAILURE() << "no error was found";
  } catch (const em::error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    for (const std::string& text : texts) EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

template <class T> T& dynamic_shared() { return *static_cast<T*>(em::dynamic_shared(sizeof(T), alignof(T))); }

// An mbarrier in shared memory.
class mbarrier {
 public:
  void init(unsigned count) { em::barrier_init(&word_, count); }
  void invalidate() { em::barrier_invalidate(&word_); }
  void arrive() { em::barrier_arrive(&word_); }
  void arrive_expect_tx(unsigned bytes) { em::barrier_arrive(&word_, bytes); }
  bool try_wait_parity(unsigned parity) { return em::barrier_try_wait(&word_, parity); }
  void wait_parity(unsigned parity) { em::barrier_wait(&word_, parity); }
  std::uint64_t* word() { return &word_; }

 private:
  alignas(8) std::uint64_t word_;
};

}  // namespace emulated
