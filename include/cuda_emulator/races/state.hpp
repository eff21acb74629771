// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The race detector's own state of threads, blocks, barriers and copies. Empty unless CUDA_EMULATOR_RACES is defined.
#pragma once

#include <cuda_emulator/undivided.hpp>

#if defined(CUDA_EMULATOR_RACES)
#include <cuda_emulator/races/clock.hpp>

#include <algorithm>

namespace cuda_emulator::races {

struct unfinished_copy {
  void* target;
  const void* source;
  std::size_t bytes;
  instant stamp;
};

struct thread_state {
  actor who = 0;
  instant stamp = 0;                        // of its accesses: when it last released
  instant warp_known = 0, block_known = 0;  // what its clock says of its own warp and block
  instant copies_known = 0;                 // its own asynchronous copies before this have been waited for
  std::uint32_t calls = 0;                  // where it is in the tree of calls
  clock_ref known;
  released fenced_for_block, fenced_for_device;  // by its last releasing fences
  clock_ref read_from_block, read_from_device;   // what relaxed loads have read, for an acquiring fence
  clock_ref not_told;             // what it would know if the last write of a word had not left it as it was
  std::uint32_t not_told_by = 0;  // where that write is
  std::vector<unfinished_copy> copies;
};

// Collects what threads release to those who meet at a barrier.
class gathering {
 public:
  // `before` is the stamp of the thread's accesses so far.
  CUDA_EMULATOR_UNSEEN void add(const released& what, instant before) {
    if (known_.empty() || !(known_.back() == what.known)) known_.push_back(what.known);
    own_.push_back({{what.who, what.until}, before});
  }
  CUDA_EMULATOR_UNSEEN clock_ref finish() {
    clock_ref result;
    for (const clock_ref& c : known_) result.join(c);
    std::sort(own_.begin(), own_.end(), [](const arrival& a, const arrival& b) { return a.own.who < b.own.who; });
    entries own;
    for (std::size_t i = 0; i < own_.size();)
      if (is_whole_warp(i)) {
        own.push_back({warp_of(own_[i].own.who), first_of_warp(i)});
        i += 32;
      } else {
        if (own.empty() || own.back().who != own_[i].own.who) own.push_back(own_[i].own);
        else own.back().until = std::max(own.back().until, own_[i].own.until);
        ++i;
      }
    std::sort(own.begin(), own.end(), [](const entry& a, const entry& b) { return a.who < b.who; });
    if (!own.empty()) join(result.own().seen, own);
    known_.clear();
    own_.clear();
    return result;
  }

 private:
  struct arrival {
    entry own;
    instant before;
  };
  CUDA_EMULATOR_UNSEEN instant first_of_warp(std::size_t i) const {
    instant first = own_[i].own.until;
    for (std::size_t lane = 1; lane < 32; ++lane) first = std::min(first, own_[i + lane].own.until);
    return first;
  }
  // Whether one entry says the same of all 32 lanes: all accesses so far are older than the first arrival.
  CUDA_EMULATOR_UNSEEN bool is_whole_warp(std::size_t i) const {
    const actor first = own_[i].own.who;
    if (!is_thread(first) || first % 32 != 0 || i + 32 > own_.size()) return false;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (own_[i + lane].own.who != first + lane) return false;
    const instant least = first_of_warp(i);
    for (std::size_t lane = 0; lane < 32; ++lane)
      if (own_[i + lane].before >= least) return false;
    return true;
  }

  std::vector<clock_ref> known_;
  std::vector<arrival> own_;
};

struct barrier_state {
  gathering arrivals;  // of the phase that is not complete
  clock_ref completed;
};

struct block_state {
  actor first_actor = 0;
  unsigned bulk_copies = 0;
};

struct copy_state {
  released own;
};

}  // namespace cuda_emulator::races
#else
namespace cuda_emulator::races {
struct thread_state {};
struct barrier_state {};
struct block_state {};
struct copy_state {};
}  // namespace cuda_emulator::races
#endif
