// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of 4, 8 or 16 bytes from global to shared memory. A thread starts them and waits for them, for all or for
// groups of them. At random, a copy happens at once or at the wait, so a kernel that does not wait, or that starts a
// copy while others still read the old bytes, reads wrong bytes.
#pragma once

#include <cuda_emulator/runtime_memory.hpp>
#include <cuda_emulator/warp_collective.hpp>

#include <algorithm>

namespace cuda_emulator {

inline void async_copy_to_shared(void* target, const void* source, std::size_t bytes = 16) {
  const undivided whole;
  thread& t = running_thread("asynchronous copy");
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return;
  const auto misaligned = [=](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % bytes != 0; };
  const std::string size = std::to_string(bytes) + " bytes";
  if (bytes != 4 && bytes != 8 && bytes != 16) s.fail(fault::async_copy, "a copy of " + size);
  if (misaligned(target)) s.fail(fault::async_copy, "the shared address is not aligned to " + size);
  if (misaligned(source)) s.fail(fault::async_copy, "the global address is not aligned to " + size);
  const auto& shared = t.parent->dynamic_shared;
  if (!shared.contains(target) || !shared.contains(static_cast<const std::byte*>(target) + bytes - 1))
    s.fail(fault::async_copy, "the target does not lie in the block's dynamic shared memory");
  if (!range_fits(source, bytes)) s.fail(fault::async_copy, "the source runs past the end of its allocation");
  races::copy_starts(t, target, source, bytes);
  const bool happens_now = s.coin();
  if (happens_now) std::memcpy(target, source, bytes);
  t.copies.push_back({target, source, happens_now ? 0 : bytes, t.closed_groups});
}

// Makes a group of the copies that the thread has started since the last one.
inline void close_async_copies() {
  const undivided whole;
  ++running_thread("close a group of asynchronous copies").closed_groups;
}

namespace detail {
// Those of groups before number `end`.
inline void wait_for_copies(thread& t, unsigned end) {
  std::size_t count = 0;
  for (; count < t.copies.size() && t.copies[count].group < end; ++count) {
    const own_copy& copy = t.copies[count];
    std::memcpy(copy.target, copy.source, copy.bytes);
  }
  t.copies.erase(t.copies.begin(), t.copies.begin() + static_cast<std::ptrdiff_t>(count));
  races::copies_end(t, count);
}
}  // namespace detail

// For all copies, whether their groups are closed or not.
inline void wait_async_copies() {
  const undivided whole;
  thread& t = running_thread("wait for asynchronous copies");
  detail::wait_for_copies(t, t.closed_groups + 1);
}
// For those of all closed groups but the last `pending`.
inline void wait_async_copies(unsigned pending) {
  const undivided whole;
  thread& t = running_thread("wait for groups of asynchronous copies");
  detail::wait_for_copies(t, t.closed_groups - std::min(pending, t.closed_groups));
}

}  // namespace cuda_emulator
