// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a device and a kernel on it, for plans. CUDA is asked once, and the answer is kept.
#pragma once
#include <atomic>
#include <string>
#include <warpfold/arch/cluster.cuh>
#include <warpfold/error.hpp>

namespace warpfold::host_side {

inline constexpr int max_devices = 64;

struct device_limits {
  int multiprocessors = 0;
  int compute_capability = 0;  ///< 90 for 9.0
};

inline int current_device() {
  int device = 0;
  require_success(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

inline int device_attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  require_success(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

inline namespace WARPFOLD_HIDDEN_V1 {

/// One value per device, computed on first use. Thread-safe: threads that race compute the same value twice.
template <class T> class per_device {
 public:
  /// The value of `device`: compute(args...) of the first call.
  template <class Compute, class... Args> T get(int device, Compute compute, Args... args) {
    if (device < 0 || device >= max_devices) return compute(args...);
    entry& e = entries_[device];
    if (!e.known.load(std::memory_order_acquire)) {
      const T value = compute(args...);
      e.value.store(value, std::memory_order_relaxed);
      e.known.store(true, std::memory_order_release);
    }
    return e.value.load(std::memory_order_relaxed);
  }

 private:
  struct entry {
    std::atomic<T> value{};
    std::atomic<bool> known{false};
  };
  entry entries_[max_devices];
};

inline device_limits ask_limits(int device) {
  return {device_attribute(cudaDevAttrMultiProcessorCount, device),
          10 * device_attribute(cudaDevAttrComputeCapabilityMajor, device) +
              device_attribute(cudaDevAttrComputeCapabilityMinor, device)};
}
[[gnu::noinline]] inline device_limits limits_of(int device) {
  static per_device<device_limits> cache;
  return cache.get(device, &ask_limits, device);
}

/// Resident blocks of a kernel on a multiprocessor of the current device. Throws cuda_error if not even one fits.
[[gnu::noinline]] inline int resident_blocks(const void* kernel, int block_threads, std::size_t shared_bytes) {
  int blocks = 0;
  require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block_threads, shared_bytes),
                  "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (blocks == 0)
    throw cuda_error(cudaErrorInvalidConfiguration, "cudaOccupancyMaxActiveBlocksPerMultiprocessor: no block fits",
                     std::source_location::current());
  return blocks;
}

/// Shared memory that a block gets without an opt-in, and the most that it gets with one.
inline constexpr std::size_t plain_shared_bytes = 48 * 1024;
inline std::size_t most_shared_bytes(int device) {
  return static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
}
/// Opts in to `shared_bytes` of shared memory per block of a kernel. False if the current device `device` has less.
inline bool allow_shared_bytes(const void* kernel, int device, std::size_t shared_bytes) {
  if (shared_bytes > most_shared_bytes(device)) return false;
  require_success(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
      "cudaFuncSetAttribute");
  return true;
}

/// Whether a kernel may use bulk copies and clusters of sm_90 on the current device `device`: both the device and the
/// code compiled for it must have them.
inline bool is_sm_90(const void* kernel, int device) {
  cudaFuncAttributes attributes{};
  require_success(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  return limits_of(device).compute_capability >= 90 && attributes.ptxVersion >= 90;
}

/// The same of a kernel that needs `shared_bytes` of shared memory per block, which it is then allowed.
inline bool allow_stages(const void* kernel, int device, std::size_t shared_bytes) {
  return is_sm_90(kernel, device) && allow_shared_bytes(kernel, device, shared_bytes);
}

/// Blocks of a cluster of a kernel on the current device `device`: max_cluster_blocks, or 1 if the architecture, the
/// compiled code or the device's share of multiprocessors has no such clusters.
inline int blocks_of_cluster(const void* kernel, int device, int block_threads, std::size_t shared_bytes) {
  if (!is_sm_90(kernel, device)) return 1;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {arch::max_cluster_blocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(arch::max_cluster_blocks);
  config.blockDim = dim3(static_cast<unsigned>(block_threads));
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  require_success(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), "cudaOccupancyMaxActiveClusters");
  return clusters > 0 ? arch::max_cluster_blocks : 1;
}

/// resident_blocks of `Kernel`: the sources' MBPM. There is one cache per kernel (not per type of kernel) and device.
template <auto* Kernel> int blocks_per_multiprocessor(int device, int block_threads, std::size_t shared_bytes) {
  static per_device<int> cache;
  return cache.get(device, &resident_blocks, reinterpret_cast<const void*>(Kernel), block_threads, shared_bytes);
}

template <auto* Kernel> bool has_sm_90(int device) {
  static per_device<bool> cache;
  return cache.get(device, &is_sm_90, reinterpret_cast<const void*>(Kernel), device);
}

/// Whether a block of `Kernel` may have `shared_bytes` of shared memory. If so, the kernel has opted in to it.
template <auto* Kernel> bool allows_shared_bytes(int device, std::size_t shared_bytes) {
  static per_device<bool> cache;
  return cache.get(device, &allow_shared_bytes, reinterpret_cast<const void*>(Kernel), device, shared_bytes);
}

/// Whether `Kernel` may have stages of `shared_bytes` that bulk copies fill.
template <auto* Kernel> bool has_stages(int device, std::size_t shared_bytes) {
  static per_device<bool> cache;
  return cache.get(device, &allow_stages, reinterpret_cast<const void*>(Kernel), device, shared_bytes);
}

template <auto* Kernel> int cluster_blocks(int device, int block_threads, std::size_t shared_bytes) {
  static per_device<int> cache;
  return cache.get(device, &blocks_of_cluster, reinterpret_cast<const void*>(Kernel), device, block_threads,
                   shared_bytes);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
