// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers through which host memory reaches a device. They are kept from call to call, since pinned memory takes
// longer to allocate than to fill.
#pragma once
#include <memory>
#include <mutex>
#include <vector>
#include <warpfold/host/device_guard.cuh>
#include <warpfold/host/relaxed_capture.cuh>
#include <warpfold/host/wait_for_value.cuh>

namespace warpfold::host_memory {
inline namespace WARPFOLD_HIDDEN_V1 {

using host_side::device_guard;

/// Room for one part of the input on the device, and pinned memory beside it where the part is staged; and the stream
/// on which it is copied and reduced. Its device is current wherever a member is called.
class part_buffer {
 public:
  part_buffer() {
    require_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  part_buffer(const part_buffer&) = delete;
  ~part_buffer() {
    (void)cudaFree(device_);
    (void)cudaStreamDestroy(stream_);
  }

  /// At least so many bytes of either. Nothing on the stream uses them.
  void reserve(std::size_t bytes, std::size_t pinned_bytes) {
    (void)pinned_.reserve(pinned_bytes);
    if (bytes <= bytes_) return;
    (void)cudaFree(device_);
    device_ = nullptr, bytes_ = 0;
    require_success(cudaMalloc(&device_, bytes), "cudaMalloc");
    bytes_ = bytes;
  }

  cudaStream_t stream() const { return stream_; }
  std::byte* device() const { return static_cast<std::byte*>(device_); }
  std::byte* pinned() { return static_cast<std::byte*>(pinned_.reserve(0)); }

 private:
  cudaStream_t stream_{};
  void* device_ = nullptr;
  std::size_t bytes_ = 0;
  host_side::pinned_buffer pinned_;
};

/// The buffers of one device, which a call uses alone.
struct device_ring {
  explicit device_ring(int number) : device(number) {}
  device_ring(const device_ring&) = delete;
  ~device_ring() {
    const device_guard guard(device);
    buffers.clear();
  }

  void reserve(int count, std::size_t bytes, std::size_t pinned_bytes) {
    while (static_cast<int>(buffers.size()) < count) buffers.push_back(std::make_unique<part_buffer>());
    for (int i = 0; i < count; ++i) buffers[static_cast<std::size_t>(i)]->reserve(bytes, pinned_bytes);
  }
  /// Waits for all that has been enqueued. What CUDA reports then has been reported, or is the next call's.
  void drain() noexcept {
    for (const auto& each : buffers) (void)cudaStreamSynchronize(each->stream());
  }

  int device;
  std::vector<std::unique_ptr<part_buffer>> buffers;
  host_side::pinned_buffer nodes;  ///< results of parts, for the first device of a call
};

/// Room for the lists of one accumulation, on its device and pinned.
struct list_buffer {
  explicit list_buffer(int number) : device(number) {}
  list_buffer(const list_buffer&) = delete;

  int device;
  part_buffer room;
};

/// Buffers of a device that nobody uses. They are never destroyed: CUDA may be gone when the process ends.
template <class Buffer> class idle_buffers {
 public:
  static idle_buffers& instance() {
    static idle_buffers& pool = *new idle_buffers;
    return pool;
  }
  std::unique_ptr<Buffer> take(int device) {
    std::lock_guard lock(mutex_);
    for (auto& each : idle_)
      if (each->device == device) {
        std::swap(each, idle_.back());
        std::unique_ptr<Buffer> found = std::move(idle_.back());
        idle_.pop_back();
        return found;
      }
    return std::make_unique<Buffer>(device);
  }
  void give_back(std::unique_ptr<Buffer> buffer) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(buffer));
  }
  void release() {
    std::vector<std::unique_ptr<Buffer>> idle;
    {
      std::lock_guard lock(mutex_);
      idle.swap(idle_);
    }
    const host_side::relaxed_capture relaxed;
    idle.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> idle_;
};

/// A ring for one call. When it ends nothing is enqueued any more.
class ring_loan {
 public:
  explicit ring_loan(int device) : ring_(idle_buffers<device_ring>::instance().take(device)) {}
  ring_loan(ring_loan&&) = default;
  ~ring_loan() {
    if (ring_ == nullptr) return;
    const host_side::relaxed_capture relaxed;
    ring_->drain();
    idle_buffers<device_ring>::instance().give_back(std::move(ring_));
  }
  device_ring* operator->() const { return ring_.get(); }
  device_ring& operator*() const { return *ring_; }

 private:
  std::unique_ptr<device_ring> ring_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
