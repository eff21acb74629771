// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the device can reach memory that a call got. To ask CUDA takes long beside a launch, so a thread asks once:
// for each 2 MiB of device memory, which lie in addresses that CUDA has reserved as a whole, and for each page of
// registered memory of the host. After some time it asks again. Builds with WARPFOLD_CHECKS ask each time; the emulator
// must, since its device memory is the host's.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <warpfold/host/device.cuh>
#include <warpfold/host/relaxed_capture.cuh>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The memory that the device has reached, of late: granules of device memory, pages of registered memory of the host.
class known_memory {
 public:
  constexpr bool has(std::uintptr_t address) const { return knows(granule_of(address)) || knows(page_of(address)); }
  constexpr void add_device(std::uintptr_t address) { keys_[place_of(granule_of(address))] = granule_of(address); }
  constexpr void add_host(std::uintptr_t address) { keys_[place_of(page_of(address))] = page_of(address); }

 private:
  static constexpr std::size_t places = 64;
  // Keys are even or odd, and no address of memory has the key 0.
  static constexpr std::uintptr_t granule_of(std::uintptr_t address) { return address >> 21 << 1 | 1; }
  static constexpr std::uintptr_t page_of(std::uintptr_t address) { return address >> 12 << 1; }
  static constexpr std::size_t place_of(std::uintptr_t key) { return (key ^ key >> 6 ^ key >> 12) % places; }
  constexpr bool knows(std::uintptr_t key) const { return keys_[place_of(key)] == key; }

  std::uintptr_t keys_[places] = {};
};

/// Whether the byte at `pointer` can be read here: the system says so, without a fault. True if it cannot be asked.
inline bool host_can_read(const void* pointer) {
  const void* volatile unknown = pointer;  // a compiler that knew the address would warn of the read
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return true;
  const bool is_read = ::write(ends[1], unknown, 1) == 1;
  (void)::close(ends[0]);
  (void)::close(ends[1]);
  return is_read;
}

/// Whether the current device reaches `pointer`, as far as that is known.
[[gnu::noinline]] inline bool is_reachable(const void* pointer) {
#if !WARPFOLD_CHECKS
  static thread_local constinit known_memory known;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (known.has(address)) return true;
#endif
  const relaxed_capture relaxed;
  cudaPointerAttributes attributes{};
  require_success(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
#if !WARPFOLD_CHECKS
  if (attributes.type == cudaMemoryTypeHost) known.add_host(address);
  else if (attributes.type != cudaMemoryTypeUnregistered) known.add_device(address);
#endif
  // Memory that is not registered can be reached where the device has the system's page tables. An address that the
  // host cannot read is not the host's: a graph under capture may allocate there later.
  return attributes.type != cudaMemoryTypeUnregistered ||
         device_attribute(cudaDevAttrPageableMemoryAccess, current_device()) || !host_can_read(pointer);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
