// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which memory threads share, and what is said of a race.
#pragma once

#include <cuda_emulator/polling.hpp>
#include <cuda_emulator/races/events.hpp>

#include <cstdio>

#if defined(CUDA_EMULATOR_RACES)

namespace cuda_emulator::races {

inline void detector::begin(scheduler& s) {
  scheduler_ = &s;
  reads_need_proxy_fences_ = s.rules().reads_need_proxy_fences;
  strong_writes_need_order_ = s.rules().strong_writes_need_order;
  without_barrier_ = named_line(s.rules().without_barrier);
  without_order_.name(s.rules().without_order);
  now_ = 0;
  strong_accesses_ = 0;
  last_left_ = last_right_ = last_joined_ = {};
  blocks_.clear();
  words_.clear();
  shadow_.clear();
}

inline line* detector::new_line(std::uintptr_t address, std::uint64_t key) {
  const undivided whole;
  line* const fresh = shadow_.add(key);
  scheduler_->visit_memory([&](const std::byte* first, std::size_t bytes) { fresh->share(address, first, bytes); });
  return fresh;
}

struct race_report {
  static std::string text_of(const detector& d, const scheduler& s, const access& a, const record& r, unsigned lane) {
    const actor other = r.group * 32 + lane;
    std::string result =
        text(what(a.kind, a.who), " of ", a.bytes, " bytes of ", place(d, s, a.address), ", ", relation(a, r),
             what(r.kind, other), " of ", length(r.extent), " bytes by ", name(d, other));
    const auto sites = describe_sites({d.calls_.places(a.site), d.calls_.places(r.site)});
    return result + where("\n  this:    ", sites[0]) + where("\n  earlier: ", sites[1]);
  }

 private:
  static unsigned length(std::uint8_t extent) { return (extent & 15u) == 15u ? 16u : extent & 15u; }
  static const char* what(std::uint8_t kind, actor who) {
    const bool is_write = (kind & writes) != 0;
    if ((kind & by_copy_engine) != 0) return is_write ? "write by a bulk copy" : "read by a bulk copy";
    if (!is_thread(who)) return is_write ? "write by an asynchronous copy" : "read by an asynchronous copy";
    if ((kind & both_ways) != 0) return "atomic";
    if ((kind & strong) != 0) return is_write ? "strong write" : "strong read";
    if ((kind & constant) != 0) return "read as a constant (ld.global.nc)";
    return is_write ? "write" : "read";
  }
  static const char* relation(const access& a, const record& r) {
    if (((a.kind | r.kind) & constant) != 0) return "in one kernel with an earlier ";
    if ((a.kind & r.kind & strong) != 0)
      return length(r.extent) == (a.bytes < 15 ? a.bytes : 16) ? "which may come before or after an unordered "
                                                               : "which is not one strong access with an unordered ";
    return "not ordered after an earlier ";
  }
  static std::string name(const detector& d, actor who) {
    const std::string in = text("block ", report::triple(d.blocks_[block_of(who)]));
    if (place_of(who) >= first_bulk) return in;
    const bool copies = place_of(who) >= first_copier;
    const actor rank = place_of(who) - (copies ? first_copier : first_thread);
    const dim3 shape = blockDim;
    const uint3 index{rank % shape.x, rank / shape.x % shape.y, rank / shape.x / shape.y};
    return text(in, ", thread ", report::triple(index));
  }
  static std::string place(const detector& d, const scheduler& s, std::uintptr_t address) {
    for (const auto& c : s.resident_)
      for (const auto& b : c->blocks) {
        const auto first = reinterpret_cast<std::uintptr_t>(b->dynamic_shared.data());
        if (b->dynamic_shared.contains(reinterpret_cast<const void*>(address)))
          return text("dynamic shared memory, at byte ", address - first);
      }
    runtime_lock lock(runtime_mutex());
    if (const auto* found = find_allocation(reinterpret_cast<const void*>(address)))
      return text("an allocation of ", found->second.bytes, " bytes, at byte ", address - found->first);
    return d.space_of(address) != 0 ? "a __shared__ variable" : "a variable";
  }
  static std::string where(const char* title, const std::vector<std::string>& lines) {
    std::string result;
    for (const std::string& line : lines) {
      result += title + line;
      title = "\n           in ";
    }
    return result;
  }
};

// The compiler takes its calls for ones that do not throw, so the thread goes on to its next call of the emulator.
[[gnu::noinline]] inline void detector::found(const access& a, const record& r, unsigned lane) {
  const undivided whole;
  if (scheduler_->unwinding()) return;
  const bool goes_on = scheduler_->rules().continue_after_races;
  if (goes_on && !told_.insert({a.site, r.site}).second) return;
  const std::string message = race_report::text_of(*this, *scheduler_, a, r, lane);
  if (goes_on) {
    std::fprintf(stderr, "cuda_emulator: %s: %s\n", fault_name(fault::race),
                 report::describe(*scheduler_, *current_thread, message).c_str());
    return;
  }
  try {
    scheduler_->fail(fault::race, message);
  } catch (const error&) {}
}

}  // namespace cuda_emulator::races
#endif
