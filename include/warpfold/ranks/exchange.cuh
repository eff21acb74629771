// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of a call over ranks: it reduces the local part, exchanges the lists and joins them.
//
// A rank that throws before its message is on the way sends another one, that it cannot take part: else the others
// would wait for it. Not in a capture, which must be thrown away on all ranks.
#pragma once
#include <warpfold/call_options.hpp>
#include <warpfold/host/type_name.hpp>
#include <warpfold/host/wait_for_value.cuh>
#include <warpfold/ranks/afterwards.cuh>
#include <warpfold/ranks/communicator.cuh>
#include <warpfold/ranks/options.hpp>
#include <warpfold/reduce/part_dispatch.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether ranks exchange messages through mailboxes, in the launch that reduces the local part.
template <class Ranks>
concept has_mailboxes = requires(Ranks& ranks, std::chrono::nanoseconds timeout) {
  { ranks.boxes(timeout) } -> std::same_as<mailboxes>;
};

inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require_success(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

/// The options with the communicator's scratch, if it has some and the caller has not.
template <class Ranks> call_options with_scratch(Ranks& ranks, call_options options) {
  if constexpr (requires { ranks.scratch(); })
    if (options.workspace.bytes.empty()) options.workspace = ranks.scratch();
  return options;
}

/// One call on one rank. `A` and `Op` are those of the lists; a `Message` has the members of list_message.
template <class A, class Op, communicator Ranks, class Message = list_message<A, Op>> class exchange {
 public:
  using message = Message;

  exchange(const char* function, Ranks& ranks, const Op& op, const call_options& options,
           std::chrono::nanoseconds timeout, int root = -1, std::size_t room_bytes = 0, const std::string& more = {})
      : function_(function), ranks_(ranks), op_(op), options_(options), timeout_(timeout), room_bytes_(room_bytes) {
    const std::string name = std::string(function) + " with " + std::string(host_side::type_name<Op>()) + " in " +
                             std::string(host_side::type_name<A>()) + more;
    header_.call = call_number(name + std::to_string(sizeof(A)));
    header_.root = root;
    header_.rank = ranks.rank();
    header_.text = short_text(name);
  }

  /// Runs `body`, which calls reduce or count once. If it throws before that, the other ranks get to know.
  template <class Body> void run(Body body) {
    try {
      ranks_.begin_call(function_, timeout_);
      if (header_.root >= ranks_.size())
        reject(function_, {"root is rank ", header_.root, "; there are ", ranks_.size(), " ranks"});
      if (timeout_.count() <= 0) reject(function_, "timeout is not positive");
      body();
    } catch (const std::exception& failure) {
      if (!is_sent_) tell_failure(failure.what());
      throw;
    }
  }

  /// Device memory of as many bytes as the constructor was told, aligned to 128: for the steps after the exchange.
  std::byte* room() { return memory_of_call().room; }

  /// Reduces `leaves`, the items from number `first` on, and finishes with what all ranks have sent.
  template <class Leaves, class Finish> void reduce(Leaves leaves, std::int64_t first, const Finish& finish) {
    thread::number_from(leaves, first);
    header_.first = first, header_.end = first + leaves.source.items;
    header_.count = list_nodes(header_.first, header_.end).count();
    const memory at = memory_of_call();
    with_step_after(at, header_, finish, [&](const auto& after) { enqueue_list(leaves, first, at, after); });
    gather_and_finish(at, finish);
  }
  /// Finishes with a number that all ranks have sent, and the first and last items of their parts; no node is sent.
  template <class Finish> void tell(std::int64_t count, std::int64_t first, std::int64_t end, const Finish& finish) {
    header_.count = count, header_.first = first, header_.end = end;
    const memory at = memory_of_call();
    with_step_after(at, header_, finish, [&](const auto& after) { enqueue_after(after); });
    gather_and_finish(at, finish);
  }
  /// This rank's message, for kernels that write it before send().
  message* own_message() { return memory_of_call().mine; }
  /// Sends it with the items [first, end) of the part, and finishes with what all ranks have sent.
  template <class Finish> void send(std::int64_t first, std::int64_t end, const Finish& finish) {
    tell(0, first, end, finish);
  }
  /// The messages of the last exchange, until the next one.
  gathered_messages messages() { return memory_of_call().all; }

 private:
  static constexpr bool in_one_launch = has_mailboxes<Ranks>;
  static constexpr std::size_t stride = message_stride<message>;
  static_assert(stride <= most_message_stride);

  struct memory {
    gathered_messages all;
    message* mine;
    std::byte* first_gather;  ///< if messages need more
    report* to;
    std::byte* room;
  };
  memory memory_of_call() {
    const auto size = static_cast<std::size_t>(ranks_.size());
    const std::size_t firsts = in_one_launch || fits_first_gather<message> ? 0 : size * first_gather_bytes,
                      order = (size * sizeof(int) + 127) / 128 * 128;
    std::byte* const base = ranks_.reserve((size + 1) * stride + firsts + order + room_bytes_);
    std::byte *const all = base + stride, *const behind = all + size * stride + firsts;
    auto* const mine =
        reinterpret_cast<message*>(in_one_launch ? all + static_cast<std::size_t>(ranks_.rank()) * stride : base);
    return {{all, stride, ranks_.size(), reinterpret_cast<int*>(behind)},
            mine,
            all + size * stride,
            ranks_.report_place(),
            behind + order};
  }

  /// Calls enqueue(after), where `after` is what the block does that has written the list.
  template <class Finish, class Enqueue>
  void with_step_after(const memory& at, const message_header& header, const Finish& finish, Enqueue enqueue) {
    if constexpr (in_one_launch) {
      enqueue(exchange_then<message, Op, Finish>{header, at.mine, ranks_.boxes(timeout_), at.all, finish, at.to,
                                                 header.first >= header.end});
      is_sent_ = true;
    } else enqueue(put_header<message>{at.mine, header});
  }
  template <class After> void enqueue_after(const After& after) {
    const int threads = in_one_launch ? 128 : warp_lanes;
    host_side::enqueue(&after_kernel<Op, After>, {1, threads}, options_.stream, op_, after);
  }
  template <class Leaves, class After>
  void enqueue_list(const Leaves& leaves, std::int64_t first, const memory& at, const After& after) {
    const call_options options = with_scratch(ranks_, options_);
    const host_side::call_frame frame(function_, options, reduction::scratch(host_side::current_device(), sizeof(A)));
    const std::int64_t items = leaves.source.items;
    canonical_nodes<A, Op>* const list = &at.mine->nodes;
    if (items == 0) return enqueue_after(after);
    if constexpr (host_side::own_reduction<Op, A>::exists) {
      host_side::own_reduction<Op, A>::enqueue(
          function_, leaves, reduction::whole_output(list, first, items), op_,
          reduce_options<A>{options.stream, {}, options.workspace, options.max_blocks});
      enqueue_after(after);
    } else if constexpr (warp::selects<Leaves>) {
      reduction::enqueue_selection(frame, leaves, reduction::whole_output(list, first, items), op_,
                                   grid::initial_value<A>{});
      enqueue_after(after);
    } else {
      list_then<A, Op, After> then{list, after};
      if constexpr (in_one_launch)
        then.after.is_near =
            After::may_be_near && ranks_.size() <= most_near_ranks && header_.count <= nodes_in_first_words<A>;
      reduction::enqueue_part_tree(frame, leaves, first, then, op_);
    }
  }

  /// Where a library gathers.
  template <class Finish> void gather_and_finish(const memory& at, const Finish& finish) {
    if constexpr (!in_one_launch) {
      is_sent_ = true;
      gather_first(at);
      if constexpr (!fits_first_gather<message>) {
        if (!is_capturing(options_.stream)) {  // a rank whose message has another size would not take part in the next
          const gathered_messages firsts{at.first_gather, first_gather_bytes, ranks_.size(), nullptr};
          host_side::enqueue(&check_kernel<>, {1, 256}, options_.stream, firsts, at.to);
          ranks_.wait(options_.stream, function_);
        }
        ranks_.all_gather(at.mine, at.all.first, stride, options_.stream);
      }
      const int threads = ranks_.size() <= warp_lanes ? warp_lanes : 256;
      host_side::enqueue(&finish_kernel<Op, Finish>, {1, threads}, options_.stream, at.all, op_, finish, at.to);
    }
  }
  void gather_first(const memory& at) {
    ranks_.all_gather(at.mine, fits_first_gather<message> ? at.all.first : at.first_gather, first_gather_bytes,
                      options_.stream);
  }

  /// Tells the other ranks why this one cannot take part.
  void tell_failure(const char* why) noexcept {
    try {
      if (is_capturing(options_.stream)) return;
      if constexpr (requires { ranks_.is_unanswered(); })
        if (ranks_.is_unanswered()) return;
      message_header failed = header_;
      failed.call = 0, failed.first = 0, failed.end = 0;
      failed.text = short_text(why);
      const memory at = memory_of_call();
      with_step_after(at, failed, no_finish{}, [&](const auto& after) { enqueue_after(after); });
      if constexpr (!in_one_launch) gather_first(at);
    } catch (const std::exception&) {  // what has failed first is thrown
    }
  }

  const char* function_;
  Ranks& ranks_;
  const Op op_;
  const call_options options_;
  std::chrono::nanoseconds timeout_;
  std::size_t room_bytes_;
  message_header header_;
  bool is_sent_ = false;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
