// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges the accesses of a launch: two of the same byte, one of them a write, must be ordered by what the memory model
// of PTX orders, or both be strong. The order in which the emulator happens to run threads does not count.
#pragma once

#include <cuda_emulator/undivided.hpp>

#if defined(CUDA_EMULATOR_RACES)
#include <cuda_emulator/execution.hpp>
#include <cuda_emulator/races/rules.hpp>
#include <cuda_emulator/races/sites.hpp>
#include <cuda_emulator/races/strong_words.hpp>
#include <cuda_emulator/races/without_order.hpp>

#include <optional>
#include <set>
#include <source_location>

namespace cuda_emulator {
namespace races {

struct race_report;

class detector {
 public:
  void begin(scheduler& s);
  void end() { scheduler_ = nullptr; }
  // What is held against a launch in which no other fault was found, or null.
  std::exception_ptr verdict() const;

  instant next_instant() { return ++now_; }
  call_tree& calls() { return calls_; }

  // Whether options::without_barrier names the place, by the end of its path and its line.
  bool leaves_out(const std::source_location& place) {
    const bool result = without_barrier_.is(place.file_name(), place.line());
    if (result && !std::exchange(barrier_left_out_, true))
      std::fprintf(stderr, "cuda_emulator: no order at %.*s:%lu\n", static_cast<int>(without_barrier_.file.size()),
                   without_barrier_.file.data(), without_barrier_.line);
    return result;
  }
  // Whether options::without_order names the place.
  CUDA_EMULATOR_INLINE bool acquires_nothing(std::uint32_t site) { return without_order_.acquires(calls_, site); }
  CUDA_EMULATOR_INLINE bool releases_nothing(std::uint32_t site) { return without_order_.releases(calls_, site); }

  // ---- accesses ---------------------------------------------------------------------------------------------------

  CUDA_EMULATOR_UNSEEN void take(const access& a) {
    std::uintptr_t address = a.address;
    bool is_fresh = true;  // nobody has written any of these bytes of shared memory
    for (std::size_t left = a.bytes; left > 0;) {
      const std::size_t past = address % 8, here = left < 8 - past ? left : 8 - past;
      line* const l = line_of(address);
      if (l->is_watched) {
        const std::size_t w = address % line_bytes / 8;
        const auto all = static_cast<std::uint8_t>(((1u << here) - 1) << past);
        const auto bytes = static_cast<std::uint8_t>(all & l->shared[w]);
        if (bytes != all && (l->guards & ((a.kind & writes) != 0 ? guards_writes : guards_reads)) != 0)
          return outside(a, address);
        is_fresh = is_fresh && bytes != 0 && (bytes & ~l->unwritten[w]) == 0;
        if ((a.kind & writes) != 0) l->unwritten[w] &= static_cast<std::uint8_t>(~bytes);
        if (bytes != 0) take(l->words[w], a, bytes, extent_of(a, address));
      } else {
        is_fresh = false;
      }
      address += here;
      left -= here;
    }
    if (is_fresh && (a.kind & (writes | both_ways)) != writes) unwritten(a);
  }

  // ---- memory -----------------------------------------------------------------------------------------------------

  // The block begins. Nobody has used its memory.
  void block_begins(block& b) {
    b.race.first_actor = static_cast<actor>(blocks_.size()) % (1u << 20) * actors_per_block;
    b.race.bulk_copies = 0;
    blocks_.push_back(b.index);
    for (thread& t : b.threads) {
      t.race.who = b.race.first_actor + first_thread + t.rank;
    }
    if (b.dynamic_shared.bytes() == 0) return;
    const auto first = reinterpret_cast<std::uintptr_t>(b.dynamic_shared.data());
    for (std::uintptr_t p = first / line_bytes * line_bytes; p < first + b.dynamic_shared.bytes(); p += line_bytes)
      if (line* l = shadow_.find(shadow::key_of(p, 0))) shadow::begin_again(*l);
  }
  // The running block uses these variables for the first time.
  void enter_variables(const static_variables& variables) {
    for (const static_variable& v : variables) {
      const auto first = reinterpret_cast<std::uintptr_t>(v.address);
      if (first < variables_begin_) variables_begin_ = first;
      if (first + v.bytes > variables_end_) variables_end_ = first + v.bytes;
    }
    for (const static_variable& v : variables) {
      const auto first = reinterpret_cast<std::uintptr_t>(v.address);
      // The line behind the variable, too, may only be written where it is a variable's.
      for (std::uintptr_t p = first / line_bytes * line_bytes; p <= first + v.bytes; p += line_bytes) {
        line* const l = line_of(p);
        l->share(p, v.address, v.bytes, true);
        l->is_watched = true;
        l->guards |= guards_writes;
      }
    }
  }

