// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory from a resource of the caller's, in the order of a stream. A resource has one of the shapes of the field.
#pragma once
#include <cstddef>
#include <warpfold/error.hpp>

namespace warpfold {

/// The resource of cudaMallocAsync: the current pool of the current device.
struct stream_ordered_memory {
  /// Allocates in the order of `stream`.
  void* allocate(cudaStream_t stream, std::size_t bytes, std::size_t) const {
    void* data = nullptr;
    require_success(cudaMallocAsync(&data, bytes, stream), "cudaMallocAsync");
    return data;
  }
  /// Gives back in the order of `stream`.
  void deallocate(cudaStream_t stream, void* data, std::size_t, std::size_t) const noexcept {
    (void)cudaFreeAsync(data, stream);
  }
};

namespace host_side {

inline constexpr std::size_t resource_alignment = 256;  // what every resource of device memory gives

/// allocate(stream, bytes, alignment), as resources of CCCL 3 have it; allocate_async(bytes, alignment, stream), of
/// CCCL 2; or allocate(bytes, stream), of RMM before.
template <class Resource> void* allocate_from(Resource& resource, cudaStream_t stream, std::size_t bytes) {
  if constexpr (requires { resource.allocate(stream, bytes, resource_alignment); })
    return resource.allocate(stream, bytes, resource_alignment);
  else if constexpr (requires { resource.allocate_async(bytes, resource_alignment, stream); })
    return resource.allocate_async(bytes, resource_alignment, stream);
  else return resource.allocate(bytes, stream);
}
template <class Resource>
void deallocate_to(Resource& resource, cudaStream_t stream, void* data, std::size_t bytes) noexcept {
  if constexpr (requires { resource.deallocate(stream, data, bytes, resource_alignment); })
    resource.deallocate(stream, data, bytes, resource_alignment);
  else if constexpr (requires { resource.deallocate_async(data, bytes, resource_alignment, stream); })
    resource.deallocate_async(data, bytes, resource_alignment, stream);
  else resource.deallocate(data, bytes, stream);
}

/// Whether a type is such a resource.
template <class Resource>
concept memory_resource = requires(Resource& resource, cudaStream_t stream, std::size_t bytes) {
  resource.allocate(stream, bytes, bytes);
}
|| requires(Resource& resource, cudaStream_t stream, std::size_t bytes) {
  resource.allocate_async(bytes, bytes, stream);
}
|| requires(Resource& resource, cudaStream_t stream, std::size_t bytes) { resource.allocate(bytes, stream); };

}  // namespace host_side
}  // namespace warpfold
