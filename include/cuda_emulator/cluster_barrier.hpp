// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread block clusters: ranks, the split barrier, and the shared memory of the cluster's other blocks.
#pragma once

#include <cuda_emulator/warp_collective.hpp>

namespace cuda_emulator {

namespace detail {

// An array: its address, by which waiting threads are known, is the same in all translation units.
inline constexpr char cluster_wait_name[] = "cluster_wait";

// Begins the next phase if all threads have arrived. Threads that have exited count as arrived, as in PTX.
inline void complete_cluster_phase(cluster& c) {
  if (c.arrived + c.exited_unarrived < c.thread_count) return;
  ++c.phase;
  races::completes(c.race);
  current_scheduler->step(*current_thread->home);
  c.arrived = 0;
  c.exited_unarrived = 0;
  for (const auto& b : c.blocks)
    for (thread& t : b->threads) {
      if (t.exited) ++c.exited_unarrived;
      if (t.waits_at == cluster_wait_name) {
        t.waits_at = nullptr;
        current_scheduler->wake(t);
      }
    }
}

}  // namespace detail

inline unsigned cluster_rank() { return running_thread("cluster_rank", 9).parent->cluster_rank; }
inline unsigned cluster_size() {
  return static_cast<unsigned>(running_thread("cluster_size", 9).parent->parent->blocks.size());
}

// `releases`: what the caller did before is ordered before what others do after they have waited.
inline void cluster_arrive(bool releases = true) {
  const undivided whole;
  thread& t = running_thread("cluster_arrive", 9);
  if (current_scheduler->unwinding()) return;
  if (t.arrived_at_cluster)
    current_scheduler->fail(fault::cluster_barrier, "a thread arrives twice without a wait between");
  cluster& c = *t.parent->parent;
  t.arrived_at_cluster = true;
  t.cluster_phase = c.phase;
  ++c.arrived;
  if (releases) races::arrives(c.race, t);
  detail::complete_cluster_phase(c);
}

inline void cluster_wait(const std::source_location& site = std::source_location::current()) {
  const undivided whole;
  thread& t = running_thread(detail::cluster_wait_name, 9);
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return s.park();
  if (!t.arrived_at_cluster) s.fail(fault::cluster_barrier, "a thread waits without having arrived");
  cluster& c = *t.parent->parent;
  t.arrived_at_cluster = false;
  if (c.phase == t.cluster_phase) {
    t.waits_at = detail::cluster_wait_name;
    t.waits_mask = 0;
    t.site = site;
    s.park();
  } else {
    s.maybe_yield();
  }
  if (!s.unwinding()) races::passes(c.race, t);
}

inline void cluster_thread_left(thread& t) {
  cluster& c = *t.parent->parent;
  if (!t.arrived_at_cluster || t.cluster_phase != c.phase) ++c.exited_unarrived;
  detail::complete_cluster_phase(c);
}

// The address in the shared memory of the cluster's block `rank` that corresponds to `local` in the caller's.
inline void* map_shared_rank(void* local, unsigned rank) {
  const undivided whole;
  thread& t = running_thread("map_shared_rank", 9);
  scheduler& s = *current_scheduler;
  const cluster& c = *t.parent->parent;
  const shared_block& own = t.parent->dynamic_shared;
  if (rank >= c.blocks.size()) s.fail(fault::usage, "map_shared_rank: the cluster has no block of rank ", rank);
  if (!own.contains(local))
    s.fail(fault::usage, "map_shared_rank: the address is not in this block's dynamic shared memory");
  const block& other = *c.blocks[rank];
  if (other.exited == other.thread_count)
    s.fail(fault::shared_memory, "map_shared_rank: the block has left, and its shared memory with it");
  return other.dynamic_shared.data() + (static_cast<std::byte*>(local) - own.data());
}

}  // namespace cuda_emulator
