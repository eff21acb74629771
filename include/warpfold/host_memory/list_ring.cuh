// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of nodes that kernels write, one after another on one stream, on their way to the host. Kernels write them to
// device memory (a kernel that writes to the host ends later). When half of the room is full, one copy brings it to
// pinned memory, and the host takes these lists while kernels fill the other half, so the stream never runs dry.
#pragma once
#include <utility>
#include <warpfold/host_memory/ring.cuh>

namespace warpfold::host_memory {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `List` is trivially copyable. The same device is current wherever a member is called.
template <class List> class list_ring {
 public:
  explicit list_ring(cudaStream_t stream) : stream_(stream) {}
  list_ring(const list_ring&) = delete;
  ~list_ring() {
    const host_side::relaxed_capture relaxed;
    if (used_[0] + used_[1] > 0) (void)cudaStreamSynchronize(stream_);
    for (const cudaEvent_t event : copied_)
      if (event != nullptr) (void)cudaEventDestroy(event);
    if (buffer_ != nullptr) idle_buffers<list_buffer>::instance().give_back(std::move(buffer_));
  }

  /// Where the next kernel may write. Calls take(list) for those that have been written before, if it needs their
  /// place.
  template <class Take> List* next(Take take) {
    if (buffer_ == nullptr) borrow();
    if (used_[half_] == half_size) {
      const host_side::relaxed_capture relaxed;
      copy_half(half_);
      cudaEvent_t& own = copied_[half_];
      if (own == nullptr)
        require_success(cudaEventCreateWithFlags(&own, cudaEventDisableTiming), "cudaEventCreateWithFlags");
      require_success(cudaEventRecord(own, stream_), "cudaEventRecord");
      half_ = 1 - half_;
      if (used_[half_] > 0) require_success(cudaEventSynchronize(copied_[half_]), "cudaEventSynchronize");
      take_half(half_, take);
    }
    return half_of(buffer_->room.device(), half_) + used_[half_];
  }
  /// A kernel that writes there has been enqueued.
  void enqueued() { ++used_[half_]; }
  /// Waits for all lists.
  template <class Take> void finish(Take take) {
    if (used_[0] + used_[1] == 0) return;
    const host_side::relaxed_capture relaxed;
    copy_half(half_);
    require_success(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    take_half(1 - half_, take);
    take_half(half_, take);
  }

 private:
  static constexpr int half_size = static_cast<int>(clamped<std::size_t>((1 << 19) / sizeof(List), 1, 64));

  void borrow() {
    const host_side::relaxed_capture relaxed;
    auto buffer = idle_buffers<list_buffer>::instance().take(host_side::current_device());
    const std::size_t bytes = 2 * half_size * sizeof(List);
    buffer->room.reserve(bytes, bytes);
    buffer_ = std::move(buffer);
  }
  static List* half_of(std::byte* memory, int which) { return reinterpret_cast<List*>(memory) + which * half_size; }
  void copy_half(int which) {
    part_buffer& room = buffer_->room;
    require_success(
        cudaMemcpyAsync(half_of(room.pinned(), which), half_of(room.device(), which),
                        static_cast<std::size_t>(used_[which]) * sizeof(List), cudaMemcpyDeviceToHost, stream_),
        "cudaMemcpyAsync");
  }
  template <class Take> void take_half(int which, Take take) {
    const int count = std::exchange(used_[which], 0);
    for (int i = 0; i < count; ++i) take(half_of(buffer_->room.pinned(), which)[i]);
  }

  cudaStream_t stream_;
  std::unique_ptr<list_buffer> buffer_;
  cudaEvent_t copied_[2] = {};
  int half_ = 0, used_[2] = {};
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
