// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scratch that a call without a workspace uses: one slot a (device, stream), found again by cudaStreamGetId, since
// handles are reused; and one a call under capture, which belongs to the graph and returns when that is destroyed.
// CUDA does not tell when a stream is destroyed: a program that makes streams without end should bring a workspace.
#pragma once
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>
#include <warpfold/host/device.cuh>
#include <warpfold/host/scratch.hpp>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Lets this thread allocate although some stream is being captured; the previous mode comes back at the end.
class relaxed_capture {
 public:
  relaxed_capture() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode"); }
  relaxed_capture(const relaxed_capture&) = delete;
  ~relaxed_capture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

class workspace_pool {
 public:
  struct slot {
    int device;
    std::span<std::byte> bytes;
  };

  /// The pool of this shared library. It is never destroyed: graphs may give slots back while the process ends.
  static workspace_pool& instance() {
    static workspace_pool& pool = *new workspace_pool;
    return pool;
  }

  /// Cleared scratch of at least `bytes` for the next kernel on `stream`.
  std::span<std::byte> get(int device, cudaStream_t stream, std::size_t bytes) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph{};
#if CUDART_VERSION >= 13000
    check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph), "cudaStreamGetCaptureInfo");
#else
    check(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph), "cudaStreamGetCaptureInfo");
#endif
    if (status == cudaStreamCaptureStatusActive) return slot_of_graph(device, graph, bytes);
    unsigned long long id = 0;
    check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    std::lock_guard lock(mutex_);
    auto& found = of_stream_[key{device, id}];
    if (found.size() < bytes) {
      if (!found.empty()) retired_.push_back({device, found});  // earlier work may still use it
      const auto larger = take(std::max(bytes, 2 * found.size()));
      const cudaError_t cleared = cudaMemsetAsync(larger.data(), 0, control_bytes, stream);
      if (cleared != cudaSuccess) retired_.push_back({device, larger});
      check(cleared, "cudaMemsetAsync");
      found = larger;
    }
    return found;
  }

 private:
  struct key {
    int device;
    unsigned long long stream;
    bool operator==(const key&) const = default;
  };
  struct hash {
    std::size_t operator()(const key& k) const {
      return std::hash<unsigned long long>{}(k.stream * max_devices + unsigned(k.device));
    }
  };

  std::span<std::byte> slot_of_graph(int device, cudaGraph_t graph, std::size_t bytes) {
    slot found{device, {}};
    {
      std::lock_guard lock(mutex_);
      for (auto& free : free_)  // its last kernel left it cleared
        if (free.device == device && free.bytes.size() >= bytes) {
          found = free;
          free = free_.back();
          free_.pop_back();
          break;
        }
    }
    if (found.bytes.empty()) found.bytes = cleared(bytes);
    auto* owned = new slot(found);
    cudaUserObject_t object{};
    const cudaError_t created = cudaUserObjectCreate(&object, owned, &give_back, 1, cudaUserObjectNoDestructorSync);
    if (created != cudaSuccess) give_back(owned);
    check(created, "cudaUserObjectCreate");
    const cudaError_t retained = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (retained != cudaSuccess) (void)cudaUserObjectRelease(object, 1);
    check(retained, "cudaGraphRetainUserObject");
    return found.bytes;
  }

  // Called by CUDA when the graph and its last execution are gone; it must not call CUDA.
  static void CUDART_CB give_back(void* data) {
    auto& pool = instance();
    std::lock_guard lock(pool.mutex_);
    pool.free_.push_back(*static_cast<slot*>(data));
    delete static_cast<slot*>(data);
  }

  static std::span<std::byte> take(std::size_t bytes) {
    relaxed_capture relaxed;
    void* data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    return {static_cast<std::byte*>(data), bytes};
  }

  // Cleared here and now, on a stream of its own: a memset in the captured stream would be replayed each time.
  static std::span<std::byte> cleared(std::size_t bytes) {
    const auto fresh = take(bytes);
    relaxed_capture relaxed;
    cudaStream_t own{};
    check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    const cudaError_t set = cudaMemsetAsync(fresh.data(), 0, control_bytes, own);
    const cudaError_t wait = cudaStreamSynchronize(own);
    (void)cudaStreamDestroy(own);
    check(set, "cudaMemsetAsync");
    check(wait, "cudaStreamSynchronize");
    return fresh;
  }

  std::mutex mutex_;
  std::unordered_map<key, std::span<std::byte>, hash> of_stream_;
  std::vector<slot> free_;
  std::vector<slot> retired_;  // doubling bounds what they hold
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
