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

/// Copies headers, and what of the payloads travels in the first words, but not the payload of `far_rank`. All threads of
/// the block call it. Cost: two trips to memory.
template <class Message>
__device__ __attribute__((noinline)) void copy_first_words(const gathered_messages& from, const gathered_messages& to,
                                                           int far_rank) {
  constexpr int header_pieces = 3 * header_words, pieces = 3 * first_words;  // of 4 bytes
  WARPFOLD_NO_UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < from.count * pieces; i += static_cast<int>(blockDim.x)) {
    const int rank = i / pieces, piece = i % pieces, behind = piece - header_pieces;
    Message &source = from.of<Message>(rank), &target = to.of<Message>(rank);
    if (behind < 0)
      reinterpret_cast<std::uint32_t*>(&target)[piece] = reinterpret_cast<const std::uint32_t*>(&source)[piece];
    else if (rank != far_rank && source.header.call != 0 && 4 * behind < Message::payload_bytes(source.header))
      static_cast<std::uint32_t*>(target.payload())[behind] =
          static_cast<const std::uint32_t*>(source.payload())[behind];
  }
  __syncthreads();
}

/// `all` in shared memory if all messages are short, else `all`. All threads of the block call it.
template <class Message> __device__ gathered_messages brought_near(const gathered_messages& all, near_messages& near) {
  if (all.count > most_near_ranks) return all;
  const int rank = static_cast<int>(threadIdx.x);
  const bool is_long = rank < all.count && !nearness<Message>::fits(all.of(rank).first, all.of(rank).end, all.count);
  if (__syncthreads_or(is_long) != 0) return all;
  const gathered_messages places = near.all(all.count);
  copy_first_words<Message>(all, places, all.count);
  if (rank < all.count) places.of<Message>(rank).take();
  __syncthreads();
  return places;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
