// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of 16 bytes from global to shared memory. A thread starts them and waits for them. At random, a copy happens
// at once or at the wait, so a kernel that does not wait, or that starts a copy while others still read the old bytes,
// reads wrong bytes.
#pragma once

#include <cuda_emulator/runtime_memory.hpp>
#include <cuda_emulator/warp_collective.hpp>

namespace cuda_emulator {

inline void async_copy_to_shared(void* target, const void* source) {
  const undivided whole;
  constexpr std::size_t bytes = 16;
  thread& t = running_thread("asynchronous copy");
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return;
  const auto misaligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % bytes != 0; };
  if (misaligned(target)) s.fail(fault::async_copy, "the shared address is not aligned to 16 bytes");
  if (misaligned(source)) s.fail(fault::async_copy, "the global address is not aligned to 16 bytes");
  const auto& shared = t.parent->dynamic_shared;
  if (!shared.contains(target) || !shared.contains(static_cast<const std::byte*>(target) + bytes - 1))
    s.fail(fault::async_copy, "the target does not lie in the block's dynamic shared memory");
  if (!range_fits(source, bytes)) s.fail(fault::async_copy, "the source runs past the end of its allocation");
  races::copy_starts(t, target, source);
  if (s.coin()) std::memcpy(target, source, bytes);
  else t.copies.push_back({target, source});
}

inline void wait_async_copies() {
  const undivided whole;
  thread& t = running_thread("wait for asynchronous copies");
  for (const own_copy& copy : t.copies) std::memcpy(copy.target, copy.source, 16);
  t.copies.clear();
  races::copies_end(t);
}

}  // namespace cuda_emulator
