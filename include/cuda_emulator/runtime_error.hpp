// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's error codes: names, texts, and the last error of each host thread.
#pragma once

#include <cuda_emulator/warp_collective.hpp>

#include <cuda_runtime.h>

#include <mutex>

namespace cuda_emulator {

inline cudaError_t& last_error() {
  static thread_local cudaError_t code = cudaSuccess;
  return code;
}

// Every runtime function returns through this, so that cudaGetLastError sees its error.
inline cudaError_t remember(cudaError_t code) {
  if (code != cudaSuccess && code != cudaErrorNotReady) last_error() = code;
  return code;
}

// Guards the runtime's tables. It is never held while a kernel runs.
inline std::recursive_mutex& runtime_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}
using runtime_lock = std::lock_guard<std::recursive_mutex>;

// Kernels must not call the host's runtime functions.
inline void refuse_in_kernel(const char* function) {
  if (current_thread != nullptr) current_scheduler->fail(fault::usage, function, " called inside a kernel");
}

struct error_text {
  cudaError_t code;
  const char* name;
  const char* text;
};

inline const error_text& text_of(cudaError_t code) {
#define CUDA_EMULATOR_ERROR(name, text) \
  { name, #name, text }
  static constexpr error_text known[] = {
      CUDA_EMULATOR_ERROR(cudaSuccess, "no error"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidValue, "invalid argument"),
      CUDA_EMULATOR_ERROR(cudaErrorMemoryAllocation, "out of memory"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
      CUDA_EMULATOR_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
      CUDA_EMULATOR_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
      CUDA_EMULATOR_ERROR(cudaErrorNotReady, "device not ready"),
      CUDA_EMULATOR_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
      CUDA_EMULATOR_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
      CUDA_EMULATOR_ERROR(cudaErrorNotPermitted, "operation not permitted"),
      CUDA_EMULATOR_ERROR(cudaErrorNotSupported, "operation not supported"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureMerge,
                          "operation would result in a merge of separate capture sequences"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureImplicit,
                          "operation would make the legacy stream depend on a capturing blocking stream"),
      CUDA_EMULATOR_ERROR(cudaErrorCapturedEvent,
                          "operation not permitted on an event last recorded in a capturing stream"),
      CUDA_EMULATOR_ERROR(cudaErrorStreamCaptureWrongThread,
                          "attempt to terminate a thread-local capture sequence from another thread"),
      CUDA_EMULATOR_ERROR(cudaErrorInvalidClusterSize, "invalid cluster size"),
      {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
  };
#undef CUDA_EMULATOR_ERROR
  for (const error_text& entry : known)
    if (entry.code == code) return entry;
  return known[sizeof known / sizeof known[0] - 1];
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaGetLastError() { return std::exchange(cuda_emulator::last_error(), cudaSuccess); }
inline cudaError_t CUDARTAPI cudaPeekAtLastError() { return cuda_emulator::last_error(); }
inline const char* CUDARTAPI cudaGetErrorName(cudaError_t code) { return cuda_emulator::text_of(code).name; }
inline const char* CUDARTAPI cudaGetErrorString(cudaError_t code) { return cuda_emulator::text_of(code).text; }
}
