// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the lanes of a mask meet. The last one to arrive computes all results and wakes the others.
#pragma once

#include <cuda_emulator/residency.hpp>
#include <cuda_emulator/switching.hpp>

#include <cstring>

namespace cuda_emulator {

// The running thread. Throws if `what` is called on the host.
inline thread& running_thread(const char* what) {
  if (current_thread == nullptr) throw error(fault::usage, text(what, " called outside a kernel"));
  return *current_thread;
}

// The same for functions that need a compute capability of `major` or newer.
inline thread& running_thread(const char* what, int major) {
  thread& t = running_thread(what);
  if (current_scheduler->rules().compute_capability_major < major)
    current_scheduler->fail(fault::usage, what, " needs compute capability ", major, ".0; the settings say ",
                            current_scheduler->rules().compute_capability_major);
  return t;
}

// Stops the kernel, as a GPU does, if `address` is not a multiple of `bytes`.
inline void require_aligned(const volatile void* address, std::size_t bytes, const char* what) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return;
  running_thread(what);
  current_scheduler->fail(fault::misaligned, what, ": the address is ",
                          reinterpret_cast<std::uintptr_t>(address) % bytes, " bytes past a multiple of ", bytes);
}

namespace detail {

// Finds the rendezvous of this mask, or opens one. Lanes that wait for one another with different masks would never
// meet, so this is an error.
[[gnu::noinline]] inline rendezvous& open_rendezvous(thread& t, unsigned mask, const collective& operation) {
  scheduler& s = *current_scheduler;
  warp& w = *t.home;
  const unsigned bit = 1u << t.lane;
  if ((mask & bit) == 0) s.fail(fault::lane_not_in_mask, operation.name, ": the mask does not name the calling lane");
  if ((mask & w.exited) != 0 && !s.rules().allow_exited_lanes)
    s.fail(fault::exited_lane, operation.name, ": the mask names a lane that has left the kernel");
  for (int i = 0; i < w.open_count; ++i) {
    rendezvous& r = w.open[i];
    if (r.mask == mask) {
      if (r.operation != &operation)
        s.fail(fault::mask_mismatch, "one mask, different intrinsics: ", r.operation->name, " and ", operation.name);
      return r;
    }
    if ((r.arrived & mask) != 0 && (r.mask & bit) != 0)
      s.fail(fault::mask_mismatch, operation.name, " and ", r.operation->name,
             ": lanes that wait for one another name different masks");
  }
  rendezvous& fresh = w.open[w.open_count++];
  fresh = {mask, 0, &operation};
  return fresh;
}

// The lanes to wait for. Lanes that the block does not have, or that have exited, are not among them.
inline unsigned awaited(const warp& w, unsigned mask) { return mask & w.existing & ~w.exited; }

inline void complete_rendezvous(warp& w, rendezvous& r) {
  const unsigned lanes = r.arrived;
  r.operation->complete(w, lanes);
  r = w.open[--w.open_count];
  current_scheduler->step(w);
  current_scheduler->wake(w, lanes);
}

}  // namespace detail

// Passes `value`, and for shuffles the lane `source` to read, to the other lanes. Returns the caller's result.
[[gnu::noinline]] inline std::uint64_t meet(const collective& operation, unsigned mask, std::uint64_t value,
                                            unsigned source, const std::source_location& site) {
  const undivided whole;
  thread& t = running_thread(operation.name);
  scheduler& s = *current_scheduler;
  warp& w = *t.home;
  if (s.unwinding()) return s.park(), 0;
  const unsigned bit = 1u << t.lane;
  const bool common = w.open_count == 1 && w.open[0].mask == mask && w.open[0].operation == &operation &&
                      (mask & bit) != 0 && w.exited == 0;
  t.waits_at = operation.name;
  t.waits_mask = mask;
  t.site = site;
  rendezvous& r = common ? w.open[0] : detail::open_rendezvous(t, mask, operation);
  w.value[t.lane] = value;
  w.source[t.lane] = static_cast<unsigned char>(source);
  r.arrived |= bit;
  if (r.arrived == detail::awaited(w, mask)) {
    const unsigned others = r.arrived & ~bit;
    operation.complete(w, r.arrived);
    r = w.open[--w.open_count];
    s.step(w);
    if (others != 0) s.wake(w, others);
    t.waits_at = nullptr;
    s.maybe_yield();
  } else {
    s.park_here();
  }
  return w.value[t.lane];
}

// Called when a lane leaves and allow_exited_lanes is set, since it may be the last lane that others wait for.
inline void release_rendezvous_without(thread& t) {
  warp& w = *t.home;
  for (int i = w.open_count - 1; i >= 0; --i)
    if (w.open[i].arrived == detail::awaited(w, w.open[i].mask)) detail::complete_rendezvous(w, w.open[i]);
}

}  // namespace cuda_emulator
