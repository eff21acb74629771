// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short messages in shared memory. To check, order and join lists takes a dozen dependent reads, each of which would be
// a trip to memory.
#pragma once
#include <warpfold/ranks/mailboxes.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int most_near_ranks = 8;
inline constexpr std::size_t near_stride = 640;  ///< room for any list of nodes of 4 bytes

/// The messages of up to most_near_ranks ranks.
struct near_messages {
  alignas(16) unsigned char bytes[most_near_ranks * near_stride];
  int order[most_near_ranks];

  __device__ gathered_messages all(int ranks) {
    return {reinterpret_cast<std::byte*>(bytes), near_stride, ranks, order};
  }
};

/// Whether a kernel that runs later reads the messages, by the last step of an exchange.
template <class Finish> inline constexpr bool are_read_later = requires { Finish::are_read_later; };

template <class Message> struct nearness { static constexpr bool is_possible = false; };
template <class A, class Op> struct nearness<list_message<A, Op>> {
  static constexpr bool is_possible = alignof(A) <= 16;

  /// Whether the items [first, end) have so few nodes that they travel in the first words, and as many from each of
  /// `ranks` ranks fit one place when they are joined.
  __host__ __device__ static bool fits(std::int64_t first, std::int64_t end, int ranks) {
    constexpr int travel = (first_words - header_words) * word_bytes / static_cast<int>(sizeof(A)),
                  room = nodes_in<A>(near_stride);
    const int nodes = nodes_of(first, end);
    return nodes <= travel && (room >= canonical_nodes<A, Op>::capacity || nodes * ranks <= room);
  }
};

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
