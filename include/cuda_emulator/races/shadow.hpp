// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accesses that memory remembers in a launch: for each word of 8 bytes, who read and wrote which of its bytes.
#pragma once

#include <cuda_emulator/races/clock.hpp>

#include <cstring>
#include <memory>

namespace cuda_emulator::races {

// How an access is made.
inline constexpr unsigned writes = 1, strong = 2;  // strong: relaxed or of an order, so that threads may meet at it
inline constexpr unsigned within_block = 4;        // strong for the threads of the block only
inline constexpr unsigned by_copy_engine = 8;      // by the asynchronous proxy
inline constexpr unsigned constant = 16;           // by a load that takes memory to be constant while the kernel runs
inline constexpr unsigned both_ways = 32;          // an atomic that reads and writes
inline constexpr unsigned replaces = 64;           // such an atomic whose value does not depend on what was there

// The accesses of one kind at one place of the program, between two releases, by lanes of one warp.
struct record {
  std::uint32_t group;  // actors / 32
  std::uint32_t lanes;
  instant stamp;
  std::uint32_t site;  // in the tree of calls
  std::uint8_t bytes;  // a mask
  std::uint8_t kind;
  std::uint8_t extent;  // where the access begins and how long it is: strong accesses must agree
  std::uint32_t when;   // its number in the order in which accesses happened

  CUDA_EMULATOR_INLINE bool is(unsigned property) const { return (kind & property) != 0; }
};

inline constexpr unsigned inline_records = 2, most_records = 64;

struct overflow {
  record records[most_records - inline_records];
};

struct word_shadow {
  record first[inline_records];
  overflow* more;
  unsigned count;

  CUDA_EMULATOR_INLINE record& at(unsigned i) {
    return i < inline_records ? first[i] : more->records[i - inline_records];
  }
  CUDA_EMULATOR_UNSEEN void remove(unsigned i) { at(i) = at(--count); }
};

inline constexpr unsigned line_bytes = 128, line_words = line_bytes / 8;

// Accesses of a line's bytes that threads do not share are out of bounds: all, or writes.
inline constexpr std::uint8_t guards_reads = 1, guards_writes = 2, guards_all = guards_reads | guards_writes;

struct line {
  std::uint64_t key;
  bool is_watched;  // whether threads share any byte of it, or it guards others
  std::uint8_t guards;
  std::uint8_t shared[line_words];     // which bytes threads share
  std::uint8_t unwritten[line_words];  // which of these are a block's and have not been written
  word_shadow words[line_words];

  CUDA_EMULATOR_UNSEEN void share(std::uintptr_t line_address, const void* first, std::size_t bytes,
                                  bool is_unwritten = false) {
    const auto begin = reinterpret_cast<std::uintptr_t>(first), end = begin + bytes;
    const std::uintptr_t last = line_address + line_bytes;
    if (begin >= last || end <= line_address) return;
    is_watched = true;
    for (std::uintptr_t p = begin > line_address ? begin : line_address; p < (end < last ? end : last); ++p) {
      const auto byte = static_cast<std::uint8_t>(1u << (p % 8));
      shared[(p - line_address) / 8] |= byte;
      if (is_unwritten) unwritten[(p - line_address) / 8] |= byte;
    }
  }
};

// Memory that is taken piece by piece, and given back at once.
template <class T> class pool {
 public:
  CUDA_EMULATOR_UNSEEN T* take() {
    if (used_ == pieces_.size() * piece_items) pieces_.emplace_back(new T[piece_items]);
    T* item = &pieces_[used_ / piece_items][used_ % piece_items];
    ++used_;
    return item;
  }
  CUDA_EMULATOR_UNSEEN void clear() {
    used_ = 0;
    if (pieces_.size() > most_kept) pieces_.resize(most_kept);
  }

 private:
  static constexpr std::size_t piece_items = 64, most_kept = 256;
  std::vector<std::unique_ptr<T[]>> pieces_;
  std::size_t used_ = 0;
};

// All lines of a launch, by key: the address, and for variables that each block has at the same address, the block.
class shadow {
 public:
  CUDA_EMULATOR_INLINE static std::uint64_t key_of(std::uintptr_t address, std::uint64_t space) {
    return address / line_bytes | space << 40;
  }
  CUDA_EMULATOR_INLINE line* find(std::uint64_t key) {
    line*& recent = recent_[key % recent_lines];
    if (recent != nullptr && recent->key == key) return recent;
    return search(key, recent);
  }
  CUDA_EMULATOR_UNSEEN line* search(std::uint64_t key, line*& recent) {
    line* const found = slots_.empty() ? nullptr : slots_[slot_of(key)];
    if (found != nullptr) recent = found;
    return found;
  }
  // A line of which nothing is shared yet.
  CUDA_EMULATOR_UNSEEN line* add(std::uint64_t key) {
    if (2 * ++count_ > slots_.size()) grow();
    line* fresh = lines_.take();
    std::memset(static_cast<void*>(fresh), 0, sizeof *fresh);
    fresh->key = key;
    slots_[slot_of(key)] = fresh;
    return fresh;
  }
  CUDA_EMULATOR_UNSEEN record& append(word_shadow& word) {
    if (word.count == most_records) return evict(word);
    if (word.count == inline_records && word.more == nullptr) word.more = overflows_.take();
    return word.at(word.count++);
  }
  // The line of a block's dynamic shared memory is another block's now.
  CUDA_EMULATOR_UNSEEN static void begin_again(line& l) {
    for (word_shadow& word : l.words) word.count = 0;
    for (std::size_t w = 0; w < line_words; ++w) l.unwritten[w] = l.shared[w];
  }
  CUDA_EMULATOR_UNSEEN void clear() {
    count_ = 0;
    slots_.assign(slots_.size() > most_slots_kept ? 0 : slots_.size(), nullptr);
    for (line*& l : recent_) l = nullptr;
    lines_.clear();
    overflows_.clear();
  }

 private:
  static constexpr std::size_t recent_lines = 256, most_slots_kept = std::size_t{1} << 14;

  CUDA_EMULATOR_UNSEEN std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (slots_[slot] != nullptr && slots_[slot]->key != key) slot = (slot + 1) & mask;
    return slot;
  }
  CUDA_EMULATOR_UNSEEN void grow() {
    const std::vector<line*> old = std::move(slots_);
    slots_.assign(old.empty() ? 1024 : 2 * old.size(), nullptr);
    for (line* l : old)
      if (l != nullptr) slots_[slot_of(l->key)] = l;
  }
  // Many threads may read a word. The oldest read is forgotten, a plain one first, and no write as long as there are
  // reads.
  CUDA_EMULATOR_UNSEEN static record& evict(word_shadow& word) {
    record* oldest = &word.at(0);
    for (unsigned i = 1; i < most_records; ++i) {
      record& r = word.at(i);
      if (rank(r) < rank(*oldest) || (rank(r) == rank(*oldest) && r.when < oldest->when)) oldest = &r;
    }
    return *oldest;
  }
  CUDA_EMULATOR_UNSEEN static unsigned rank(const record& r) {
    return (r.is(writes) ? 2u : 0u) + (r.is(writes) != r.is(strong) ? 1u : 0u);
  }

  std::vector<line*> slots_;
  line* recent_[recent_lines] = {};
  std::size_t count_ = 0;
  pool<line> lines_;
  pool<overflow> overflows_;
};

}  // namespace cuda_emulator::races
