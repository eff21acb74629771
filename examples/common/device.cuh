// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory that frees itself, checked runtime calls, and times taken with events.
#pragma once

#include <warpfold/error.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace examples {

using warpfold::check;  // turns an error code of the CUDA runtime into an exception

/// An array in device memory: freed at the end of its scope, moved but not copied.
template <class T> class device_array {
 public:
  explicit device_array(std::size_t count) : count_(count) {
    if (count > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "cudaMalloc");
  }
  explicit device_array(std::span<const T> items) : device_array(items.size()) {
    if (count_ > 0) check(cudaMemcpy(data_, items.data(), items.size_bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  explicit device_array(const std::vector<T>& items) : device_array(std::span<const T>(items)) {}
  device_array(device_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  device_array& operator=(device_array other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~device_array() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }

  /// Waits for the device and copies the items to the host.
  std::vector<T> to_host() const {
    std::vector<T> items(count_);
    if (count_ > 0) check(cudaMemcpy(items.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return items;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// An event of the CUDA runtime, destroyed at the end of its scope.
class event {
 public:
  event() { check(cudaEventCreate(&handle_), "cudaEventCreate"); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { cudaEventDestroy(handle_); }

  void record() { check(cudaEventRecord(handle_), "cudaEventRecord"); }
  double seconds_since(const event& earlier) const {
    float milliseconds = 0;
    check(cudaEventSynchronize(handle_), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&milliseconds, earlier.handle_, handle_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t handle_{};
};

/// The median time in seconds of what `enqueue` puts on the default stream, after one run that is not counted.
template <class Enqueue> double median_seconds(Enqueue enqueue, int runs) {
  event begin, end;
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    begin.record();
    enqueue();
    end.record();
    seconds.push_back(end.seconds_since(begin));
  }
  seconds.erase(seconds.begin());
  std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
  return seconds[static_cast<std::size_t>(runs / 2)];
}

#if defined(WARPFOLD_EMULATOR)
inline constexpr bool is_emulated = true;
#else
inline constexpr bool is_emulated = false;
#endif

inline cudaDeviceProp device_properties() {
  int device = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties;
}

/// Where the kernels run, to be printed beside times.
inline std::string device_name() {
  if (is_emulated) return "in the emulator (CPU); times say nothing about a GPU";
  return std::string("on ") + device_properties().name;
}

/// Arrays smaller than this are read from the cache when they are read again. 0 in the emulator, which has none.
inline std::size_t l2_cache_bytes() {
  return is_emulated ? 0 : static_cast<std::size_t>(device_properties().l2CacheSize);
}

}  // namespace examples
