// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace bench {

/// Throws if `status` is not success. Every CUDA call of the benchmarks goes through it.
inline void check(cudaError_t status, std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " +
                           cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

/// Owns one CUDA handle and destroys it with `Destroy`.
template <class Handle, auto Destroy> class unique_handle {
 public:
  unique_handle() = default;
  explicit unique_handle(Handle handle) : handle_(handle) {}
  unique_handle(unique_handle&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  unique_handle& operator=(unique_handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~unique_handle() {
    if (handle_) static_cast<void>(Destroy(handle_));
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_{};
};

using event = unique_handle<cudaEvent_t, cudaEventDestroy>;
using stream = unique_handle<cudaStream_t, cudaStreamDestroy>;
using graph = unique_handle<cudaGraph_t, cudaGraphDestroy>;
using executable_graph = unique_handle<cudaGraphExec_t, cudaGraphExecDestroy>;

inline event make_event() {
  cudaEvent_t handle{};
  check(cudaEventCreate(&handle));
  return event(handle);
}

inline stream make_stream() {
  cudaStream_t handle{};
  check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
  return stream(handle);
}

/// `count` uninitialised items of device memory.
template <class T> class device_buffer {
 public:
  device_buffer() = default;
  explicit device_buffer(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)));
    memory_ = unique_handle<void*, release>(memory);
  }
  T* data() const { return static_cast<T*>(memory_.get()); }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  static cudaError_t release(void* memory) { return cudaFree(memory); }
  unique_handle<void*, release> memory_;
  std::size_t count_ = 0;
};

/// One page-locked host item, so that a peer's copy back is as fast as it can be.
template <class T> class pinned_value {
 public:
  pinned_value() {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, sizeof(T)));
    memory_ = unique_handle<void*, cudaFreeHost>(memory);
  }
  T* get() const { return static_cast<T*>(memory_.get()); }

 private:
  unique_handle<void*, cudaFreeHost> memory_;
};

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

}  // namespace bench
