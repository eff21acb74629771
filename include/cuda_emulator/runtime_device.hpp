// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices, as the settings describe them.
#pragma once

#include <cuda_emulator/runtime_stream.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace cuda_emulator {

inline std::optional<int> device_attribute(cudaDeviceAttr attribute) {
  const options& device = settings();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return 1024;
    case cudaDevAttrMaxBlockDimX: return 1024;
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 0x7FFFFFFF;
    case cudaDevAttrMaxGridDimY: return 65535;
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(device.shared_bytes_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(device.shared_bytes_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(device.shared_bytes_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock: return 1024;
    case cudaDevAttrTotalConstantMemory: return 65536;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxRegistersPerBlock: return 65536;
    case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrClockRate: return 1'000'000;
    case cudaDevAttrMemoryClockRate: return 1'000'000;
    case cudaDevAttrGlobalMemoryBusWidth: return 5120;
    case cudaDevAttrL2CacheSize: return 50 << 20;
    case cudaDevAttrMultiProcessorCount: return device.multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return device.blocks_per_multiprocessor;
    case cudaDevAttrComputeCapabilityMajor: return device.compute_capability_major;
    case cudaDevAttrComputeCapabilityMinor: return device.compute_capability_minor;
    case cudaDevAttrConcurrentKernels: return 1;
    case cudaDevAttrUnifiedAddressing: return 1;
    case cudaDevAttrManagedMemory: return 1;
    case cudaDevAttrConcurrentManagedAccess: return 1;
    case cudaDevAttrPageableMemoryAccess: return device.pageable_memory;
    case cudaDevAttrStreamPrioritiesSupported: return 1;
    case cudaDevAttrMemoryPoolsSupported: return 1;
    case cudaDevAttrCooperativeLaunch: return 0;
    case cudaDevAttrComputeMode: return cudaComputeModeDefault;
    case cudaDevAttrIntegrated: return 0;
    case cudaDevAttrEccEnabled: return 0;
    case cudaDevAttrClusterLaunch: return device.compute_capability_major >= 9;
    default: return std::nullopt;
  }
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  if (count == nullptr) return cuda_emulator::remember(cudaErrorInvalidValue);
  *count = cuda_emulator::device_count();
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  if (device == nullptr) return cuda_emulator::remember(cudaErrorInvalidValue);
  *device = cuda_emulator::current_device();
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaSetDevice(int device) {
  if (!cuda_emulator::is_device(device)) return cuda_emulator::remember(cudaErrorInvalidDevice);
  cuda_emulator::current_device() = device;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  namespace e = cuda_emulator;
  if (!e::is_device(device)) return e::remember(cudaErrorInvalidDevice);
  const auto known = e::device_attribute(attribute);
  if (value == nullptr || !known) return e::remember(cudaErrorInvalidValue);
  *value = *known;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  namespace e = cuda_emulator;
  if (!e::is_device(device)) return e::remember(cudaErrorInvalidDevice);
  if (properties == nullptr) return e::remember(cudaErrorInvalidValue);
  const e::options& settings = e::settings();
  const auto ask = [](cudaDeviceAttr attribute) { return e::device_attribute(attribute).value(); };
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "CUDA emulator");
  properties->totalGlobalMem = e::settings().device_bytes;
  properties->sharedMemPerBlock = settings.shared_bytes_per_block;
  properties->sharedMemPerBlockOptin = settings.shared_bytes_per_block_optin;
  properties->sharedMemPerMultiprocessor = settings.shared_bytes_per_multiprocessor;
  properties->reservedSharedMemPerBlock = 1024;
  properties->totalConstMem = 65536;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = ask(cudaDevAttrMaxThreadsPerMultiProcessor);
  properties->maxBlocksPerMultiProcessor = settings.blocks_per_multiprocessor;
  properties->multiProcessorCount = settings.multiprocessors;
  properties->major = settings.compute_capability_major;
  properties->minor = settings.compute_capability_minor;
  properties->l2CacheSize = ask(cudaDevAttrL2CacheSize);
  properties->memoryBusWidth = ask(cudaDevAttrGlobalMemoryBusWidth);
  properties->clusterLaunch = ask(cudaDevAttrClusterLaunch);
  properties->concurrentKernels = properties->unifiedAddressing = properties->managedMemory = 1;
  properties->concurrentManagedAccess = properties->streamPrioritiesSupported = properties->memoryPoolsSupported = 1;
  const int block_limits[3] = {1024, 1024, 64}, grid_limits[3] = {0x7FFFFFFF, 65535, 65535};
  std::copy(block_limits, block_limits + 3, properties->maxThreadsDim);
  std::copy(grid_limits, grid_limits + 3, properties->maxGridSize);
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaDeviceSynchronize() {
  cuda_emulator::refuse_in_kernel("cudaDeviceSynchronize");
  return cuda_emulator::remember(cuda_emulator::refuse_while_capturing());
}

inline cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  if (version == nullptr) return cuda_emulator::remember(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
}
