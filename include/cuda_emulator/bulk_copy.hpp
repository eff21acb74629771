// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies from global to shared memory. They happen later, in random order, so a kernel that does not wait for them
// reads poison.
#pragma once

#include <cuda_emulator/barrier_object.hpp>
#include <cuda_emulator/runtime_memory.hpp>

namespace cuda_emulator {

namespace detail {

inline void check_bulk_copy(scheduler& s, const block& b, const void* target, const void* source, std::size_t bytes,
                            const void* barrier) {
  const auto misaligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 != 0; };
  if (misaligned(target)) s.fail(fault::bulk_copy, "the shared address is not aligned to 16 bytes");
  if (misaligned(source)) s.fail(fault::bulk_copy, "the global address is not aligned to 16 bytes");
  if (bytes == 0 || bytes % 16 != 0) s.fail(fault::bulk_copy, bytes, " bytes: not a positive multiple of 16");
  const auto* last = static_cast<const std::byte*>(target) + bytes - 1;
  if (!b.dynamic_shared.contains(target) || !b.dynamic_shared.contains(last))
    s.fail(fault::bulk_copy, "the target does not lie in the block's dynamic shared memory");
  if (!b.dynamic_shared.contains(barrier))  // static shared memory is swapped out while another block runs
    s.fail(fault::bulk_copy, "the barrier does not lie in the block's dynamic shared memory");
  if (!range_fits(source, bytes)) s.fail(fault::bulk_copy, "the source runs past the end of its allocation");
}

inline void deliver_bulk_copy(late_copy&& copy) {
  std::memcpy(copy.target, copy.source, copy.bytes);
  barrier_complete_bytes(*copy.owner, copy.barrier, static_cast<long long>(copy.bytes), copy.race);
}

}  // namespace detail

inline void bulk_copy_to_shared(void* target, const void* source, std::size_t bytes, void* barrier) {
  const undivided whole;
  thread& t = running_thread("bulk copy", 9);
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return;
  detail::check_bulk_copy(s, *t.parent, target, source, bytes, barrier);
  detail::record_of(*t.parent, barrier, "a bulk copy");
  s.deliver = &detail::deliver_bulk_copy;
  s.late_copies().push_back(
      {target, source, bytes, barrier, t.parent, races::bulk_copy_starts(t, target, source, bytes)});
}

}  // namespace cuda_emulator
