// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of kernels, and their occupancy.
#pragma once

#include <cuda_emulator/runtime_error.hpp>
#include <cuda_emulator/symbols.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace cuda_emulator {

struct function_settings {
  int dynamic_shared_bytes = -1;  // -1: not set, so the default limit holds
  int carveout = -1;
  bool large_clusters = false;
};

inline std::map<const void*, function_settings>& function_table() {
  static std::map<const void*, function_settings> table;
  return table;
}

inline function_settings settings_of(const void* kernel) {
  runtime_lock lock(runtime_mutex());
  const auto found = function_table().find(kernel);
  return found == function_table().end() ? function_settings{} : found->second;
}

inline std::size_t most_dynamic_shared_bytes(const void* kernel) {
  const int asked = settings_of(kernel).dynamic_shared_bytes;
  return std::max(settings().shared_bytes_per_block, asked < 0 ? std::size_t{0} : static_cast<std::size_t>(asked));
}

inline unsigned most_cluster_blocks(const void* kernel) { return settings_of(kernel).large_clusters ? 16u : 8u; }

// The limits are the setting, 2048 threads, and shared memory, of which the system takes 1 KiB for each block.
inline int blocks_of_multiprocessor(unsigned block_threads, std::size_t shared_bytes) {
  const options& device = settings();
  const auto by_threads = static_cast<int>(2048 / ((block_threads + 31) / 32 * 32));
  const auto by_memory = static_cast<int>(device.shared_bytes_per_multiprocessor / (shared_bytes + 1024));
  return std::min({device.blocks_per_multiprocessor, by_threads, by_memory});
}

inline int resident_blocks_of_device(const void*, unsigned block_threads, std::size_t shared_bytes) {
  return std::max(1, settings().multiprocessors * blocks_of_multiprocessor(block_threads, shared_bytes));
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  namespace e = cuda_emulator;
  if (attributes == nullptr) return e::remember(cudaErrorInvalidValue);
  if (kernel == nullptr) return e::remember(cudaErrorInvalidDeviceFunction);
  const e::options& device = e::settings();
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->binaryVersion = attributes->ptxVersion =
      device.compute_capability_major * 10 + device.compute_capability_minor;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(e::most_dynamic_shared_bytes(kernel));
  attributes->preferredShmemCarveout = e::settings_of(kernel).carveout;
  attributes->nonPortableClusterSizeAllowed = e::settings_of(kernel).large_clusters;
  return cudaSuccess;
}

// The name stays valid, as the device runtime's does.
inline cudaError_t CUDARTAPI cudaFuncGetName(const char** name, const void* kernel) {
  namespace e = cuda_emulator;
  if (name == nullptr) return e::remember(cudaErrorInvalidValue);
  if (kernel == nullptr) return e::remember(cudaErrorInvalidDeviceFunction);
  e::runtime_lock lock(e::runtime_mutex());
  static std::map<const void*, std::string> names;
  std::string& own = names[kernel];
  if (own.empty()) own = e::symbol_of(kernel);
  if (own.empty()) return e::remember(cudaErrorInvalidDeviceFunction);
  *name = own.c_str();
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  namespace e = cuda_emulator;
  if (kernel == nullptr) return e::remember(cudaErrorInvalidDeviceFunction);
  e::runtime_lock lock(e::runtime_mutex());
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<std::size_t>(value) > e::settings().shared_bytes_per_block_optin)
        return e::remember(cudaErrorInvalidValue);
      e::function_table()[kernel].dynamic_shared_bytes = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return e::remember(cudaErrorInvalidValue);
      e::function_table()[kernel].carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      e::function_table()[kernel].large_clusters = value != 0;
      return cudaSuccess;
    default: return e::remember(cudaErrorNotSupported);
  }
}

inline cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                                           int block_threads, size_t shared_bytes) {
  namespace e = cuda_emulator;
  if (blocks == nullptr || kernel == nullptr || block_threads <= 0) return e::remember(cudaErrorInvalidValue);
  const bool fits = block_threads <= 1024 && shared_bytes <= e::most_dynamic_shared_bytes(kernel);
  *blocks = fits ? e::blocks_of_multiprocessor(static_cast<unsigned>(block_threads), shared_bytes) : 0;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                                                    int block_threads,
                                                                                    size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_threads, shared_bytes);
}

inline cudaError_t CUDARTAPI cudaOccupancyMaxActiveClusters(int* clusters, const void* kernel,
                                                            const cudaLaunchConfig_t* config) {
  namespace e = cuda_emulator;
  if (clusters == nullptr || kernel == nullptr || config == nullptr) return e::remember(cudaErrorInvalidValue);
  unsigned cluster_blocks = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
      cluster_blocks =
          config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y * config->attrs[i].val.clusterDim.z;
  if (cluster_blocks == 0 || cluster_blocks > e::most_cluster_blocks(kernel))
    return e::remember(cudaErrorInvalidClusterSize);
  int blocks = 0;
  const dim3 shape = config->blockDim;
  const cudaError_t code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, static_cast<int>(shape.x * shape.y * shape.z), config->dynamicSmemBytes);
  if (code == cudaSuccess) *clusters = blocks * e::settings().multiprocessors / static_cast<int>(cluster_blocks);
  return code;
}
}