  // ---- strong accesses --------------------------------------------------------------------------------------------

  void load(thread_state& t, const void* address, std::size_t bytes, bool acquires, scope reach) {
    const auto found = words_.find(word_key(address));
    if (found == words_.end()) return;
    const strong_word& word = found->second;
    const bool tells = !word.is_unchanged(address, bytes);
    if (!tells) t.not_told = word.now().for_device, t.not_told_by = word.site();
    const handed_on& what = tells ? word.now() : word.before();
    for (const auto& [block, known] : what.for_block)
      if (block == block_of(t.who)) acquires ? acquire(t, known) : t.read_from_block.join(known);
    if (reach == scope::device) acquires ? acquire(t, what.for_device) : t.read_from_device.join(what.for_device);
  }
  // Before the store. `keeps`: of a read and write, which passes on what was released before it.
  void store(thread_state& t, const access& a, bool releases, scope reach, bool keeps) {
    const void* const address = reinterpret_cast<const void*>(a.address);
    strong_word* word = nullptr;
    if (const auto found = words_.find(word_key(address)); found != words_.end()) word = &found->second;
    if (!releases && word == nullptr && t.fenced_for_block.until == 0) return;
    if (word == nullptr) word = &words_[word_key(address)];
    word->begin_write(address, a.bytes, a.site);
    if (!keeps) word->end_sequence(t.who, releases);
    if (releases) word->release(release(t), reach);
    else word->pass_on(t.fenced_for_block, t.fenced_for_device, reach, t.who);
  }
  void fence(thread_state& t, bool acquires, bool releases, scope reach) {
    if (acquires) {
      acquire(t, t.read_from_block);
      if (reach == scope::device) acquire(t, t.read_from_device);
    }
    if (releases) {
      t.fenced_for_block = release(t);
      if (reach == scope::device) t.fenced_for_device = t.fenced_for_block;
    }
  }

  // ---- order ------------------------------------------------------------------------------------------------------

  released release(thread_state& t) {
    t.stamp = next_instant();
    return {t.known, t.who, t.stamp};
  }
  void acquire(thread_state& t, const clock_ref& what) {
    if (!what || what == t.known) return;
    if (!(last_left_ == t.known && last_right_ == what)) {  // lanes of a warp acquire the same one after another
      last_left_ = t.known;
      last_right_ = what;
      last_joined_ = t.known;
      last_joined_.join(what);
    }
    adopt(t, last_joined_);
  }
  // `what` holds all that the thread knows.
  void adopt(thread_state& t, const clock_ref& what) {
    t.known = what;
    t.block_known = entry_of(what->seen, whole_block(t.who));
    t.warp_known = entry_of(what->seen, warp_of(t.who));
  }
  void fence_proxy(thread_state& t) {
    t.stamp = next_instant();
    clock& mine = t.known.own();
    join(mine.fenced, mine.seen);
    join(mine.fenced, entry{t.who, t.stamp});
  }

 private:
  friend struct race_report;

  CUDA_EMULATOR_INLINE std::uint64_t space_of(std::uintptr_t address) const {
    if (address + line_bytes <= variables_begin_ || address >= variables_end_) return 0;
    return 1 + current_thread->race.who / actors_per_block;
  }
  std::uint64_t word_key(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at | space_of(at) << 47;
  }
  CUDA_EMULATOR_INLINE line* line_of(std::uintptr_t address) {
    const std::uint64_t key = shadow::key_of(address, space_of(address / line_bytes * line_bytes));
    line* const found = shadow_.find(key);
    return found != nullptr ? found : new_line(address / line_bytes * line_bytes, key);
  }
  line* new_line(std::uintptr_t address, std::uint64_t key);

  // Whether the access a lane made before `stamp` is ordered before `a`.
  CUDA_EMULATOR_INLINE bool is_ordered(const access& a, const record& r, unsigned lane) const {
    const actor who = r.group * 32 + lane;
    const thread_state& t = *a.by;
    if (who == a.who) return true;
    if ((a.kind & by_copy_engine) != 0) {
      if (r.is(by_copy_engine)) return r.stamp < known(t.known->seen, who);
      if (r.is(writes) || reads_need_proxy_fences_) return r.stamp < known(t.known->fenced, who);
    }
    if (who == t.who) return true;  // copies begin after what their thread did
    if (block_of(who) == block_of(t.who) && is_thread(who)) {
      if (r.stamp < t.block_known) return true;
      if (r.group == t.who / 32 && r.stamp < t.warp_known) return true;
    }
    if (who == t.who - first_thread + first_copier) return r.stamp < t.copies_known;
    return t.known && r.stamp < known(t.known->seen, who);
  }

