// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that CUDA forbids while some stream is being captured, such as cudaMalloc and cudaStreamSynchronize.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Lets this thread allocate, free, wait and query events although some stream, of this thread or another one, is being
/// captured; the capture stays valid. The thread's previous mode comes back at the end. The calls must not touch the
/// captured stream.
class relaxed_capture {
 public:
  relaxed_capture() noexcept : exchanged_(cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {}
  relaxed_capture(const relaxed_capture&) = delete;
  ~relaxed_capture() {
    if (exchanged_) (void)cudaThreadExchangeStreamCaptureMode(&mode_);
  }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool exchanged_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
