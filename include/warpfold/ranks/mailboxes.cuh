// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exchange of messages between the GPUs of one process, by one block on each: it writes its message into all peers'
// memory, and waits for theirs.
//
// Each rank has a mailbox in its own memory: one word that says whether somebody has given up, then places for the
// messages of all senders, in two halves. A word has 16 bytes: the number of the exchange, and 12 bytes of the message.
// Exchanges are numbered by a counter on each device, which the kernel moves: a graph can replay it.
//
// Who may see what when:
// - A word is written and read as a whole, at the scope of the system (arch/system_message.cuh). If it has the number
//   of the exchange, its bytes are there. So no fence is needed, and nothing is cleared between exchanges.
// - Exchange e uses half e mod 2. A rank that writes for exchange e + 2 has received all messages of e + 1. Their
//   senders had ended exchange e before, since calls on a communicator follow each other on each rank. So nobody still
//   reads what is overwritten.
// - A warp reads the counter, and whether somebody has given up, before a barrier; thread 0 writes it when the block
//   has all messages. What earlier exchanges of this rank left is visible when the kernel begins, and who waits asks
//   again. Blocks of which nobody knows yet that they are not the last one read it, too, perhaps while it is written:
//   so both are relaxed, at the scope of the device.
// - A rank that has waited too long says in all mailboxes that it has given up, and reports it; so do the others,
//   sooner than they would by their own clocks, and in all later exchanges. The host clears the mailboxes when nothing
//   runs.
#pragma once
#include <warpfold/arch/system_message.cuh>
#include <warpfold/ranks/join.cuh>
#include <warpfold/reduce/part_cuts.hpp>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int most_local_ranks = 16;
/// Of a message of any accumulators: they have 256 bytes at most.
inline constexpr int most_message_words =
    static_cast<int>((sizeof(message_header) + most_bytes_before_nodes + 124 * 256 + word_bytes - 1) / word_bytes);
constexpr std::size_t mailbox_words(int ranks) {
  return 1 + 2 * static_cast<std::size_t>(ranks) * static_cast<std::size_t>(most_message_words);
}

/// The mailboxes, as one rank sees them.
struct mailboxes {
  arch::message* of[most_local_ranks];  ///< those of each rank
  unsigned* exchanges;                  ///< the number of the last one, in the rank's memory
  std::uint64_t timeout;                ///< in nanoseconds
  int rank, size;
};

/// What a rank's memory says before an exchange. It takes a trip to memory, which a block makes before it needs it.
struct mail_start {
  unsigned exchanges;  ///< the number of the last one
  unsigned given_up;   ///< not zero if somebody has given up

  __device__ static mail_start of(const mailboxes& boxes) {
    return {arch::observe(boxes.exchanges), arch::observe_from_system(boxes.of[boxes.rank]).words[0]};
  }
};

/// One exchange. All threads of the block have one, and call its members together, but put and take.
class mail_turn {
 public:
  __device__ mail_turn(const mailboxes& boxes, const mail_start& start, int& shared)
      : boxes_(boxes), shared_(shared), missing_(boxes.size) {
    if (start.given_up != 0) missing_ = boxes.rank;  // what lies in the mailbox may be of an exchange that failed
    number_ = start.exchanges + 1 == 0 ? 2 : start.exchanges + 1;  // 0 is that of empty words; halves take turns
  }

  /// The ranks but this one, for i from 0 to size - 2.
  __device__ int peer(int i) const { return i < boxes_.rank ? i : i + 1; }

