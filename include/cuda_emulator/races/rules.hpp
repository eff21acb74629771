// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which two accesses may not happen at once, and which accesses need not be remembered any more.
#pragma once

#include <cuda_emulator/races/scope.hpp>
#include <cuda_emulator/races/shadow.hpp>
#include <cuda_emulator/races/state.hpp>

#include <vector_types.h>

#include <string>

namespace cuda_emulator::races {

// One side of an access that is about to be judged.
struct access {
  std::uintptr_t address;
  std::size_t bytes;
  std::uint8_t kind;
  std::uint32_t site;
  const thread_state* by;
  actor who;      // the thread, or what copies for it
  instant stamp;  // of `who`
};

// A read of a block's memory that nobody has written.
struct unwritten_read {
  std::string what;
  std::uint32_t site;
  uint3 block, thread;
};

CUDA_EMULATOR_INLINE inline std::uint8_t extent_of(const access& a, std::uintptr_t address) {
  return static_cast<std::uint8_t>((a.address % 8) << 5 | (address != a.address ? 16u : 0u) |
                                   (a.bytes < 16 ? a.bytes : 15u));
}

// Whether two strong writes come to the same in either order: atomics that count, or that all take what is there.
CUDA_EMULATOR_INLINE inline bool commute(const access& a, const record& r) {
  return (a.kind & r.kind & both_ways) != 0 && ((a.kind ^ r.kind) & replaces) == 0;
}

// Whether `a` and `r` may not happen at once.
CUDA_EMULATOR_INLINE inline bool conflict(const access& a, const record& r, std::uint8_t extent,
                                          bool strong_writes_need_order) {
  if (((a.kind | r.kind) & writes) == 0) return false;
  if ((a.kind & r.kind & strong) == 0 || extent != r.extent) return true;
  if (((a.kind | r.kind) & within_block) != 0 && block_of(a.who) != block_of(r.group * 32)) return true;
  return strong_writes_need_order && (a.kind & r.kind & writes) != 0 && !commute(a, r) &&
         block_of(a.who) != block_of(r.group * 32);
}

// Whether a later access that races with `r` races with `a`, too. (Strong reads also tell what their thread has
// observed, so only its own later ones stand for them.)
CUDA_EMULATOR_INLINE inline bool covers(const access& a, std::uint8_t bytes, std::uint8_t extent, const record& r) {
  if ((r.bytes & ~bytes) != 0 || (r.is(constant) && (a.kind & constant) == 0)) return false;
  if ((a.kind & (strong | writes)) == strong)
    return r.is(strong) && !r.is(writes) && r.extent == extent && r.group == a.who / 32 && r.lanes == 1u << a.who % 32;
  if ((a.kind & strong) != 0) return r.is(strong) && r.extent == extent;
  return (a.kind & writes) != 0 || !r.is(writes | strong);
}

}  // namespace cuda_emulator::races
