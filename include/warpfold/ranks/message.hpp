// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank's message to all others in an exchange: which call it makes, and its part's list of nodes. Or that it cannot
// take part, and why: then nobody waits for it.
#pragma once
#include <cstring>
#include <string_view>
#include <warpfold/canonical_nodes.hpp>
#include <warpfold/reduce/part_cuts.hpp>

namespace warpfold::ranks {

/// Text of bounded length; longer text is cut.
struct short_text {
  alignas(8) char of[80] = {};  // copied in words of 8 bytes

  short_text() = default;
  explicit short_text(std::string_view text) {
    std::memcpy(of, text.data(), text.size() < sizeof of ? text.size() : sizeof of - 1);
  }
};

struct message_header {
  std::uint64_t call = 0;  ///< a number that equal calls have in common; 0: the rank cannot take part
  std::int64_t first = 0;  ///< the rank's items
  std::int64_t end = 0;
  std::int64_t count = 0;  ///< of the nodes that are sent; or of items or results, where that is asked
  std::int32_t root = -1;  ///< the rank that gets the result; -1: all
  std::int32_t rank = 0;   ///< which says so
  short_text text = {};    ///< the call in words, or why the rank cannot take part
};
static_assert(sizeof(message_header) == 120);

inline constexpr int word_bytes = 12;  ///< of a message in a word of a mailbox
inline constexpr int header_words = static_cast<int>(sizeof(message_header)) / word_bytes;
static_assert(header_words * word_bytes == sizeof(message_header));
/// Words of a message that always travel, used or not: a warp takes them at once, before it knows how many are used.
inline constexpr int first_words = 32;

/// FNV-1a (Fowler, Noll, Vo). Never 0.
constexpr std::uint64_t call_number(std::string_view name) {
  std::uint64_t number = 0xcbf29ce484222325u;
  for (const char c : name) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return number == 0 ? 1 : number;
}

using reduction::list_nodes;

/// A header, and the nodes of the part that it names. Messages of other kinds have the same members:
///
///   payload()           what travels behind the header, up to payload_bytes(header) bytes
///   complete(header)    completes this rank's header, which the host has made; all else has been written
///   take()              to be called when header and payload have arrived
template <class A, class Op> struct list_message {
  message_header header;
  canonical_nodes<A, Op> nodes;

  __device__ static std::int64_t payload_bytes(const message_header& of) {
    return std::int64_t{list_nodes(of.first, of.end).count()} * static_cast<std::int64_t>(sizeof(A));
  }
  __device__ void* payload() { return warpfold::detail::list_writer::nodes(nodes); }
  __device__ static void complete(message_header&) {}
  __device__ void take() { warpfold::detail::list_writer::set_items(nodes, header.first, header.end); }
};

/// The nodes that travel in the words behind a header that always do.
template <class A>
inline constexpr int nodes_in_first_words = (first_words - header_words) * word_bytes / static_cast<int>(sizeof(A));

/// The bytes of the first all-gather of an exchange. It carries headers: so ranks whose messages differ in size
/// find out; most messages need no other one.
inline constexpr std::size_t first_gather_bytes = 4096;
template <class Message> inline constexpr bool fits_first_gather = sizeof(Message) <= first_gather_bytes;
/// The distance of gathered messages, with room to write the last node in words.
template <class Message>
inline constexpr std::size_t message_stride = fits_first_gather<Message> ? first_gather_bytes
                                                                         : (sizeof(Message) + 16 + 127) / 128 * 128;

/// Of any accumulators, which have 256 bytes at most and are aligned to 128 at most.
inline constexpr std::size_t most_message_stride = 33 * 1024;
/// What stands between the header and the nodes, at most.
inline constexpr std::size_t most_bytes_before_nodes = 1024;

}  // namespace warpfold::ranks