  __device__ void put(int receiver, int word, const std::uint32_t* from) const {
    arch::publish_to_system(place(receiver, boxes_.rank) + word, arch::message{{number_, from[0], from[1], from[2]}});
  }
  /// Waits for a word, unless this thread has waited in vain before.
  __device__ void take(int sender, int word, std::uint32_t* to) {
    const arch::message* const from = place(boxes_.rank, sender) + word;
    WARPFOLD_NO_UNROLL
    for (int polls = 1; missing_ == boxes_.size; ++polls) {
      const arch::message received = arch::observe_from_system(from);
      if (received.words[0] == number_) {
        to[0] = received.words[1], to[1] = received.words[2], to[2] = received.words[3];
        return;
      }
      if (polls % 32 == 0 && (given_up().words[0] != 0 || is_too_late())) missing_ = sender;
      arch::pause<20>();
    }
  }
  /// Whether no thread has waited in vain. The messages taken are visible to all threads afterwards.
  __device__ bool is_complete() {
    missing_ = first_named(missing_, boxes_.size, shared_);
    return missing_ == boxes_.size;
  }
  /// The end of a complete exchange.
  __device__ void end() const {
    if (threadIdx.x == 0) arch::publish(boxes_.exchanges, number_);
  }
  /// The end of one that is not.
  __device__ void give_up(report* to) const {
    if (threadIdx.x != 0) return;
    const arch::message before = given_up();
    if (before.words[0] != 0) return put_report(to, problem::given_up, static_cast<int>(before.words[1]));
    const auto milliseconds = static_cast<std::int64_t>(boxes_.timeout / 1'000'000);
    put_report(to, problem::no_answer, missing_, 0, milliseconds);
    WARPFOLD_NO_UNROLL
    for (int rank = 0; rank < boxes_.size; ++rank)
      arch::publish_to_system(boxes_.of[rank], arch::message{{1, static_cast<unsigned>(boxes_.rank), 0, 0}});
  }

 private:
  __device__ arch::message* place(int receiver, int sender) const {
    const auto half = static_cast<int>(number_ & 1);
    return boxes_.of[receiver] + 1 + static_cast<std::int64_t>(half * boxes_.size + sender) * most_message_words;
  }
  /// The time runs from the first question on: most words are there before anybody asks.
  __device__ bool is_too_late() {
    const std::uint64_t now = arch::nanoseconds();
    if (start_ == 0) start_ = now;
    return now - start_ > boxes_.timeout;
  }
  /// Not zero if somebody has given up; the next word says who.
  __device__ arch::message given_up() const { return arch::observe_from_system(boxes_.of[boxes_.rank]); }

  const mailboxes& boxes_;
  int& shared_;
  int missing_;  ///< the first rank that has not answered, or `size`
  unsigned number_;
  std::uint64_t start_ = 0;
};

/// The words behind a header.
template <class Message> __device__ int payload_words(const message_header& header) {
  return (static_cast<int>(Message::payload_bytes(header)) + word_bytes - 1) / word_bytes;
}

/// The pieces of 4 bytes behind a header of this rank's.
template <class Message> __device__ int pieces_behind(const message_header& own) {
  return own.call == 0 ? 0 : static_cast<int>((Message::payload_bytes(own) + 3) / 4);
}

/// Sends a message, whose header is `own`, with `behind_own` pieces behind it, and takes the first words of the others'
/// to their places in `to`, where this rank's header is put, too. The message is visible to all threads of the block,
/// which all call it. False if not all have answered.
template <class Message>
__device__ bool exchange_first_words(mail_turn& turn, const mailboxes& boxes, const message_header& own, int behind_own,
                                     Message& message, const gathered_messages& to) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), peers = boxes.size - 1;
  const auto* const header = reinterpret_cast<const std::uint32_t*>(&own);
  const auto* const payload = static_cast<const std::uint32_t*>(message.payload());
  constexpr int header_pieces = 3 * header_words;  // of 4 bytes
  const auto put = [&](int i, int word) {
    const bool is_behind = word >= header_words;
    const int first = 3 * (is_behind ? word - header_words : word), end = is_behind ? behind_own : header_pieces;
    const std::uint32_t* const from = is_behind ? payload : header;
    std::uint32_t pieces[3];
    WARPFOLD_UNROLL
    for (int k = 0; k < 3; ++k) pieces[k] = first + k < end ? from[first + k] : 0;
    turn.put(turn.peer(i), word, pieces);
  };
  WARPFOLD_NO_UNROLL
  for (int i = thread; i < first_words * peers; i += threads) put(i / first_words, i % first_words);
  const int other_words = header_words + (behind_own + 2) / 3 - first_words;
  WARPFOLD_NO_UNROLL
  for (int i = thread; i < other_words * peers; i += threads) put(i / other_words, first_words + i % other_words);
  auto* const kept = reinterpret_cast<std::uint32_t*>(&to.of(boxes.rank));
  WARPFOLD_NO_UNROLL
  for (int i = thread; i < header_pieces; i += threads) kept[i] = header[i];
  WARPFOLD_NO_UNROLL
  for (int i = thread; i < first_words * peers; i += threads) {
    const int word = i % first_words, behind = word - header_words, sender = turn.peer(i / first_words);
    turn.take(sender, word,
              behind < 0 ? reinterpret_cast<std::uint32_t*>(&to.of(sender)) + 3 * word
                         : static_cast<std::uint32_t*>(to.of<Message>(sender).payload()) + 3 * behind);
  }
  return turn.is_complete();
}

