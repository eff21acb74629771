// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hardware's numbered barriers among some warps of a block: PTX's bar.sync and bar.arrive.
#pragma once

#include <cuda_emulator/warp_collective.hpp>

namespace cuda_emulator {

namespace detail {

// Returns whether the caller is the last of `threads`. If it is, this wakes the others.
inline bool arrive_at_named_barrier(thread& t, unsigned id, unsigned threads) {
  scheduler& s = *current_scheduler;
  const block& home = *t.parent;
  if (id == 0 || id > 15) s.fail(fault::usage, "named barrier ", id, ": there are 1 to 15");
  if (threads == 0 || threads % 32 != 0 || threads > (home.thread_count + 31) / 32 * 32)
    s.fail(fault::usage, "named barrier of ", threads, " threads: not a number of whole warps of the block");
  named_barrier_state& barrier = t.parent->named_barriers[id];
  if (barrier.arrived > 0 && barrier.threads != threads)
    s.fail(fault::divergent_barrier, "named barrier ", id, ": threads expect ", barrier.threads, " and ", threads);
  barrier.threads = threads;
  races::arrives(barrier.race, t);
  if (++barrier.arrived < threads) return false;
  barrier.arrived = 0;
  races::completes(barrier.race);
  s.step(*t.home);
  for (thread* w = std::exchange(barrier.waiting, nullptr); w != nullptr;) {
    thread* next = std::exchange(w->next_waiting, nullptr);
    races::passes(barrier.race, *w);
    s.wake(*w);
    w = next;
  }
  return true;
}

}  // namespace detail

// Waits until `threads` threads have called this or named_barrier_arrive for barrier `id`.
inline void named_barrier_sync(unsigned id, unsigned threads,
                               const std::source_location& site = std::source_location::current()) {
  const undivided whole;
  thread& t = running_thread("named barrier");
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return s.park();
  named_barrier_state& barrier = t.parent->named_barriers[id];
  if (detail::arrive_at_named_barrier(t, id, threads)) {
    races::passes(barrier.race, t);
    return s.maybe_yield();
  }
  t.next_waiting = barrier.waiting;
  barrier.waiting = &t;
  t.waits_at = "named barrier";
  t.waits_mask = 0;
  t.site = site;
  s.park();
}

// Arrives and does not wait.
inline void named_barrier_arrive(unsigned id, unsigned threads) {
  const undivided whole;
  thread& t = running_thread("named barrier");
  if (current_scheduler->unwinding()) return;
  detail::arrive_at_named_barrier(t, id, threads);
  current_scheduler->preempt();
}

}  // namespace cuda_emulator
