// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch: control words, zero between calls, and room for the partial results of a grid. Its size does not depend on the
// number of items.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <warpfold/by_key/scratch.hpp>
#include <warpfold/error.hpp>
#include <warpfold/options.hpp>
#include <warpfold/reduce/scratch.hpp>
#include <warpfold/segmented/scratch.hpp>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {
/// Bytes that every reduction with accumulators of up to `accumulator_bytes` bytes can do with.
inline std::size_t any_workspace_bytes(std::size_t accumulator_bytes) {
  return std::max(
      {reduction::scratch_bytes(host::current_device(), accumulator_bytes), by_key::scratch_bytes(accumulator_bytes),
       segmented::scratch_bytes(accumulator_bytes),
       segmented::scratch_bytes(std::min<std::size_t>(accumulator_bytes, 16))});  // fewer units of larger ones
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

/// Bytes of scratch that reduce, transform_reduce, segmented_reduce and reduce_by_key need for accumulators of type `A` on the current
/// device, whatever the number of items and segments. To be aligned to 128 bytes.
template <class A> std::size_t workspace_bytes() { return detail::any_workspace_bytes(sizeof(A)); }

/// Makes a caller's own bytes (device memory, aligned to 128) usable as scratch: once, on the stream that uses them
/// first. Asynchronous. Throws std::invalid_argument for bytes that are too few or misaligned.
inline void initialize_workspace(std::span<std::byte> bytes, cudaStream_t stream = {}) {
  if (bytes.size() < host::control_bytes)
    reject("initialize_workspace", "bytes has " + std::to_string(bytes.size()) + " bytes; at least " +
                                       std::to_string(host::control_bytes) + " are needed");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % host::workspace_alignment != 0)
    reject("initialize_workspace", "bytes is not aligned to 128 bytes");
  check(cudaMemsetAsync(bytes.data(), 0, host::control_bytes, stream), "cudaMemsetAsync");
}

/// Scratch on the current device that calls can share one after another: on one stream, or with events between streams.
/// Calls that may overlap need one each. Construction allocates and clears it, and waits for that; destruction waits for
/// the work that uses it. Movable.
class workspace {
 public:
  /// Room for accumulators of up to `accumulator_bytes`.
  explicit workspace(std::size_t accumulator_bytes = 64) {
    const std::size_t bytes = detail::any_workspace_bytes(accumulator_bytes);
    void* data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    bytes_ = {static_cast<std::byte*>(data), bytes};
    try {
      check(cudaMemset(data, 0, host::control_bytes), "cudaMemset");
      check(cudaStreamSynchronize({}), "cudaStreamSynchronize");
    } catch (...) {
      (void)cudaFree(data);
      throw;
    }
  }
  workspace(workspace&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  workspace& operator=(workspace&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~workspace() {
    if (!bytes_.empty()) (void)cudaFree(bytes_.data());
  }

  std::span<std::byte> bytes() const { return bytes_; }
  operator workspace_ref() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace warpfold
