// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short messages in shared memory. To check and join lists takes a dozen dependent reads, each of which would be a trip
// to memory.
#pragma once
#include <warpfold/ranks/mailboxes.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int most_near_ranks = 8;
inline constexpr std::size_t near_stride = 416;  ///< room for a header, and all that travels with it

/// The messages of up to most_near_ranks ranks.
struct near_messages {
  alignas(16) unsigned char bytes[most_near_ranks * near_stride];

  __device__ gathered_messages all(int ranks) {
    return {reinterpret_cast<std::byte*>(bytes), near_stride, ranks, nullptr};
  }
};

/// Whether messages that have arrived as a whole with their first words can be joined in shared memory.
template <class Message, class Finish> inline constexpr bool may_be_near = false;
template <class A, class Op, class Finish>
  requires(Finish::joins_in_warp && alignof(A) <= 16)
inline constexpr bool may_be_near<list_message<A, Op>, Finish> = true;

/// Copies `near` to `all`, but not the payload of `far_rank`, which is there already. All threads of the block call it.
template <class Message>
__device__ __attribute__((noinline)) void spread(const gathered_messages& near, const gathered_messages& all,
                                                 int far_rank) {
  constexpr int header_pieces = 3 * header_words;  // of 4 bytes
  WARPFOLD_NO_UNROLL
  for (int rank = 0; rank < near.count; ++rank) {
    Message &from = near.of<Message>(rank), &to = all.of<Message>(rank);
    const std::int64_t bytes = from.header.call == 0 || rank == far_rank ? 0 : Message::payload_bytes(from.header);
    const int behind =
        static_cast<int>(least_of<std::int64_t>(bytes, (first_words - header_words) * word_bytes) + 3) / 4;
    WARPFOLD_NO_UNROLL
    for (int i = static_cast<int>(threadIdx.x); i < header_pieces + behind; i += static_cast<int>(blockDim.x)) {
      const int k = i - header_pieces;
      if (k < 0) reinterpret_cast<std::uint32_t*>(&to)[i] = reinterpret_cast<const std::uint32_t*>(&from)[i];
      else static_cast<std::uint32_t*>(to.payload())[k] = static_cast<const std::uint32_t*>(from.payload())[k];
    }
  }
  __syncthreads();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
