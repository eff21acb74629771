// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events that the emulator tells the race detector. Without CUDA_EMULATOR_RACES there are none.
#pragma once

#include <cuda_emulator/execution.hpp>
#include <cuda_emulator/races/scope.hpp>
#include <cuda_emulator/undivided.hpp>

#include <atomic>
#include <exception>

#if defined(CUDA_EMULATOR_RACES)
#include <cuda_emulator/races/detector.hpp>
#endif

namespace cuda_emulator::races {

#if defined(CUDA_EMULATOR_RACES)
inline void launch_begins(scheduler& s) {
  current = &detector_of_this_thread();
  current->begin(s);
}
inline void launch_ends() {
  current->end();
  current = nullptr;
}
inline std::exception_ptr verdict() { return current->verdict(); }
inline void block_begins(block& b) { current->block_begins(b); }
inline void variables_entered(const static_variables& variables) { current->enter_variables(variables); }

namespace detail {

// The clock of all who meet, with nobody but the caller owning it.
class meeting {
 public:
  void take(thread_state& t) {
    all_.join(t.known);
    t.known = {};
  }
  clock_ref& all() { return all_; }

 private:
  clock_ref all_;
};

inline std::uint32_t site(const thread& t, const void* place) { return current->calls().child(t.race.calls, place); }

inline void judge(thread& t, const void* address, std::size_t bytes, unsigned kind, const void* place) {
  current->take({reinterpret_cast<std::uintptr_t>(address), bytes, static_cast<std::uint8_t>(kind), site(t, place),
                 &t.race, t.race.who, t.race.stamp});
}

}  // namespace detail

// __syncwarp orders memory; shuffles, votes and reductions do not.
inline void lanes_met(warp& w, unsigned lanes) {
  if (current->leaves_out(w.lanes[std::countr_zero(lanes)].site)) return;
  detail::meeting met;
  for (unsigned left = lanes; left != 0; left &= left - 1) met.take(w.lanes[std::countr_zero(left)].race);
  const instant now = current->next_instant();
  entries& seen = met.all().own().seen;
  const actor first = w.lanes[0].race.who;
  if (lanes == w.existing) join(seen, entry{warp_of(first), now});
  else
    for (unsigned left = lanes; left != 0; left &= left - 1)
      join(seen, entry{first + static_cast<actor>(std::countr_zero(left)), now});
  const instant of_block = entry_of(seen, whole_block(first)), of_warp = entry_of(seen, warp_of(first));
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    thread_state& t = w.lanes[std::countr_zero(left)].race;
    t.known = met.all();
    t.block_known = of_block;
    t.warp_known = of_warp;
    t.stamp = now;
  }
}
inline void block_met(block& b) {
  if (current->leaves_out(b.barrier.site)) return;
  detail::meeting met;
  for (thread& t : b.threads) met.take(t.race);
  const instant now = current->next_instant();
  join(met.all().own().seen, entry{b.race.first_actor, now});
  for (thread& t : b.threads) {
    t.race.known = met.all();
    t.race.block_known = now;
    t.race.warp_known = 0;
    t.race.stamp = now;
  }
}

// A barrier at which threads arrive, by release, and which others pass, by acquire.
[[gnu::noinline]] inline void arrives(barrier_state& barrier, thread& t) {
  if (current->releases_nothing(detail::site(t, __builtin_return_address(0)))) return;
  const instant before = t.race.stamp;
  barrier.arrivals.add(current->release(t.race), before);
}
inline void completes(barrier_state& barrier) { barrier.completed = barrier.arrivals.finish(); }
[[gnu::noinline]] inline void passes(const barrier_state& barrier, thread& t) {
  if (current->acquires_nothing(detail::site(t, __builtin_return_address(0)))) return;
  current->acquire(t.race, barrier.completed);
}

[[gnu::noinline]] inline void plain(const void* address, std::size_t bytes, bool is_write) {
  const undivided whole;
  if (current_thread != nullptr)
    detail::judge(*current_thread, address, bytes, is_write ? writes : 0u, __builtin_return_address(0));
}
[[gnu::noinline]] inline void constant_load(const void* address, std::size_t bytes) {
  const undivided whole;
  if (current_thread != nullptr) detail::judge(*current_thread, address, bytes, constant, __builtin_return_address(0));
}

