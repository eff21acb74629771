// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The past that a thread knows: for each thread of the launch, the instant before which all of that thread's
// accesses are ordered before its own.
//
// An instant is counted by each release of the launch. Vector clocks of thousands of threads would be too long, so a
// clock has one entry for a whole block after a barrier, and one for a warp after __syncwarp. Clocks are shared until
// they change: after a barrier all threads of a block hold one (Flanagan and Freund, "FastTrack", 2009, without their
// clocks of fixed length).
#pragma once

#include <cuda_emulator/undivided.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

// The detector sees no accesses of its own.
#define CUDA_EMULATOR_INLINE CUDA_EMULATOR_UNSEEN [[gnu::always_inline]]

namespace cuda_emulator::races {

using instant = std::uint32_t;

// Who accesses memory, and what an entry is about: the block's number in the launch, and a place in it.
using actor = std::uint32_t;
inline constexpr actor actors_per_block = 4096;
inline constexpr actor first_warp = 1, first_thread = 1024;  // place 0 is the whole block
inline constexpr actor first_copier = 2048;                  // the asynchronous copies of each thread
inline constexpr actor first_bulk = 3072, bulk_slots = 64;   // bulk copies

CUDA_EMULATOR_INLINE inline constexpr actor block_of(actor a) { return a / actors_per_block; }
CUDA_EMULATOR_INLINE inline constexpr actor place_of(actor a) { return a % actors_per_block; }
CUDA_EMULATOR_INLINE inline constexpr bool is_thread(actor a) {
  return place_of(a) >= first_thread && place_of(a) < first_copier;
}
CUDA_EMULATOR_INLINE inline constexpr actor whole_block(actor a) { return a - place_of(a); }
CUDA_EMULATOR_INLINE inline constexpr actor warp_of(actor thread) {
  return whole_block(thread) + first_warp + (place_of(thread) - first_thread) / 32;
}

struct entry {
  actor who;
  instant until;
};

// In the order of actors, none implied by another. (The compiler would call the functions of a std::vector, with calls
// to the detector inside, where this is inlined.)
class entries {
 public:
  entries() = default;
  CUDA_EMULATOR_UNSEEN explicit entries(entry only) { push_back(only); }
  CUDA_EMULATOR_UNSEEN entries(const entries& other) { *this = other; }
  CUDA_EMULATOR_UNSEEN entries& operator=(const entries& other) {
    if (this == &other) return *this;
    reserve(other.size_);
    size_ = other.size_;
    for (std::size_t i = 0; i < size_; ++i) first_[i] = other.first_[i];
    return *this;
  }
  CUDA_EMULATOR_UNSEEN ~entries() { std::free(first_); }

  CUDA_EMULATOR_INLINE std::size_t size() const { return size_; }
  CUDA_EMULATOR_INLINE bool empty() const { return size_ == 0; }
  CUDA_EMULATOR_INLINE entry* begin() { return first_; }
  CUDA_EMULATOR_INLINE entry* end() { return first_ + size_; }
  CUDA_EMULATOR_INLINE entry& operator[](std::size_t i) { return first_[i]; }
  CUDA_EMULATOR_INLINE const entry& operator[](std::size_t i) const { return first_[i]; }
  CUDA_EMULATOR_INLINE entry& back() { return first_[size_ - 1]; }
  CUDA_EMULATOR_INLINE void clear() { size_ = 0; }
  CUDA_EMULATOR_INLINE void push_back(entry e) {
    if (size_ == room_) reserve(size_ + 1);
    first_[size_++] = e;
  }
  CUDA_EMULATOR_UNSEEN void insert(std::size_t at, entry e) {
    push_back(e);
    for (std::size_t i = size_ - 1; i > at; --i) first_[i] = first_[i - 1];
    first_[at] = e;
  }

 private:
  CUDA_EMULATOR_UNSEEN void reserve(std::size_t items) {
    if (items <= room_) return;
    room_ = items + items / 2 + 2;
    void* const larger = std::realloc(static_cast<void*>(first_), room_ * sizeof(entry));
    if (larger == nullptr) throw std::bad_alloc();
    first_ = static_cast<entry*>(larger);
  }

  entry* first_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

CUDA_EMULATOR_INLINE inline std::size_t position_of(const entries& list, actor who) {
  std::size_t low = 0, high = list.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (list[middle].who < who) low = middle + 1;
    else high = middle;
  }
  return low;
}
CUDA_EMULATOR_INLINE inline instant entry_of(const entries& list, actor who) {
  const std::size_t at = position_of(list, who);
  return at < list.size() && list[at].who == who ? list[at].until : 0;
}
// All accesses of `who` before this instant are known.
CUDA_EMULATOR_UNSEEN inline instant known(const entries& list, actor who) {
  instant result = entry_of(list, who);
  if (!is_thread(who)) return result;
  const instant of_block = entry_of(list, whole_block(who)), of_warp = entry_of(list, warp_of(who));
  if (of_block > result) result = of_block;
  return of_warp > result ? of_warp : result;
}

// Drops entries that the one of their block or warp implies.
class pruning {
 public:
  CUDA_EMULATOR_UNSEEN void take(entries& to, entry e) {
    if (whole_block(e.who) != block_) {
      block_ = whole_block(e.who);
      of_block_ = 0;
      for (instant& w : of_warp_) w = 0;
    }
    const actor place = place_of(e.who);
    if (place == 0) {
      of_block_ = e.until;
    } else if (place < first_thread) {
      if (e.until <= of_block_) return;
      of_warp_[place - first_warp] = e.until;
    } else if (place < first_copier) {
      if (e.until <= of_block_ || e.until <= of_warp_[(place - first_thread) / 32]) return;
    }
    to.push_back(e);
  }

