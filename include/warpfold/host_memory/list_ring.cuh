// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pinned memory into which kernels write lists of nodes, one after another on one stream. The host takes the lists of
// one half while kernels write the other half, so the stream never runs dry.
#pragma once
#include <algorithm>
#include <memory>
#include <warpfold/error.hpp>
#include <warpfold/host/wait_for_value.cuh>

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
    for (const cudaEvent_t event : written_)
      if (event != nullptr) (void)cudaEventDestroy(event);
  }

  /// Where the next kernel may write. Calls take(list) for those that have been written before, if it needs their
  /// place.
  template <class Take> List* next(Take take) {
    if (used_[half_] == half_size) {
      const host_side::relaxed_capture relaxed;
      cudaEvent_t& own = written_[half_];
      if (own == nullptr)
        require_success(cudaEventCreateWithFlags(&own, cudaEventDisableTiming), "cudaEventCreateWithFlags");
      require_success(cudaEventRecord(own, stream_), "cudaEventRecord");
      half_ = 1 - half_;
      if (used_[half_] > 0) require_success(cudaEventSynchronize(written_[half_]), "cudaEventSynchronize");
      take_half(half_, take);
    }
    return half(half_) + used_[half_];
  }
  /// A kernel that writes there has been enqueued.
  void enqueued() { ++used_[half_]; }
  /// Waits for all lists.
  template <class Take> void finish(Take take) {
    if (used_[0] + used_[1] == 0) return;
    const host_side::relaxed_capture relaxed;
    require_success(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    take_half(1 - half_, take);
    take_half(half_, take);
  }

 private:
  static constexpr int half_size = static_cast<int>(std::clamp<std::size_t>((1 << 19) / sizeof(List), 1, 64));

  List* half(int which) {
    return static_cast<List*>(memory_.reserve(2 * half_size * sizeof(List))) + which * half_size;
  }
  template <class Take> void take_half(int which, Take take) {
    const int count = std::exchange(used_[which], 0);
    for (int i = 0; i < count; ++i) take(half(which)[i]);
  }

  cudaStream_t stream_;
  host_side::pinned_buffer memory_;
  cudaEvent_t written_[2] = {};
  int half_ = 0, used_[2] = {};
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