// A strong access, when it happens.
inline void strong_access_at(const volatile void* address, std::size_t bytes, bool reads, bool is_write,
                             std::memory_order order, scope reach, const void* place, bool is_exchange = false) {
  thread& t = *current_thread;
  const void* const at = const_cast<const void*>(address);
  const unsigned kind = strong | (is_write ? writes : 0u) | (reads && is_write ? both_ways : 0u) |
                        (reach == scope::block ? within_block : 0u) | (is_exchange ? replaces : 0u);
  const access what{reinterpret_cast<std::uintptr_t>(at),
                    bytes,
                    static_cast<std::uint8_t>(kind),
                    detail::site(t, place),
                    &t.race,
                    t.race.who,
                    t.race.stamp};
  current->take(what);
  bool acquires = order != std::memory_order_relaxed && order != std::memory_order_release;
  bool releases =
      order != std::memory_order_relaxed && order != std::memory_order_acquire && order != std::memory_order_consume;
  acquires = acquires && !current->acquires_nothing(what.site);
  releases = releases && !current->releases_nothing(what.site);
  if (reads) current->load(t.race, at, bytes, acquires, reach);
  if (is_write) current->store(t.race, what, releases, reach, reads);
}
[[gnu::noinline]] inline void strong_access(const volatile void* address, std::size_t bytes, bool reads, bool is_write,
                                            std::memory_order order, scope reach, bool is_exchange = false) {
  const undivided whole;
  if (current_thread != nullptr)
    strong_access_at(address, bytes, reads, is_write, order, reach, __builtin_return_address(0), is_exchange);
}
[[gnu::noinline]] inline void fence(std::memory_order order, scope reach) {
  const undivided whole;
  if (current_thread == nullptr) return;
  const std::uint32_t site = detail::site(*current_thread, __builtin_return_address(0));
  const bool acquires = order != std::memory_order_release && !current->acquires_nothing(site);
  const bool releases = order != std::memory_order_acquire && !current->releases_nothing(site);
  current->fence(current_thread->race, acquires, releases, reach);
}
[[gnu::noinline]] inline void proxy_fence() {
  const undivided whole;
  if (current->releases_nothing(detail::site(*current_thread, __builtin_return_address(0)))) return;
  current->fence_proxy(current_thread->race);
}

// Bulk copies belong to another proxy: of what ordinary accesses did, they see what a proxy fence has passed on.
[[gnu::noinline]] inline copy_state bulk_copy_starts(thread& t, const void* target, const void* source,
                                                     std::size_t bytes) {
  block& b = *t.parent;
  const actor who = b.race.first_actor + first_bulk + b.race.bulk_copies++ % bulk_slots;
  const instant stamp = current->next_instant();
  const std::uint32_t site = detail::site(t, __builtin_return_address(0));
  const auto at = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  current->take({at(source), bytes, by_copy_engine, site, &t.race, who, stamp});
  current->take({at(target), bytes, by_copy_engine | writes, site, &t.race, who, stamp});
  return {{{}, who, current->next_instant()}};
}
inline void bulk_copy_ends(barrier_state& barrier, const copy_state& copy) { barrier.arrivals.add(copy.own, 0); }

// Asynchronous copies of a thread: ordered after what the thread did, and before what it does after it has waited.
[[gnu::noinline]] inline void copy_starts(thread& t, void* target, const void* source, std::size_t bytes) {
  const actor who = t.race.who - first_thread + first_copier;
  const instant stamp = current->next_instant();
  const std::uint32_t site = detail::site(t, __builtin_return_address(0));
  const auto at = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  current->take({at(source), bytes, 0, site, &t.race, who, stamp});
  current->take({at(target), bytes, writes, site, &t.race, who, stamp});
  t.race.copies.push_back({target, source, bytes, stamp});
}
// The first `count` of those that have not ended.
[[gnu::noinline]] inline void copies_end(thread& t, std::size_t count) {
  auto& copies = t.race.copies;
  t.race.copies_known = count < copies.size() ? copies[count].stamp : current->next_instant();
  for (std::size_t i = 0; i < count; ++i) {  // from now on, they are the thread's own accesses
    detail::judge(t, copies[i].source, copies[i].bytes, 0, __builtin_return_address(0));
    detail::judge(t, copies[i].target, copies[i].bytes, writes, __builtin_return_address(0));
  }
  copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(count));
}
#else
inline void launch_begins(scheduler&) {}
inline void launch_ends() {}
inline std::exception_ptr verdict() { return nullptr; }
inline void block_begins(block&) {}
inline void variables_entered(const static_variables&) {}
inline void lanes_met(warp&, unsigned) {}
inline void block_met(block&) {}
inline void arrives(barrier_state&, thread&) {}
inline void completes(barrier_state&) {}
inline void passes(const barrier_state&, thread&) {}
inline void plain(const void*, std::size_t, bool) {}
inline void constant_load(const void*, std::size_t) {}
inline void strong_access(const volatile void*, std::size_t, bool, bool, std::memory_order, scope, bool = false) {}
inline void fence(std::memory_order, scope) {}
inline void proxy_fence() {}
inline copy_state bulk_copy_starts(thread&, const void*, const void*, std::size_t) { return {}; }
inline void bulk_copy_ends(barrier_state&, const copy_state&) {}
inline void copy_starts(thread&, void*, const void*, std::size_t) {}
inline void copies_end(thread&, std::size_t) {}
#endif

}  // namespace cuda_emulator::races
