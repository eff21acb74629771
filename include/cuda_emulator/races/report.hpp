// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which memory threads share, and what is said of a race or of an access that goes wrong by itself.
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
  unwritten_.reset();
  now_ = 0;
  strong_accesses_ = 0;
  last_left_ = last_right_ = last_joined_ = {};
  blocks_.clear();
  words_.clear();
  shadow_.clear();
}

// If all of the line is in [first, first + bytes) or in the guards on both sides: its other bytes may be anybody's.
inline void guard(line& l, std::uintptr_t line_address, std::uintptr_t first, std::size_t bytes, std::size_t guards) {
  if (line_address < first - guards || line_address + line_bytes > first + bytes + guards) return;
  l.is_watched = true;
  l.guards = guards_all;
}

inline line* detector::new_line(std::uintptr_t address, std::uint64_t key) {
  const undivided whole;
  line* const fresh = shadow_.add(key);
  scheduler_->visit_memory([&](const std::byte* first, std::size_t bytes) { fresh->share(address, first, bytes); });
  for (const auto& c : scheduler_->resident_)
    for (const auto& b : c->blocks) {
      const shared_block& own = b->dynamic_shared;
      const auto first = reinterpret_cast<std::uintptr_t>(own.data());
      if (own.bytes() == 0) continue;
      guard(*fresh, address, first, own.bytes(), shared_block::guard_bytes);
      fresh->share(address, own.data(), own.bytes(), true);
    }
  runtime_lock lock(runtime_mutex());
  auto near = allocations().upper_bound(address + line_bytes + allocation_guard_bytes);
  for (int i = 0; i < 2 && near != allocations().begin(); ++i) {
    --near;
    guard(*fresh, address, near->first, near->second.bytes, allocation_guard_bytes);
  }
  return fresh;
}

struct race_report {
  static std::string text_of(const detector& d, const scheduler& s, const access& a, const record& r, unsigned lane) {
    const actor other = r.group * 32 + lane;
    std::string result =
        text(what(a.kind, a.who), " of ", a.bytes, " bytes of ", place(d, s, a.address), ", ", relation(a, r),
             what(r.kind, other), " of ", length(r.extent), " bytes by ", name(d, other));
    // The store whose release would order both.
    const std::uint32_t same = r.stamp < known(a.by->not_told->seen, other) ? a.by->not_told_by : 0;
    const auto sites = describe_sites({d.calls_.places(a.site), d.calls_.places(r.site), d.calls_.places(same)});
    result += where("\n  this:    ", sites[0]) + where("\n  earlier: ", sites[1]);
    if (same != 0)
      result += where("\n  stale:   ", sites[2]) +
                "\n           stored what was there before; the thread has read that, which does not say when";
    return result;
  }
  static std::string text_of(const detector& d, const scheduler& s, const access& a, std::uintptr_t address) {
    return text(what(a.kind, a.who), " of ", a.bytes, " bytes of ", place(d, s, address));
  }
  static std::string at(const detector& d, std::uint32_t site) {
    return where("\n  at:      ", describe_sites({d.calls_.places(site)})[0]);
  }
  // In it, or in what guards it.
  static bool is_near(std::uintptr_t address, std::uintptr_t first, std::size_t bytes, std::size_t guards) {
    return address >= first - guards && address < first + bytes + guards;
  }
  static bool is_near(std::uintptr_t address, const shared_block& b) {
    return b.bytes() > 0 &&
           is_near(address, reinterpret_cast<std::uintptr_t>(b.data()), b.bytes(), shared_block::guard_bytes);
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
        const shared_block& own = b->dynamic_shared;
        const auto first = reinterpret_cast<std::uintptr_t>(own.data());
        if (is_near(address, own)) return text(own.bytes(), " bytes of dynamic shared memory", at(address, first));
      }
    runtime_lock lock(runtime_mutex());
    for (const auto& [first, a] : allocations())
      if (is_near(address, first, a.bytes, allocation_guard_bytes))
        return text("an allocation of ", a.bytes, " bytes", at(address, first));
    return d.space_of(address) != 0 ? "a __shared__ variable" : "a variable";
  }
  static std::string at(std::uintptr_t address, std::uintptr_t first) {
    return address < first ? text(", ", first - address, " bytes before it") : text(", at byte ", address - first);
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
template <class Text> void detector::tell(fault kind, std::uint32_t site, std::uint32_t other, Text text) {
  const undivided whole;
  if (scheduler_->unwinding()) return;
  const bool goes_on = scheduler_->rules().continue_after_races;
  if (goes_on && !told_.insert({site, other}).second) return;
  const std::string message = text();
  if (goes_on) {
    std::fprintf(stderr, "cuda_emulator: %s: %s\n", fault_name(kind),
                 report::describe(*scheduler_, *current_thread, message).c_str());
    return;
  }
  try {
    scheduler_->fail(kind, message);
  } catch (const error&) {}
}

[[gnu::noinline]] inline void detector::found(const access& a, const record& r, unsigned lane) {
  tell(fault::race, a.site, r.site, [&] { return race_report::text_of(*this, *scheduler_, a, r, lane); });
}

// `address` is the first byte outside.
[[gnu::noinline]] inline void detector::outside(const access& a, std::uintptr_t address) {
  const undivided whole;
  if (scheduler_->unwinding()) return;
  const char* note = "";
  const auto message = [&] {
    return race_report::text_of(*this, *scheduler_, a, address) + note + race_report::at(*this, a.site);
  };
  bool is_dynamic = false, is_global = false;
  for (const auto& c : scheduler_->resident_)
    for (const auto& b : c->blocks) is_dynamic |= race_report::is_near(address, b->dynamic_shared);
  {
    runtime_lock lock(runtime_mutex());
    for (const auto& [first, of] : allocations())
      is_global |= race_report::is_near(address, first, of.bytes, allocation_guard_bytes);
  }
  if (is_dynamic || is_global)
    return tell(is_dynamic ? fault::shared_memory : fault::out_of_bounds, a.site, a.site, message);
  note = " behind the __shared__ variables of the block";  // where the emulator's own may stand
  scheduler_->abandon(fault::out_of_bounds, message());
}

// Whoever writes it later, in a race with this read, is a better answer. So the launch goes on.
[[gnu::noinline]] inline void detector::unwritten(const access& a) {
  const undivided whole;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(a.address);
  if (unwritten_ || scheduler_->launch().allow_unwritten_reads || !scheduler_->rules().poison) return;
  if (bytes[0] != 0xFB && bytes[0] != 0x7F) return;
  for (std::size_t i = 1; i < a.bytes; ++i)  // code that the compiler has not announced may have written it
    if ((bytes[i - 1] ^ bytes[i]) != (0xFB ^ 0x7F)) return;
  const thread& t = *current_thread;
  unwritten_read read{
      race_report::text_of(*this, *scheduler_, a, a.address) + ", which nobody in the block has written", a.site,
      t.parent->index, t.index};
  if (scheduler_->rules().continue_after_races)
    tell(fault::uninitialised, a.site, a.site, [&] { return read.what + race_report::at(*this, a.site); });
  else unwritten_ = std::move(read);
}
inline std::exception_ptr detector::verdict() const {
  if (!unwritten_) return nullptr;
  const unwritten_read& r = *unwritten_;
  return std::make_exception_ptr(error(
      fault::uninitialised, r.what + race_report::at(*this, r.site) + report::thread_of(*scheduler_, r.block, r.thread),
      r.block, r.thread));
}

}  // namespace cuda_emulator::races
#endif