  // Whether `a` comes after a strong access that read what the strong write `w` wrote, or what followed that. Then it
  // is ordered after `w`, though perhaps after nothing that came before `w`: PTX's observation order.
  CUDA_EMULATOR_UNSEEN bool is_observed(word_shadow& word, const access& a, const record& w) const {
    if (!w.is(writes) || !w.is(strong)) return false;
    for (unsigned i = 0; i < word.count; ++i) {
      const record& z = word.at(i);
      if (!z.is(strong) || (z.is(writes) && !z.is(both_ways)) || z.extent != w.extent || z.when <= w.when) continue;
      if (is_ordered(a, z, static_cast<unsigned>(__builtin_ctz(z.lanes)))) return true;
    }
    return false;
  }

  CUDA_EMULATOR_UNSEEN void take(word_shadow& word, const access& a, std::uint8_t bytes, std::uint8_t extent) {
    const std::uint32_t group = a.who / 32, bit = 1u << (a.who % 32), when = ++strong_accesses_;
    for (unsigned i = 0; i < word.count; ++i) {
      record& r = word.at(i);
      if (r.group == group && r.stamp == a.stamp && r.kind == a.kind && (r.lanes & bit) != 0 &&
          (r.bytes & bytes) == bytes && r.extent == extent) {
        r.when = when;
        return;
      }
    }
    for (unsigned i = 0; i < word.count; ++i) {
      const record& r = word.at(i);
      if ((r.bytes & bytes) == 0 || !conflict(a, r, extent, strong_writes_need_order_)) continue;
      const bool never = ((a.kind | r.kind) & constant) != 0;
      for (std::uint32_t lanes = r.lanes; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
        if (never || (!is_ordered(a, r, lane) && !is_observed(word, a, r))) return found(a, r, lane);
      }
    }
    record* same = nullptr;
    for (unsigned i = 0; i < word.count;) {
      record& r = word.at(i++);
      if ((r.bytes & bytes) == 0) continue;
      if (r.group == group && r.stamp == a.stamp && r.kind == a.kind && r.bytes == bytes && r.extent == extent &&
          r.site == a.site && !r.is(strong))
        same = &r;
      if (!covers(a, bytes, extent, r)) continue;
      // Those that conflict have been found ordered, and an atomic has observed the writes before it. To know more is
      // cheap within the block only.
      std::uint32_t left = 0;
      if (!conflict(a, r, extent, strong_writes_need_order_) && !((a.kind & both_ways) != 0 && r.is(writes))) {
        left = r.lanes;
        if (block_of(a.who) == block_of(r.group * 32))
          for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1)
            if (const auto lane = static_cast<unsigned>(__builtin_ctz(lanes)); is_ordered(a, r, lane))
              left &= ~(1u << lane);
      }
      r.lanes = left;
      if (left != 0) continue;
      if (same == &r) same = nullptr;
      else if (same == &word.at(word.count - 1)) same = &r;
      word.remove(--i);
    }
    if (same != nullptr) {
      same->lanes |= bit;
      return;
    }
    shadow_.append(word) = {group, bit, a.stamp, a.site, bytes, a.kind, extent, when};
  }

  void found(const access& a, const record& r, unsigned lane);
  void outside(const access& a, std::uintptr_t address);
  void unwritten(const access& a);
  template <class Text> void tell(fault kind, std::uint32_t site, std::uint32_t other, Text text);

  scheduler* scheduler_ = nullptr;
  std::optional<unwritten_read> unwritten_;
  bool reads_need_proxy_fences_ = false, strong_writes_need_order_ = false;
  instant now_ = 0;
  std::uint32_t strong_accesses_ = 0;
  named_line without_barrier_;
  bool barrier_left_out_ = false;
  without_order without_order_;
  std::vector<uint3> blocks_;  // by number
  std::unordered_map<std::uint64_t, strong_word> words_;
  shadow shadow_;
  call_tree calls_;
  std::uintptr_t variables_begin_ = ~std::uintptr_t{0}, variables_end_ = 0;
  clock_ref last_left_, last_right_, last_joined_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> told_;
};

inline detector& detector_of_this_thread() {
  static thread_local detector instance;
  return instance;
}
inline constinit thread_local detector* current = nullptr;  // of the launch that runs

}  // namespace races
}  // namespace cuda_emulator
#endif
