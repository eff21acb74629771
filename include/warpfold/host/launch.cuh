// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches a kernel, on the GPU or in the emulator.
#pragma once
#include <utility>
#include <warpfold/error.hpp>
#include <warpfold/host/launch_watch.hpp>

namespace warpfold {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues kernel(args...) as `config` says. The arguments are converted to the kernel's parameter types. Throws
/// cuda_error if CUDA refuses the launch.
template <class... Parameters, class... Args>
void launch(void (*kernel)(Parameters...), const cudaLaunchConfig_t& config, Args&&... args) {
#if defined(__CUDACC__)
  require_success(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...), "cudaLaunchKernelEx");
#else
  require_success(cuda_emulator::launch(kernel, config, std::forward<Args>(args)...), "cudaLaunchKernelEx");
#endif
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

struct launch_shape {
  int blocks, threads;
  std::size_t shared_bytes = 0;  ///< of dynamic shared memory per block
  int cluster_blocks = 0;        ///< 0: blocks form no clusters
  const char* why = "";          ///< why this kernel, in a few words; empty if there is no other one
  std::int64_t items = -1;       ///< of the input, where the kernel's arguments do not tell them; for the log
  bool begins_early = false;     ///< in graphs, sm_90: the kernel waits (arch/earlier_kernels.cuh), not the launch
};

/// Whether calls on `stream` become a part of a graph.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive;
}

inline cudaLaunchConfig_t launch_config(int blocks, int threads, std::size_t shared_bytes, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
}

/// Enqueues kernel(args...).
template <class... Parameters, class... Args>
void enqueue(void (*kernel)(Parameters...), const launch_shape& shape, cudaStream_t stream, Args&&... args) {
  cudaLaunchConfig_t config = launch_config(shape.blocks, shape.threads, shape.shared_bytes, stream);
  cudaLaunchAttribute attributes[2] = {};
  config.attrs = attributes;
  if (shape.cluster_blocks > 0) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(shape.cluster_blocks), 1, 1};
  }
  // Outside graphs, kernels of streams that are destroyed before they have run might never end so: on an H200 with CUDA
  // 13.0 and driver 580, reduce_streams.streams_that_come_and_go hung, and does not without.
  if (shape.begins_early && is_captured(stream)) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  launch_range range;
  if (is_watched()) [[unlikely]] {
    const launch_work work = work_of(args...);
    range.has_begun = tell_of_launch(reinterpret_cast<const void*>(kernel), config, shape.cluster_blocks, shape.why,
                                     shape.items >= 0 ? shape.items : work.items, work.item);
  }
#if !defined(__CUDACC__)
  cuda_emulator::scoped_settings settings;  // kernels read places of items out of range, and use nothing of them
  settings->allow_unwritten_reads = true;
#endif
  launch(kernel, config, std::forward<Args>(args)...);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
