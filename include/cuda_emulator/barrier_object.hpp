// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier objects: 8 bytes of shared memory that count arrivals and copied bytes in each phase.
#pragma once

#include <cuda_emulator/warp_collective.hpp>

#include <bit>

namespace cuda_emulator {

namespace detail {

struct barrier_word {  // the 64 bits in shared memory
  std::uint64_t pending : 20;
  std::uint64_t expected : 20;
  std::int64_t bytes : 22;  // announced and not yet copied; negative if a copy is complete before it is announced
  std::uint64_t phase : 1;
  std::uint64_t valid : 1;
};
static_assert(sizeof(barrier_word) == 8);

inline constexpr unsigned most_arrivals = (1u << 20) - 1;
inline constexpr int most_bytes = (1 << 20) - 1;
inline constexpr const char* barrier_wait_name = "mbarrier wait";

inline barrier_object_record* find_record(block& b, const void* address) {
  for (barrier_object_record& record : b.barrier_objects)
    if (record.address == address) return &record;
  return nullptr;
}

// Searches all blocks of the cluster, since the barrier may be another block's.
inline barrier_object_record& record_of(block& near, const void* address, const char* what) {
  if (barrier_object_record* record = find_record(near, address)) return *record;
  for (const auto& b : near.parent->blocks)
    if (barrier_object_record* record = find_record(*b, address)) return *record;
  current_scheduler->fail(fault::barrier_object, what, " on a barrier that has not been initialised");
}

inline barrier_word load_word(const void* address) {
  barrier_word word;
  std::memcpy(&word, address, sizeof word);
  return word;
}

inline void store_word(barrier_object_record& record, barrier_word word) {
  const bool complete = word.pending == 0 && word.bytes == 0;
  if (complete) {
    word.phase ^= 1;
    word.pending = word.expected;
    races::completes(record.race);
  }
  std::memcpy(record.address, &word, sizeof word);
  if (!complete) return;
  for (thread* t = std::exchange(record.waiting, nullptr); t != nullptr;) {
    thread* next = std::exchange(t->next_waiting, nullptr);
    current_scheduler->wake(*t);
    t = next;
  }
}

// Values that fit, which -Wconversion cannot know.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
inline void set_bytes(barrier_word& word, long long bytes) { word.bytes = bytes; }
inline void set_arrivals(barrier_word& word, unsigned count) { word.pending = word.expected = count; }
#pragma GCC diagnostic pop

inline void change_bytes(barrier_word& word, long long bytes) {
  const long long sum = word.bytes + bytes;
  if (sum > most_bytes || sum < -most_bytes)
    current_scheduler->fail(fault::barrier_object, "the byte count of a barrier leaves its range of 2^20 - 1");
  set_bytes(word, sum);
}

}  // namespace detail

inline void barrier_init(void* address, unsigned count) {
  const undivided whole;
  thread& t = running_thread("mbarrier init");
  scheduler& s = *current_scheduler;
  block& b = *t.parent;
  if (reinterpret_cast<std::uintptr_t>(address) % 8 != 0) s.fail(fault::barrier_object, "init: not aligned to 8 bytes");
  if (count == 0 || count > detail::most_arrivals)
    s.fail(fault::barrier_object, "init: ", count, " arrivals; 1 to 2^20 - 1 can be counted");
  if (detail::find_record(b, address) != nullptr) s.fail(fault::barrier_object, "init of a barrier that is in use");
  b.barrier_objects.push_back({address, nullptr});
  races::plain(address, sizeof(detail::barrier_word), true);
  detail::barrier_word word{};
  detail::set_arrivals(word, count);
  word.valid = 1;
  std::memcpy(address, &word, sizeof word);
}

inline void barrier_invalidate(void* address) {
  const undivided whole;
  block& b = *running_thread("mbarrier invalidate").parent;
  barrier_object_record& record = detail::record_of(b, address, "invalidate");
  if (record.waiting != nullptr) current_scheduler->fail(fault::barrier_object, "invalidate while threads wait");
  races::plain(address, sizeof(detail::barrier_word), true);
  record = b.barrier_objects.back();
  b.barrier_objects.pop_back();
  fill_poison(address, sizeof(detail::barrier_word));
}

// Announces `bytes` of copies in this phase, and arrives once.
inline void barrier_arrive(void* address, long long bytes = 0) {
  const undivided whole;
  thread& t = running_thread("mbarrier arrive");
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return;
  s.preempt();
  s.step(*t.home);
  barrier_object_record& record = detail::record_of(*t.parent, address, "arrive");
  detail::barrier_word word = detail::load_word(address);
  detail::change_bytes(word, bytes);
  if (word.valid == 0 || word.pending == 0)
    s.fail(fault::barrier_object, "arrive: more arrivals than the barrier expects, or its memory was overwritten");
  --word.pending;
  races::strong_access(address, sizeof word, true, true, std::memory_order_relaxed, races::scope::device);
  races::arrives(record.race, t);
  detail::store_word(record, word);
}

inline void barrier_complete_bytes(block& near, void* address, long long bytes, const races::copy_state& copy) {
  barrier_object_record& record = detail::record_of(near, address, "a bulk copy");
  races::bulk_copy_ends(record.race, copy);
  detail::barrier_word word = detail::load_word(address);
  detail::change_bytes(word, -bytes);
  detail::store_word(record, word);
}

// Whether the phase of this parity is complete. The first phase has parity 0, the next one 1, then 0 again.
inline bool barrier_test(void* address, unsigned parity) {
  const undivided whole;
  thread& t = running_thread("mbarrier try_wait");
  const barrier_object_record& record = detail::record_of(*t.parent, address, "try_wait");
  races::strong_access(address, sizeof(detail::barrier_word), true, false, std::memory_order_relaxed,
                       races::scope::device);
  if (detail::load_word(address).phase == (parity & 1)) return false;
  races::passes(record.race, t);
  return true;
}

// Like barrier_test, but lets other threads run first. It may return false, as the hardware's does.
inline bool barrier_try_wait(void* address, unsigned parity) {
  const undivided whole;
  if (barrier_test(address, parity)) return true;
  current_scheduler->spin();
  return barrier_test(address, parity);
}

inline void barrier_wait(void* address, unsigned parity,
                         const std::source_location& site = std::source_location::current()) {
  const undivided whole;
  thread& t = running_thread(detail::barrier_wait_name);
  scheduler& s = *current_scheduler;
  if (s.unwinding()) return s.park();
  if (barrier_test(address, parity)) return s.maybe_yield();
  barrier_object_record& record = detail::record_of(*t.parent, address, "wait");
  t.next_waiting = record.waiting;
  record.waiting = &t;
  t.waits_at = detail::barrier_wait_name;
  t.waits_mask = 0;
  t.site = site;
  s.park();
  if (!s.unwinding()) races::passes(detail::record_of(*t.parent, address, "wait").race, t);
}

}  // namespace cuda_emulator
