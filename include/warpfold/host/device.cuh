// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan needs to know about a device and a kernel on it. CUDA is asked once, and the answer kept.
#pragma once
#include <atomic>
#include <string>
#include <warpfold/arch/cluster.cuh>
#include <warpfold/error.hpp>

namespace warpfold::host {

inline constexpr int max_devices = 64;

struct device_limits {
  int multiprocessors = 0;
  int compute_capability = 0;  ///< 90 for 9.0
};

inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

inline int device_attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

inline namespace WARPFOLD_HIDDEN_V1 {

/// One value a device, computed on first use. Thread-safe: threads that race compute the same value twice.
template <class T> class per_device {
 public:
  template <class Compute> T get(int device, Compute compute) {
    if (device < 0 || device >= max_devices) return compute();
    entry& e = entries_[device];
    if (!e.known.load(std::memory_order_acquire)) {
      const T value = compute();
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

inline device_limits limits_of(int device) {
  static per_device<device_limits> cache;
  return cache.get(device, [=] {
    return device_limits{device_attribute(cudaDevAttrMultiProcessorCount, device),
                         10 * device_attribute(cudaDevAttrComputeCapabilityMajor, device) +
                             device_attribute(cudaDevAttrComputeCapabilityMinor, device)};
  });
}

/// Resident blocks of a kernel on a multiprocessor of the current device. Throws cuda_error if not even one fits.
template <class... Parameters>
int resident_blocks(void (*kernel)(Parameters...), int block_threads, std::size_t shared_bytes) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block_threads, shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  if (blocks == 0)
    throw cuda_error(cudaErrorInvalidConfiguration, "cudaOccupancyMaxActiveBlocksPerMultiprocessor: no block fits",
                     std::source_location::current());
  return blocks;
}

/// Resident blocks of `Kernel` on a multiprocessor of the current device `device`: the sources' MBPM. One cache a
/// kernel (not a kernel's type) and device.
template <auto* Kernel> int blocks_per_multiprocessor(int device, int block_threads, std::size_t shared_bytes) {
  static per_device<int> cache;
  return cache.get(device, [=] { return resident_blocks(Kernel, block_threads, shared_bytes); });
}

/// Whether `Kernel` may use bulk copies and clusters of sm_90: both the device and the code compiled for it must have
/// them.
template <auto* Kernel> bool has_sm_90(int device) {
  static per_device<bool> cache;
  return cache.get(device, [=] {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(Kernel)), "cudaFuncGetAttributes");
    return limits_of(device).compute_capability >= 90 && attributes.ptxVersion >= 90;
  });
}

/// Blocks of a cluster of `Kernel` on this device: max_cluster_blocks, or 1 where the architecture, the compiled code
/// or the device's share of multiprocessors has no such clusters.
template <auto* Kernel> int cluster_blocks(int device, int block_threads, std::size_t shared_bytes) {
  static per_device<int> cache;
  return cache.get(device, [=] {
    if (!has_sm_90<Kernel>(device)) return 1;
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
    check(cudaOccupancyMaxActiveClusters(&clusters, reinterpret_cast<const void*>(Kernel), &config),
          "cudaOccupancyMaxActiveClusters");
    return clusters > 0 ? arch::max_cluster_blocks : 1;
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