 private:
  actor block_ = ~actor{0};
  instant of_block_ = 0, of_warp_[32] = {};
};

CUDA_EMULATOR_UNSEEN inline void join(entries& into, const entries& other) {
  if (other.empty()) return;
  if (into.empty()) {
    into = other;
    return;
  }
  static thread_local entries merged;
  merged.clear();
  pruning rest;
  std::size_t i = 0, j = 0;
  while (i < into.size() || j < other.size()) {
    if (j == other.size() || (i < into.size() && into[i].who < other[j].who)) {
      rest.take(merged, into[i++]);
    } else if (i == into.size() || other[j].who < into[i].who) {
      rest.take(merged, other[j++]);
    } else {
      rest.take(merged, into[i].until > other[j].until ? into[i] : other[j]);
      ++i, ++j;
    }
  }
  into = merged;
}
// Whether the list has an entry that one of `who` may imply.
CUDA_EMULATOR_UNSEEN inline bool has_parts(const entries& list, actor who) {
  actor first = who + 1, last = whole_block(who) + first_copier;
  if (is_thread(who) || place_of(who) >= first_copier) return false;
  if (place_of(who) != 0) {
    first = whole_block(who) + first_thread + (place_of(who) - first_warp) * 32;
    last = first + 32;
  }
  const std::size_t at = position_of(list, first);
  return at < list.size() && list[at].who < last;
}
CUDA_EMULATOR_UNSEEN inline void join(entries& into, entry e) {
  if (known(into, e.who) >= e.until) return;
  const std::size_t at = position_of(into, e.who);
  if (has_parts(into, e.who)) return join(into, entries(e));
  if (at < into.size() && into[at].who == e.who) into[at].until = e.until;
  else into.insert(at, e);
}

struct clock {
  unsigned owners = 0;
  entries seen;    // by ordinary accesses
  entries fenced;  // by the asynchronous proxy, too: what a proxy fence has passed on
};

// Shared ownership of a clock on one host thread. Null is the clock of one that knows nothing.
class clock_ref {
 public:
  clock_ref() = default;
  CUDA_EMULATOR_UNSEEN clock_ref(const clock_ref& other) : clock_(other.clock_) {
    if (clock_ != nullptr) ++clock_->owners;
  }
  CUDA_EMULATOR_UNSEEN clock_ref(clock_ref&& other) noexcept : clock_(std::exchange(other.clock_, nullptr)) {}
  CUDA_EMULATOR_UNSEEN clock_ref& operator=(clock_ref other) noexcept {
    std::swap(clock_, other.clock_);
    return *this;
  }
  CUDA_EMULATOR_UNSEEN ~clock_ref() {
    if (clock_ != nullptr && --clock_->owners == 0) delete clock_;
  }
  CUDA_EMULATOR_UNSEEN friend bool operator==(const clock_ref& a, const clock_ref& b) { return a.clock_ == b.clock_; }

  CUDA_EMULATOR_UNSEEN const clock& operator*() const {
    static const clock nothing;
    return clock_ != nullptr ? *clock_ : nothing;
  }
  CUDA_EMULATOR_UNSEEN const clock* operator->() const { return &**this; }
  CUDA_EMULATOR_UNSEEN explicit operator bool() const { return clock_ != nullptr; }

  // The clock, to be changed by its only owner.
  CUDA_EMULATOR_UNSEEN clock& own() {
    if (clock_ == nullptr || clock_->owners > 1) {
      auto* copy = new clock(**this);
      copy->owners = 1;
      if (clock_ != nullptr) --clock_->owners;
      clock_ = copy;
    }
    return *clock_;
  }
  CUDA_EMULATOR_UNSEEN void join(const clock_ref& other) {
    if (!other || other == *this) return;
    if (clock_ == nullptr) {
      *this = other;
      return;
    }
    clock& mine = own();
    races::join(mine.seen, other->seen);
    races::join(mine.fenced, other->fenced);
  }

 private:
  clock* clock_ = nullptr;
};

// The past that a thread has released: its clock then, and its own accesses.
struct released {
  clock_ref known;
  actor who = 0;
  instant until = 0;

  CUDA_EMULATOR_UNSEEN void pass_on(clock_ref& to) const {
    if (until == 0) return;
    to.join(known);
    races::join(to.own().seen, entry{who, until});
  }
};

}  // namespace cuda_emulator::races
