// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value in global memory that one thread publishes and other blocks wait for.
//
// The value travels in messages of 16 bytes, three words of it and a flag in each. A message is read and written by one
// relaxed access of 128 bits, which the PTX memory model makes indivisible: whoever sees the flag sees the words beside
// it. So no fence is needed, and a value of several messages is there when all flags are. (Clearing a place and
// publishing there again must be ordered by other means: see node_ring.cuh.)
#pragma once
#include <warpfold/arch/published.cuh>
#include <warpfold/standard.hpp>

namespace warpfold::grid {

/// Messages for a value of `value_bytes` bytes.
WARPFOLD_JIT constexpr int messages_per_value(std::size_t value_bytes) {
  return static_cast<int>((value_bytes + 11) / 12);
}

/// Room for a value; all words are zero where none is published.
template <class A> struct published_value {
  static constexpr int count = messages_per_value(sizeof(A)), words = (sizeof(A) + 3) / 4;

  arch::message messages[count];

  __device__ void publish(const A& value) {
    static_assert(std::is_trivially_copyable_v<A>);
    std::uint32_t word[3 * count] = {};
    std::memcpy(word, &value, sizeof(A));
    WARPFOLD_UNROLL
    for (int i = 0; i < count; ++i)
      arch::publish(messages + i, arch::message{{1, word[3 * i], word[3 * i + 1], word[3 * i + 2]}});
  }
  /// Whether the value is there; then `to` is the value.
  __device__ bool try_receive(A& to) const {
    arch::message all[count];
    WARPFOLD_UNROLL
    for (int i = 0; i < count; ++i) all[i] = arch::observe(messages + i);
    std::uint32_t word[3 * count];
    bool is_there = true;
    WARPFOLD_UNROLL
    for (int i = 0; i < count; ++i) {
      is_there = is_there && all[i].words[0] != 0;
      word[3 * i] = all[i].words[1];
      word[3 * i + 1] = all[i].words[2];
      word[3 * i + 2] = all[i].words[3];
    }
    if (is_there) std::memcpy(static_cast<void*>(&to), word, sizeof(A));
    return is_there;
  }
  __device__ void clear() {
    WARPFOLD_UNROLL
    for (int i = 0; i < count; ++i) arch::publish(messages + i, arch::message{});
  }
};

}  // namespace warpfold::grid
