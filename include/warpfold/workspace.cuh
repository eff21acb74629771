// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch: control words, which are zero between calls, and room for the partial results of a grid.
//
// A workspace for `float` has about 4 MB, whatever the number of items or segments: one workspace serves every
// function, one call after another, so a caller need not know which function or which count comes next. 2.1 MB are the
// partial results of reduce_axes, 1.8 MB the control words of reduce_by_key, by which tiles tell later tiles how their
// last run goes on. No call clears them: each kernel leaves its control words zero. A call without a workspace uses
// scratch that Warpfold keeps for the stream (host/default_workspace.cuh).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <warpfold/axes/scratch.hpp>
#include <warpfold/by_key/scratch.hpp>
#include <warpfold/error.hpp>
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/default_workspace.cuh>
#include <warpfold/host/memory_resource.hpp>
#include <warpfold/options.hpp>
#include <warpfold/reduce/scratch.hpp>
#include <warpfold/segmented/scratch.hpp>

namespace warpfold {

namespace detail {
inline namespace WARPFOLD_HIDDEN_V1 {
/// Bytes that suffice for every reduction with accumulators of up to `accumulator_bytes` bytes.
inline std::size_t any_workspace_bytes(std::size_t accumulator_bytes) {
  host_side::scratch_need most{host_side::feature_control_bytes, 0};
  for (const host_side::scratch_need& each :
       {reduction::scratch(host_side::current_device(), accumulator_bytes), by_key::scratch(accumulator_bytes),
        axis_reduction::scratch(accumulator_bytes), segmented::scratch(accumulator_bytes),
        segmented::scratch(least_of(accumulator_bytes, std::size_t{16}))})  // fewer units of larger ones
    most.room_bytes = greatest_of(most.room_bytes, each.room_bytes);
  return most.workspace_bytes();
}
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace detail

/// Bytes of scratch that reduce, segmented_reduce, reduce_axes, reduce_by_key and the scans need, with transforms or
/// without, for accumulators of type `A` on the current device, whatever the number of items and segments. They must be
/// aligned to 128 bytes.
template <class A> std::size_t workspace_bytes() { return detail::any_workspace_bytes(sizeof(A)); }

/// Makes a caller's own bytes (device memory, aligned to 128 bytes) usable as scratch, and returns what `.workspace`
/// takes. To be called once, on the stream that uses the bytes first: asynchronous, one memset of the control words.
/// The result is valid as long as the bytes are. Calls that may overlap need scratch of their own each. Throws
/// std::invalid_argument for bytes that are too few or misaligned, and for host memory, cuda_error for what CUDA
/// reports.
inline workspace_ref initialize_workspace(std::span<std::byte> bytes, cudaStream_t stream = {}) {
  host_side::check_scratch_bytes("initialize_workspace", "bytes", bytes, host_side::control_bytes);
  host_side::check_device_pointer("initialize_workspace", "bytes", bytes.data());
  require_success(cudaMemsetAsync(bytes.data(), 0, host_side::control_bytes, stream), "cudaMemsetAsync");
  return workspace_ref::from_initialized(bytes);
}

/// Scratch on the current device that calls can share one after another: on one stream, or with events between streams.
/// Calls that may overlap need a workspace each. Construction allocates, clears and waits; it throws cuda_error.
/// Destruction waits for the work that uses the scratch. Movable.
class workspace {
 public:
  /// Room for accumulators of up to `accumulator_bytes`.
  explicit workspace(std::size_t accumulator_bytes = 64) {
    const std::size_t bytes = detail::any_workspace_bytes(accumulator_bytes);
    void* data = nullptr;
    require_success(cudaMalloc(&data, bytes), "cudaMalloc");
    bytes_ = {static_cast<std::byte*>(data), bytes};
    try {
      require_success(cudaMemset(data, 0, host_side::control_bytes), "cudaMemset");
      require_success(cudaStreamSynchronize({}), "cudaStreamSynchronize");
    } catch (...) {
      (void)cudaFree(data);
      throw;
    }
  }
  /// The same from a memory resource of the caller's (host/memory_resource.hpp), as those of RMM and cuda::mr, or from
  /// cudaMallocAsync: workspace(stream_ordered_memory{}, stream). Allocated, cleared and given back in the order of
  /// `stream`, on which all calls with it must be, or by events behind them; nothing waits. A resource that is passed
  /// as an lvalue must outlive the workspace.
  template <host_side::memory_resource Resource>
  workspace(Resource& resource, cudaStream_t stream, std::size_t accumulator_bytes = 64)
      : resource_(&resource), stream_(stream), give_back_(give_back<Resource>) {
    const std::size_t bytes = detail::any_workspace_bytes(accumulator_bytes);
    bytes_ = {static_cast<std::byte*>(host_side::allocate_from(resource, stream, bytes)), bytes};
    const cudaError_t cleared = cudaMemsetAsync(bytes_.data(), 0, host_side::control_bytes, stream);
    if (cleared != cudaSuccess) give_back_(*this);
    require_success(cleared, "cudaMemsetAsync");
  }
  workspace(const stream_ordered_memory&, cudaStream_t stream, std::size_t accumulator_bytes = 64)
      : workspace(async_memory, stream, accumulator_bytes) {}
  workspace(workspace&& other) noexcept { swap(other); }
  workspace& operator=(workspace&& other) noexcept {
    swap(other);
    return *this;
  }
  ~workspace() {
    if (bytes_.empty()) return;
    if (give_back_ != nullptr) give_back_(*this);
    else (void)cudaFree(bytes_.data());
  }

  std::span<std::byte> bytes() const { return bytes_; }  ///< the scratch
  operator workspace_ref() const { return workspace_ref::from_initialized(bytes_); }

 private:
  static inline stream_ordered_memory async_memory;  // not const: else the template does not take it

  template <class Resource> static void give_back(const workspace& of) noexcept {
    host_side::deallocate_to(*static_cast<Resource*>(const_cast<void*>(of.resource_)), of.stream_, of.bytes_.data(),
                             of.bytes_.size());
  }
  void swap(workspace& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(resource_, other.resource_);
    std::swap(stream_, other.stream_);
    std::swap(give_back_, other.give_back_);
  }

  std::span<std::byte> bytes_;
  const void* resource_ = nullptr;
  cudaStream_t stream_{};
  void (*give_back_)(const workspace&) noexcept = nullptr;  ///< null: cudaFree
};

inline namespace WARPFOLD_HIDDEN_V1 {

/// Gives back the scratch that Warpfold keeps for streams and for graphs that are gone, on all devices, and returns how
/// many bytes that was. Waits for the devices, as cudaFree does. No other call of Warpfold may run meanwhile, and no
/// stream may be under capture. A later call allocates anew. Each shared library has scratch of its own, and so have
/// translation units for other architectures.
inline std::size_t release_scratch() { return host_side::workspace_pool::instance().release(); }

}  // namespace WARPFOLD_HIDDEN_V1

}  // namespace warpfold
