// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory and launches for tests, on a GPU and in the emulator.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>
#include <warpfold/host/device.cuh>
#include <warpfold/host/launch.cuh>

namespace wf_test {

#if defined(__CUDACC__)
inline constexpr bool emulated = false;
#else
inline constexpr bool emulated = true;
#endif

/// False on a GPU before sm_90. A test that needs bulk copies is skipped there, and says why.
inline bool copies_in_bulk() {
  return warpfold::host_side::limits_of(warpfold::host_side::current_device()).compute_capability >= 90;
}
inline constexpr const char* needs_bulk_copies = "bulk copies need sm_90";

/// In the emulator, the seed of the schedules while this lives; on a GPU the schedule is what it is.
class schedule_seed {
 public:
#if defined(__CUDACC__)
  explicit schedule_seed(std::uint64_t) {}
  ~schedule_seed() {}
#else
  explicit schedule_seed(std::uint64_t seed) { settings_->seed = seed; }

 private:
  cuda_emulator::scoped_settings settings_;
#endif
};

/// Items in device memory, the first one `offset_items` items past a boundary of 256 bytes. Nothing is allocated after
/// the last, so that checkers see reads past it.
template <class T> class device_array {
 public:
  explicit device_array(std::int64_t count, std::int64_t offset_items = 0) : count_(count), offset_(offset_items) {
    const auto bytes = static_cast<std::size_t>(count + offset_items) * sizeof(T);
    warpfold::check(cudaMalloc(&memory_, bytes > 0 ? bytes : 1), "cudaMalloc");
  }
  explicit device_array(std::span<const T> items, std::int64_t offset_items = 0)
      : device_array(static_cast<std::int64_t>(items.size()), offset_items) {
    copy(data(), items.data(), items.size(), cudaMemcpyHostToDevice);
  }
  explicit device_array(const std::vector<T>& items, std::int64_t offset_items = 0)
      : device_array(std::span<const T>(items), offset_items) {}
  device_array(device_array&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), count_(other.count_), offset_(other.offset_) {}
  device_array& operator=(device_array&& other) = delete;
  ~device_array() { (void)cudaFree(memory_); }

  T* data() const { return static_cast<T*>(memory_) + offset_; }
  std::size_t size() const { return static_cast<std::size_t>(count_); }
  std::int64_t count() const { return count_; }
  std::span<const T> items() const { return {data(), size()}; }

  /// Waits for everything enqueued on blocking streams.
  T value(std::int64_t i = 0) const {
    T result{};
    copy(&result, data() + i, 1, cudaMemcpyDeviceToHost);
    return result;
  }
  std::vector<T> to_host() const requires(!std::is_same_v<T, bool>) {
    std::vector<T> result(size());
    copy(result.data(), data(), size(), cudaMemcpyDeviceToHost);
    return result;
  }
  void set(std::int64_t i, const T& value) const { copy(data() + i, &value, 1, cudaMemcpyHostToDevice); }
  /// All items.
  void set(const std::vector<T>& items) const { copy(data(), items.data(), size(), cudaMemcpyHostToDevice); }

 private:
  static void copy(T* to, const T* from, std::size_t count, cudaMemcpyKind kind) {
    if (count == 0) return;
    warpfold::check(cudaMemcpy(to, from, count * sizeof(T), kind), "cudaMemcpy");
    // A copy from pageable memory may still be under way, and streams that do not block would not wait for it.
    if (kind == cudaMemcpyHostToDevice) warpfold::check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }

  void* memory_ = nullptr;
  std::int64_t count_, offset_;
};

/// Launches on the default stream, waits, and throws warpfold::cuda_error for whatever goes wrong.
template <class... Parameters, class... Args>
void launch_and_wait(void (*kernel)(Parameters...), int blocks, int threads, std::size_t shared_bytes, Args&&... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  warpfold::launch(kernel, config, std::forward<Args>(args)...);
  warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

}  // namespace wf_test
