// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings one value to the host: the kernel writes it to pinned memory of the calling thread, which waits for the
// stream. No copy is enqueued.
#pragma once
#include <bit>
#include <cstring>
#include <warpfold/error.hpp>
#include <warpfold/host/relaxed_capture.cuh>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Pinned memory that the device can write, kept for this thread. Other threads may capture meanwhile.
class pinned_buffer {
 public:
  pinned_buffer() = default;
  pinned_buffer(const pinned_buffer&) = delete;
  ~pinned_buffer() {
    const relaxed_capture relaxed;
    if (data_ != nullptr) (void)cudaFreeHost(data_);
  }

  void* reserve(std::size_t bytes) {
    if (bytes > bytes_) {
      const relaxed_capture relaxed;
      void* larger = nullptr;
      require_success(cudaHostAlloc(&larger, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
      if (data_ != nullptr) (void)cudaFreeHost(data_);
      data_ = larger;
      bytes_ = bytes;
    }
    return data_;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Calls enqueue(A* out), waits for `stream`, and returns *out. Throws std::invalid_argument if the stream is being
/// captured.
template <class A, class Enqueue> A wait_for_value(const char* function, cudaStream_t stream, Enqueue enqueue) {
  static thread_local pinned_buffer buffer;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require_success(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  if (status != cudaStreamCaptureStatusNone)
    reject(function, "the stream is being captured; this function waits for it");
  A* out = static_cast<A*>(buffer.reserve(sizeof(A) < 64 ? 64 : sizeof(A)));
  enqueue(out);
  {
    const relaxed_capture relaxed;
    require_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  struct {
    alignas(A) unsigned char bytes[sizeof(A)];
  } value;  // A may lack a default constructor
  std::memcpy(&value, out, sizeof(A));
  return std::bit_cast<A>(value);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
