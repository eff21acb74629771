// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp sends a run carry to another block: in messages of 16 bytes, each of which arrives whole and has a word
// that is not zero. The sender waits for nothing, and what the receiver reads tells it whether all has arrived.
#pragma once
#include <cstring>
#include <warpfold/arch/published.cuh>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/by_key/run_carry.cuh>

namespace warpfold::by_key {

/// The carry of a tile, or of neighbouring tiles, and the number of heads that precede it in its epoch.
template <class A> struct placed_carry {
  run_carry<A> carry;
  int heads_before;
};

/// The messages of a placed_carry; zero until it is published.
template <class A> struct carry_messages {
  static constexpr int count = messages_per_carry(sizeof(A)), accumulator_words = (sizeof(A) + 3) / 4;
  static_assert(1 + 3 * count >= 2 * accumulator_words + 2);

  arch::message messages[count];

  __device__ void publish(const placed_carry<A>& own) {
    static_assert(std::is_trivially_copyable_v<A>);
    arch::message all[count] = {};
    std::uint32_t words[2 * accumulator_words] = {};
    std::memcpy(words, &own.carry.first, sizeof(A));
    std::memcpy(words + accumulator_words, &own.carry.last, sizeof(A));
    WARPFOLD_UNROLL
    for (int k = 1; k < count; ++k) all[k].words[0] = 1;
    all[0].words[0] = 2 * static_cast<std::uint32_t>(own.carry.heads) + 1;
    all[0].words[1] = 2 * static_cast<std::uint32_t>(own.heads_before) + own.carry.has_first;
    WARPFOLD_UNROLL
    for (int i = 0; i < 2 * accumulator_words; ++i) word(all, i) = words[i];
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) arch::publish(messages + k, all[k]);
  }
  /// Copies what has been published into `to`. Returns false, and leaves `to` as it is, if a message is missing.
  __device__ bool try_receive(placed_carry<A>& to) const {
    arch::message all[count];
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) all[k] = arch::observe(messages + k);
    bool has_arrived = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) has_arrived = has_arrived && all[k].words[0] != 0;
    if (!has_arrived) return false;
    std::uint32_t words[2 * accumulator_words];
    WARPFOLD_UNROLL
    for (int i = 0; i < 2 * accumulator_words; ++i) words[i] = word(all, i);
    std::memcpy(&to.carry.first, words, sizeof(A));
    std::memcpy(&to.carry.last, words + accumulator_words, sizeof(A));
    to.carry.heads = static_cast<int>(all[0].words[0] >> 1);
    to.carry.has_first = all[0].words[1] & 1;
    to.heads_before = static_cast<int>(all[0].words[1] >> 1);
    return true;
  }
  __device__ void clear() {
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) arch::publish(messages + k, arch::message{});
  }

 private:
  /// Word number `i` of both accumulators.
  __device__ static std::uint32_t& word(arch::message (&all)[count], int i) {
    return i < 2 ? all[0].words[2 + i] : all[1 + (i - 2) / 3].words[1 + (i - 2) % 3];
  }
};

}  // namespace warpfold::by_key
