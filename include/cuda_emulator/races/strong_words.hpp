// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the strong writes of a word hand on: whoever reads what a release wrote, or what continues it, acquires the
// past of the thread that released.
//
// A write that leaves the word as it was tells nobody that it has happened: who reads the value may have read the one
// before. So it hands on nothing until the next write. That finds flags that are still set from the launch before.
#pragma once

#include <cuda_emulator/races/clock.hpp>
#include <cuda_emulator/races/scope.hpp>
#include <cuda_emulator/races/state.hpp>

#include <cstring>
#include <utility>
#include <vector>

namespace cuda_emulator::races {

struct handed_on {
  clock_ref for_device;
  std::vector<std::pair<actor, clock_ref>> for_block;

  void add(const released& what, scope reach, actor who) {
    if (what.until == 0) return;
    if (reach == scope::device) what.pass_on(for_device);
    for (auto& [block, known] : for_block)
      if (block == block_of(who)) return what.pass_on(known);
    for_block.emplace_back(block_of(who), clock_ref{});
    what.pass_on(for_block.back().second);
  }
};

class strong_word {
 public:
  const handed_on& now() const { return now_; }
  const handed_on& before() const { return before_; }
  std::uint32_t site() const { return site_; }  // of the last write
  // Whether the last write left these bytes as they were.
  bool is_unchanged(const void* address, std::size_t bytes) const {
    return old_bytes_ != 0 && std::memcmp(address, old_, bytes < old_bytes_ ? bytes : old_bytes_) == 0;
  }

  // The steps of a write, in this order.
  void begin_write(const void* address, std::size_t bytes, std::uint32_t site) {
    if (!is_unchanged(address, old_bytes_)) before_ = now_;
    old_bytes_ = bytes < sizeof old_ ? bytes : sizeof old_;
    std::memcpy(old_, address, old_bytes_);
    site_ = site;
  }
  // It reads nothing: what others have released ends here, and what its own thread has if it releases again.
  void end_sequence(actor who, bool releases) {
    now_ = {};
    if (own_.who != who) own_ = {};
    else if (!releases) now_.add(own_, own_reach_, who);
  }
  void release(const released& what, scope reach) {
    own_ = what;
    own_reach_ = reach;
    now_.add(what, reach, what.who);
  }
  void pass_on(const released& fenced_for_block, const released& fenced_for_device, scope reach, actor who) {
    now_.add(fenced_for_block, scope::block, who);
    if (reach == scope::device) now_.add(fenced_for_device, scope::device, who);
  }

 private:
  handed_on now_, before_;
  released own_;  // by the last thread that released here
  scope own_reach_ = scope::device;
  std::size_t old_bytes_ = 0;
  unsigned char old_[16];
  std::uint32_t site_ = 0;
};

}  // namespace cuda_emulator::races
