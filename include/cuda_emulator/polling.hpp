// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides when polling threads are a deadlock.
//
// Many polls may pass while another thread computes. Therefore a deadlock is reported only if, during all of them,
// - no block began, no thread ended and no bulk copy arrived;
// - no warp met, or read new memory, more than a few hundred times between two polls of its own;
// - memory stayed as it was.
// Polls that change memory themselves, for example by counting, are reported after many more.
#pragma once

#include <cuda_emulator/runtime_memory.hpp>

namespace cuda_emulator {

namespace detail {

// FNV-1a (Fowler, Noll, Vo) over words. It also reads the gaps that AddressSanitizer leaves between
// variables.
[[gnu::no_sanitize_address]] inline std::uint64_t hash_bytes(std::uint64_t hash, const std::byte* p,
                                                             std::size_t bytes) {
  using word [[gnu::may_alias]] = std::uint64_t;
  constexpr std::uint64_t prime = 0x100000001b3u;
  const std::byte* const end = p + bytes;
  for (; p < end && reinterpret_cast<std::uintptr_t>(p) % sizeof(word) != 0; ++p)
    hash = (hash ^ static_cast<unsigned char>(*p)) * prime;
  for (; end - p >= static_cast<std::ptrdiff_t>(sizeof(word)); p += sizeof(word)) {
    hash = (hash ^ *reinterpret_cast<const word*>(p)) * prime;
    hash ^= hash >> 32;
  }
  for (; p < end; ++p) hash = (hash ^ static_cast<unsigned char>(*p)) * prime;
  return hash;
}

}  // namespace detail

// Calls visit(first byte, bytes) for all memory that the kernel's threads share.
template <class Visit> void scheduler::visit_memory(Visit visit) {
  {
    runtime_lock lock(runtime_mutex());
    for (const auto& [address, a] : allocations()) visit(reinterpret_cast<const std::byte*>(address), a.bytes);
  }
  if (variables_.empty()) variables_ = variables_of_module(launch_.kernel);
  for (const memory_range& range : variables_) visit(range.first, range.bytes);
  for (const auto& c : resident_)
    for (const auto& b : c->blocks) {
      if (b->exited == b->thread_count) continue;
      visit(b->dynamic_shared.data(), b->dynamic_shared.bytes());
      b->images.visit(b.get() == last_block_, visit);
    }
}

inline std::uint64_t scheduler::fingerprint() {
  std::uint64_t hash = 0xcbf29ce484222325u;
  visit_memory([&](const std::byte* first, std::size_t bytes) { hash = detail::hash_bytes(hash, first, bytes); });
  return hash;
}

// Called every 1024 interrupts and polls.
[[gnu::noinline]] inline void scheduler::look_for_deadlock() {
  constexpr std::uint64_t patience = 64;  // how much longer polls may go on if they change memory
  const bool alone = running_launches().load(std::memory_order_relaxed) <= 1;
  if (!alone) std::this_thread::yield();  // the caller may wait for a kernel on another host thread
  if (resident_target_ < resident_most_ && admitted_ < cluster_total_) {
    ++resident_target_;
    return admit();
  }
  const std::uint64_t limit = options_.spin_limit * (alone ? 1 : 64);
  if (idle_polls_ >= limit / 2) {
    const std::uint64_t now = fingerprint();
    if (fingerprint_ == now)
      fail(fault::deadlock, "every thread that can run only spins, and no further block fits on the device");
    fingerprint_ = now;
    idle_polls_ = 0;
  }
  if (spins_ >= patience * limit)
    fail(fault::deadlock,
         "every thread that can run only spins, though memory changes; options::spin_limit says when to give up");
}

}  // namespace cuda_emulator
