// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every host function checks before anything is written or launched. All of these throw std::invalid_argument, which names
// the function, the argument and the values.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <warpfold/host/device.cuh>
#include <warpfold/host/scratch.hpp>
#include <warpfold/options.hpp>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Debug builds look whether a pointer that kernels will follow is one the device can reach.
inline void check_device_pointer([[maybe_unused]] const char* function, [[maybe_unused]] const char* argument,
                                 [[maybe_unused]] const void* pointer) {
#if WARPFOLD_CHECKS
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  if (attributes.type == cudaMemoryTypeUnregistered &&
      !device_attribute(cudaDevAttrPageableMemoryAccess, current_device()))
    reject(function, std::string(argument) + " points to host memory that the device cannot reach");
#endif
}

inline void check_count(const char* function, std::int64_t count) {
  if (count < 0) reject(function, "count is " + std::to_string(count) + "; it must not be negative");
}

/// Checks a pointer argument: not null, and, in builds with WARPFOLD_CHECKS, within the device's reach.
template <class It> void check_pointer(const char* function, const char* argument, const It& it) {
  if constexpr (std::contiguous_iterator<It>) {
    const void* pointer = to_pointer(it);
    if (pointer == nullptr) reject(function, std::string(argument) + " is a null pointer");
    check_device_pointer(function, argument, pointer);
  }
}

inline void check_workspace(const char* function, std::span<std::byte> bytes, std::size_t needed) {
  if (bytes.size() < needed)
    reject(function, "workspace has " + std::to_string(bytes.size()) + " bytes; " + std::to_string(needed) +
                         " are needed (workspace_bytes)");
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % workspace_alignment != 0)
    reject(function, "workspace is not aligned to 128 bytes");
  check_device_pointer(function, "workspace", bytes.data());
}

}  // namespace v1
}  // namespace warpfold::host