/// Takes what has not been taken. All threads of the block call it. False if not all comes.
template <class Message>
__device__ bool take_other_words(mail_turn& turn, const mailboxes& boxes, const message_header& own,
                                 const gathered_messages& all) {
  bool is_complete = true;
  WARPFOLD_NO_UNROLL
  for (int i = 0; i < boxes.size - 1; ++i) {
    const int sender = turn.peer(i);
    if (all.of(sender).call != own.call) continue;  // nothing else of it is understood
    auto& message = all.of<Message>(sender);
    if (threadIdx.x == 0) message.take();
    const int words = payload_words<Message>(all.of(sender)), taken = first_words - header_words;
    is_complete = is_complete && words <= taken;
    WARPFOLD_NO_UNROLL
    for (int word = taken + static_cast<int>(threadIdx.x); word < words; word += static_cast<int>(blockDim.x))
      turn.take(sender, header_words + word, static_cast<std::uint32_t*>(message.payload()) + 3 * word);
  }
  return is_complete || turn.is_complete();
}

/// An all-gather of `bytes` bytes, a multiple of 4 that fits a mailbox's place. `all` holds them `stride` bytes apart.
template <class = void>
__global__ void all_gather_kernel(const __grid_constant__ mailboxes boxes, const std::byte* mine, std::byte* all,
                                  int bytes, std::size_t stride, report* to) {
  __shared__ int shared;
  mail_turn turn(boxes, mail_start::of(boxes), shared);
  const int words = (bytes + word_bytes - 1) / word_bytes, peers = boxes.size - 1;
  // 4-byte pieces of word `word` that exist.
  const auto pieces = [&](int word) { return least_of(3, bytes / 4 - 3 * word); };
  const auto* const from = reinterpret_cast<const std::uint32_t*>(mine);
  const auto target = [&](int rank) {
    return reinterpret_cast<std::uint32_t*>(all + static_cast<std::size_t>(rank) * stride);
  };
  WARPFOLD_NO_UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < words * boxes.size; i += static_cast<int>(blockDim.x)) {
    const int word = i % words, receiver = i / words;
    std::uint32_t piece[3] = {};
    for (int k = 0; k < pieces(word); ++k) piece[k] = from[3 * word + k];
    if (receiver != boxes.rank) turn.put(receiver, word, piece);
    else
      for (int k = 0; k < pieces(word); ++k) target(boxes.rank)[3 * word + k] = piece[k];
  }
  WARPFOLD_NO_UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < words * peers; i += static_cast<int>(blockDim.x)) {
    const int word = i % words, sender = turn.peer(i / words);
    std::uint32_t piece[3] = {};
    turn.take(sender, word, piece);
    for (int k = 0; k < pieces(word); ++k) target(sender)[3 * word + k] = piece[k];
  }
  if (turn.is_complete()) turn.end();
  else turn.give_up(to);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
