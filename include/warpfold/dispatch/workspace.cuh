// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch: control words, zero between calls, and room for the partial results of a grid. Its size does not depend on the
// number of items.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <warpfold/dispatch/device.cuh>
#include <warpfold/tuning/by_key_policy.hpp>
#include <warpfold/tuning/segmented_policy.hpp>

namespace warpfold {

namespace dispatch {
inline namespace v1 WARPFOLD_HIDDEN {
inline constexpr std::size_t workspace_alignment = 128;  // the ticket has a line of its own
/// The ticket's line; after it the counters of segmented reductions, or the words of reductions by key.
inline constexpr std::size_t control_bytes = [] {
  const std::size_t segmented = tuning::max_segment_warps * tuning::segment_counters * sizeof(unsigned);
  const std::size_t most = std::max(segmented, tuning::by_key_control_bytes);
  return workspace_alignment + (most + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}();

/// Bytes that any reduction with `accumulator_bytes`-byte accumulators needs on `device`.
inline std::size_t reduce_workspace_bytes(int device, std::size_t accumulator_bytes) {
  const std::size_t most_blocks = static_cast<std::size_t>(limits_of(device).multiprocessors) * 4;
  return control_bytes + (tuning::max_nodes + 1) * most_blocks * accumulator_bytes;
}

/// Bytes that any segmented reduction with `accumulator_bytes`-byte accumulators needs: a value a unit, twice.
constexpr std::size_t segmented_workspace_bytes(std::size_t accumulator_bytes) {
  return control_bytes + 2 * static_cast<std::size_t>(tuning::max_units(accumulator_bytes) + 2) * accumulator_bytes;
}

/// Bytes that any reduction by key with `accumulator_bytes`-byte accumulators needs: what outlasts a lap.
constexpr std::size_t by_key_workspace_bytes(std::size_t accumulator_bytes) {
  return control_bytes + tuning::laps_bytes(accumulator_bytes);
}

/// Bytes that every reduction with accumulators of up to `accumulator_bytes` bytes can do with.
inline std::size_t any_workspace_bytes(std::size_t accumulator_bytes) {
  return std::max({reduce_workspace_bytes(current_device(), accumulator_bytes), by_key_workspace_bytes(accumulator_bytes),
                   segmented_workspace_bytes(accumulator_bytes),
                   segmented_workspace_bytes(std::min<std::size_t>(accumulator_bytes, 16))});  // fewer units of larger ones
}
}  // namespace v1
}  // namespace dispatch

/// Bytes of scratch that reduce, transform_reduce, segmented_reduce and reduce_by_key need for accumulators of type `A` on the current
/// device, whatever the number of items and segments. To be aligned to 128 bytes.
template <class A> std::size_t workspace_bytes() {
  return dispatch::any_workspace_bytes(sizeof(A));
}

/// Makes a caller's own bytes (device memory, aligned to 128) usable as scratch: once, on the stream that uses them
/// first. Asynchronous. Throws std::invalid_argument for bytes that are too few or misaligned.
inline void initialize_workspace(std::span<std::byte> bytes, cudaStream_t stream = {}) {
  if (bytes.size() < dispatch::control_bytes)
    reject("initialize_workspace", "bytes has " + std::to_string(bytes.size()) + " bytes; at least " +
                                       std::to_string(dispatch::control_bytes) + " are needed");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % dispatch::workspace_alignment != 0)
    reject("initialize_workspace", "bytes is not aligned to 128 bytes");
  check(cudaMemsetAsync(bytes.data(), 0, dispatch::control_bytes, stream), "cudaMemsetAsync");
}

/// Scratch on the current device that calls can share one after another: on one stream, or with events between streams.
/// Calls that may overlap need one each. Construction allocates and clears it, and waits for that; destruction waits for
/// the work that uses it. Movable.
class workspace {
 public:
  /// Room for accumulators of up to `accumulator_bytes`.
  explicit workspace(std::size_t accumulator_bytes = 64) {
    const std::size_t bytes = dispatch::any_workspace_bytes(accumulator_bytes);
    void* data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    bytes_ = {static_cast<std::byte*>(data), bytes};
    try {
      check(cudaMemset(data, 0, dispatch::control_bytes), "cudaMemset");
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

 private:
  std::span<std::byte> bytes_;
};

/// The scratch that a call uses: a workspace, a caller's initialised bytes, or, empty, one that Warpfold brings.
struct workspace_ref {
  std::span<std::byte> bytes;

  constexpr workspace_ref() = default;
  template <std::size_t Extent>
  constexpr workspace_ref(std::span<std::byte, Extent> initialized) : bytes(initialized) {}
  workspace_ref(const workspace& owner) : bytes(owner.bytes()) {}
};

}  // namespace warpfold
