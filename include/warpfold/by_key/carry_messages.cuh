// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp sends the carry of its tiles to another block in messages of 16 bytes. A message is read whole or not at all,
// and one of its words is never zero. So the sender needs no fence, and the receiver sees from these words whether all
// messages have arrived.
#pragma once
#include <cstring>
#include <warpfold/arch/published.cuh>
#include <warpfold/by_key/policy.hpp>
#include <warpfold/by_key/run_carry.cuh>

namespace warpfold::by_key {

/// The carry of a tile, or of neighbouring tiles, and the number of heads of its epoch that lie before it.
template <class A> struct placed_carry {
  run_carry<A> runs;
  int before;
};

/// A placed carry as messages; all words are zero where none has been sent.
template <class A> struct carry_messages {
  static constexpr int count = messages_per_carry(sizeof(A)), accumulator_words = (sizeof(A) + 3) / 4;
  static_assert(1 + 3 * count >= 2 * accumulator_words + 2);

  arch::message messages[count];

  __device__ void send(const placed_carry<A>& own) {
    static_assert(std::is_trivially_copyable_v<A>);
    arch::message all[count] = {};
    std::uint32_t words[2 * accumulator_words] = {};
    std::memcpy(words, &own.runs.first, sizeof(A));
    std::memcpy(words + accumulator_words, &own.runs.last, sizeof(A));
    WARPFOLD_UNROLL
    for (int k = 1; k < count; ++k) all[k].words[0] = 1;
    all[0].words[0] = 2 * static_cast<std::uint32_t>(own.runs.heads) + 1;
    all[0].words[1] = 2 * static_cast<std::uint32_t>(own.before) + own.runs.has_first;
    WARPFOLD_UNROLL
    for (int i = 0; i < 2 * accumulator_words; ++i) word(all, i) = words[i];
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) arch::publish(messages + k, all[k]);
  }
  /// Returns whether all messages have arrived; then `to` is the carry.
  __device__ bool try_receive(placed_carry<A>& to) const {
    arch::message all[count];
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) all[k] = arch::observe(messages + k);
    bool is_there = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) is_there = is_there && all[k].words[0] != 0;
    if (!is_there) return false;
    std::uint32_t words[2 * accumulator_words];
    WARPFOLD_UNROLL
    for (int i = 0; i < 2 * accumulator_words; ++i) words[i] = word(all, i);
    std::memcpy(static_cast<void*>(&to.runs.first), words, sizeof(A));
    std::memcpy(static_cast<void*>(&to.runs.last), words + accumulator_words, sizeof(A));
    to.runs.heads = static_cast<int>(all[0].words[0] >> 1);
    to.runs.has_first = all[0].words[1] & 1;
    to.before = static_cast<int>(all[0].words[1] >> 1);
    return true;
  }
  __device__ void clear() {
    WARPFOLD_UNROLL
    for (int k = 0; k < count; ++k) arch::publish(messages + k, arch::message{});
  }

 private:
  /// The place of word `i` of both accumulators.
  __device__ static std::uint32_t& word(arch::message (&all)[count], int i) {
    return i < 2 ? all[0].words[2 + i] : all[1 + (i - 2) / 3].words[1 + (i - 2) % 3];
  }
};

}  // namespace warpfold::by_key
