// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __syncthreads and its voting forms.
#pragma once

#include <cuda_emulator/warp_intrinsics.hpp>

#include <algorithm>

namespace cuda_emulator {

namespace detail {

inline const char* barrier_name(barrier_kind kind) {
  switch (kind) {
    case barrier_kind::plain: return "__syncthreads";
    case barrier_kind::any: return "__syncthreads_or";
    case barrier_kind::all: return "__syncthreads_and";
    case barrier_kind::count: return "__syncthreads_count";
  }
  return "__syncthreads";
}

inline bool same_site(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

inline void check_barrier(scheduler& s, const block& b, barrier_kind kind, const std::source_location& site) {
  if (b.exited > 0)
    s.fail(fault::divergent_barrier, barrier_name(kind), " after a thread of the block has left the kernel");
  if (b.barrier.arrived == 0) return;
  if (b.barrier.kind != kind)
    s.fail(fault::divergent_barrier, "threads meet at ", barrier_name(b.barrier.kind), " and at ", barrier_name(kind));
  if (s.rules().check_barrier_sites && !same_site(b.barrier.site, site))
    s.fail(fault::divergent_barrier, "threads meet at ", barrier_name(kind),
           " in different places: ", report::place(b.barrier.site), " and ", report::place(site));
}

}  // namespace detail

inline int meet_block(barrier_kind kind, bool predicate, const std::source_location& site) {
  const undivided whole;
  thread& t = running_thread(detail::barrier_name(kind));
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return s.park(), 0;
  block& b = *t.parent;
  block_barrier& barrier = b.barrier;
  t.waits_at = detail::barrier_name(kind);
  t.waits_mask = 0;
  t.site = site;
  detail::check_barrier(s, b, kind, site);
  barrier.kind = kind;
  barrier.site = site;
  barrier.true_count += predicate ? 1 : 0;
  if (++barrier.arrived < b.thread_count) {
    t.home->at_barrier |= 1u << t.lane;
    s.park();
    return barrier.result;
  }
  const unsigned count = barrier.true_count;
  barrier.result = kind == barrier_kind::any   ? count != 0
                   : kind == barrier_kind::all ? count == b.thread_count
                                               : static_cast<int>(count);
  barrier.arrived = barrier.true_count = 0;
  races::block_met(b);
  unsigned steps = ~0u;  // the fewest of any warp: while one warp only polls, the whole block waits for it
  for (const warp& w : b.warps) steps = std::min(steps, w.steps);
  for (warp& w : b.warps) {
    w.steps = steps;
    s.step(w);
    s.wake(w, w.at_barrier);
    w.at_barrier = 0;
  }
  t.waits_at = nullptr;
  const int result = barrier.result;
  s.maybe_yield();
  return result;
}

}  // namespace cuda_emulator

inline void __syncthreads(CUDA_EMULATOR_SITE) {
  cuda_emulator::meet_block(cuda_emulator::barrier_kind::plain, false, site);
}
inline int __syncthreads_or(int predicate, CUDA_EMULATOR_SITE) {
  return cuda_emulator::meet_block(cuda_emulator::barrier_kind::any, predicate != 0, site);
}
inline int __syncthreads_and(int predicate, CUDA_EMULATOR_SITE) {
  return cuda_emulator::meet_block(cuda_emulator::barrier_kind::all, predicate != 0, site);
}
inline int __syncthreads_count(int predicate, CUDA_EMULATOR_SITE) {
  return cuda_emulator::meet_block(cuda_emulator::barrier_kind::count, predicate != 0, site);
}
