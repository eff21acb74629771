// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device, pinned and managed memory. Each is an ordinary allocation of exactly the size asked for, so that
// AddressSanitizer finds overruns and use after free.
#pragma once

#include <cuda_emulator/runtime_stream.hpp>

#include <algorithm>
#include <map>

namespace cuda_emulator {

struct allocation {
  std::size_t bytes;
  cudaMemoryType type;
  int device;  // whose memory it is, or that was current when it was allocated
};

inline std::map<std::uintptr_t, allocation>& allocations() {
  static std::map<std::uintptr_t, allocation> table;
  return table;
}

inline std::size_t used_device_bytes(int device) {
  runtime_lock lock(runtime_mutex());
  std::size_t bytes = 0;
  for (const auto& [address, a] : allocations())
    if (a.type != cudaMemoryTypeHost && a.device == device) bytes += a.bytes;
  return bytes;
}

// Where plain accesses are judged (races/), nobody's bytes stand on both sides of an allocation.
#if defined(CUDA_EMULATOR_RACES)
inline constexpr std::size_t allocation_guard_bytes = 256;
#else
inline constexpr std::size_t allocation_guard_bytes = 0;
#endif

inline cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemoryType type, int device = current_device()) {
  constexpr std::size_t alignment_bytes = 256;
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const bool on_device = type != cudaMemoryTypeHost;
  if (on_device && bytes > settings().device_bytes - std::min(settings().device_bytes, used_device_bytes(device)))
    return cudaErrorMemoryAllocation;
  if (bytes > (std::size_t{1} << 46) ||
      posix_memalign(pointer, alignment_bytes, bytes + 2 * allocation_guard_bytes) != 0)
    return cudaErrorMemoryAllocation;
  *pointer = static_cast<std::byte*>(*pointer) + allocation_guard_bytes;
  if (settings().poison) fill_poison(*pointer, bytes);
  runtime_lock lock(runtime_mutex());
  allocations()[reinterpret_cast<std::uintptr_t>(*pointer)] = {bytes, type, device};
  return cudaSuccess;
}

inline cudaError_t release(void* pointer, bool host) {
  if (pointer == nullptr) return cudaSuccess;
  runtime_lock lock(runtime_mutex());
  const auto found = allocations().find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == allocations().end() || (found->second.type == cudaMemoryTypeHost) != host) return cudaErrorInvalidValue;
  allocations().erase(found);
  std::free(static_cast<std::byte*>(pointer) - allocation_guard_bytes);
  return cudaSuccess;
}

// Null if the runtime did not allocate this memory.
inline const std::pair<const std::uintptr_t, allocation>* find_allocation(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto after = allocations().upper_bound(address);
  if (after == allocations().begin()) return nullptr;
  --after;
  return address < after->first + after->second.bytes ? &*after : nullptr;
}

// Whether [p, p + bytes) lies in one allocation. True for memory that the runtime did not allocate.
inline bool range_fits(const void* p, std::size_t bytes) {
  runtime_lock lock(runtime_mutex());
  const auto* found = find_allocation(p);
  return found == nullptr || bytes <= found->first + found->second.bytes - reinterpret_cast<std::uintptr_t>(p);
}

inline bool direction_fits(const void* target, const void* source, cudaMemcpyKind kind) {
  runtime_lock lock(runtime_mutex());
  const auto on_device = [](const void* p) {
    const auto* found = find_allocation(p);
    return found != nullptr && found->second.type == cudaMemoryTypeDevice;
  };
  switch (kind) {  // a host pointer may be a symbol's address, so only device memory in the host's place is an error
    case cudaMemcpyHostToHost: return !on_device(target) && !on_device(source);
    case cudaMemcpyHostToDevice: return !on_device(source);
    case cudaMemcpyDeviceToHost: return !on_device(target);
    default: return true;
  }
}

inline cudaError_t copy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (target == nullptr || source == nullptr || !range_fits(target, bytes) || !range_fits(source, bytes))
    return remember(cudaErrorInvalidValue);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault || !direction_fits(target, source, kind))
    return remember(cudaErrorInvalidMemcpyDirection);
  return submit(stream, [=] { std::memcpy(target, source, bytes); });
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaMalloc(void** pointer, size_t bytes) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaMalloc");
  if (const cudaError_t code = e::refuse_while_capturing(); code != cudaSuccess) return e::remember(code);
  return e::remember(e::allocate(pointer, bytes, cudaMemoryTypeDevice));
}
inline cudaError_t CUDARTAPI cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaMallocManaged");
  if (const cudaError_t code = e::refuse_while_capturing(); code != cudaSuccess) return e::remember(code);
  return e::remember(e::allocate(pointer, bytes, cudaMemoryTypeManaged));
}
inline cudaError_t CUDARTAPI cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaHostAlloc");
  if (const cudaError_t code = e::refuse_while_capturing(); code != cudaSuccess) return e::remember(code);
  return e::remember(e::allocate(pointer, bytes, cudaMemoryTypeHost));
}
inline cudaError_t CUDARTAPI cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

inline cudaError_t CUDARTAPI cudaFree(void* pointer) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaFree");
  if (const cudaError_t code = e::refuse_while_capturing(); code != cudaSuccess) return e::remember(code);
  return e::remember(e::release(pointer, false));
}
inline cudaError_t CUDARTAPI cudaFreeHost(void* pointer) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaFreeHost");
  if (const cudaError_t code = e::refuse_while_capturing(); code != cudaSuccess) return e::remember(code);
  return e::remember(e::release(pointer, true));
}

// Under capture the graph owns the memory. Its address is fixed, and each replay poisons it again.
inline cudaError_t CUDARTAPI cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaMallocAsync");
  e::runtime_lock lock(e::runtime_mutex());
  e::stream_object* on = e::find_stream(stream);
  if (on == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t code = e::remember(e::allocate(pointer, bytes, cudaMemoryTypeDevice, on->device));
      code != cudaSuccess)
    return code;
  if (on->capturing == nullptr) return cudaSuccess;
  void* owned = *pointer;
  on->capturing->graph->memory.emplace_back(owned, [](void* p) { e::release(p, false); });
  return e::submit(stream, [=, poison = e::settings().poison] {
    if (poison) e::fill_poison(owned, bytes);
  });
}
inline cudaError_t CUDARTAPI cudaFreeAsync(void* pointer, cudaStream_t stream) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaFreeAsync");
  e::runtime_lock lock(e::runtime_mutex());
  const e::stream_object* on = e::find_stream(stream);
  if (on == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  if (on->capturing == nullptr) return e::remember(e::release(pointer, false));
  for (const auto& owned : on->capturing->graph->memory)
    if (owned.get() == pointer) return e::submit(stream, [] {});
  return e::remember(cudaErrorInvalidValue);
}

inline cudaError_t CUDARTAPI cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind,
                                             cudaStream_t stream) {
  return cuda_emulator::copy(target, source, bytes, kind, stream);
}
inline cudaError_t CUDARTAPI cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
  return cuda_emulator::copy(target, source, bytes, kind, nullptr);
}
// Copies between devices need no peer access: without, they go through host memory.
inline cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device,
                                                 size_t bytes, cudaStream_t stream) {
  namespace e = cuda_emulator;
  if (!e::is_device(target_device) || !e::is_device(source_device)) return e::remember(cudaErrorInvalidDevice);
  return e::copy(target, source, bytes, cudaMemcpyDeviceToDevice, stream);
}
inline cudaError_t CUDARTAPI cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device,
                                            size_t bytes) {
  return cudaMemcpyPeerAsync(target, target_device, source, source_device, bytes, nullptr);
}
inline cudaError_t CUDARTAPI cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (target == nullptr || !cuda_emulator::range_fits(target, bytes))
    return cuda_emulator::remember(cudaErrorInvalidValue);
  return cuda_emulator::submit(stream, [=] { std::memset(target, value, bytes); });
}
inline cudaError_t CUDARTAPI cudaMemset(void* target, int value, size_t bytes) {
  return cudaMemsetAsync(target, value, bytes, nullptr);
}

// `__device__` and `__constant__` variables are ordinary variables here.
inline cudaError_t CUDARTAPI cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                                                cudaMemcpyKind) {
  return cuda_emulator::copy(static_cast<char*>(const_cast<void*>(symbol)) + offset, source, bytes, cudaMemcpyDefault,
                             nullptr);
}
inline cudaError_t CUDARTAPI cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset,
                                                  cudaMemcpyKind) {
  return cuda_emulator::copy(target, static_cast<const char*>(symbol) + offset, bytes, cudaMemcpyDefault, nullptr);
}
inline cudaError_t CUDARTAPI cudaGetSymbolAddress(void** pointer, const void* symbol) {
  *pointer = const_cast<void*>(symbol);
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  namespace e = cuda_emulator;
  if (attributes == nullptr) return e::remember(cudaErrorInvalidValue);
  e::runtime_lock lock(e::runtime_mutex());
  *attributes = {};
  attributes->device = -2;  // CUDA's value for memory that it does not know
  attributes->hostPointer = const_cast<void*>(pointer);
  if (const auto* found = e::find_allocation(pointer)) {
    attributes->type = found->second.type;
    attributes->device = found->second.device;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (found->second.type == cudaMemoryTypeDevice) attributes->hostPointer = nullptr;
  }
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  namespace e = cuda_emulator;
  *total_bytes = e::settings().device_bytes;
  *free_bytes = *total_bytes - std::min(*total_bytes, e::used_device_bytes(e::current_device()));
  return cudaSuccess;
}
}
