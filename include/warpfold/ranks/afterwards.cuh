// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps after this rank's list is written: the block that wrote it makes it a message, or also exchanges it and
// joins what all have sent. So the reduction of the local part and the exchange are one launch where memory is shared.
//
// Each block prepares for that beside its first loads. What follows in the last block is trips to memory that cannot
// overlap: the pieces' values, the peers' words. All else is in shared memory by then, also the kernel's argument, of
// which an address would be one in global memory.
#pragma once
#include <warpfold/ranks/join_in_warp.cuh>
#include <warpfold/ranks/near_messages.cuh>
#include <warpfold/reduce/kernel.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Puts the header in front of the message.
template <class Message> struct put_header {
  Message* message;
  message_header header;

  static constexpr std::size_t room_bytes() { return 0; }
  __device__ void prepare() const {}
  template <class List> __device__ List* place_of(List* list) const { return list; }
  template <class Op> __device__ void operator()(const Op&) const {
    if (threadIdx.x != 0) return;
    message->header = header;
    message->complete(message->header);
  }
};

/// Joins the gathered lists, and writes the result.
template <class A, class Op, class Out> struct join_lists {
  static constexpr bool joins_in_warp = true;

  joined_result<A, Out> result;

  /// The same for most messages that are all in shared memory; false for the others. One warp calls it.
  __device__ bool in_warp(const gathered_messages& all, const message_header& own, const Op& op) const {
    return join_in_warp(all, own, op, result);
  }

  __device__ void operator()(const gathered_messages& all, const Op& op, report* to, int& shared) const {
    join_messages(all, op, result, to, shared);
  }
};
/// *out = the number of items on the ranks before `rank`.
struct count_items_before {
  int rank;
  std::int64_t* out;

  template <class Op>
  __device__ void operator()(const gathered_messages& all, const Op&, report* to, int& shared) const {
    count_items(all, rank, out, to, shared);
  }
};

struct no_finish {
  template <class Op> __device__ void operator()(const gathered_messages&, const Op&, report*, int&) const {}
};

/// What a block keeps in shared memory for the step `After`.
template <class After> struct exchange_room {
  thread::array<After, 1> step;
  mail_start start;
  int pieces_behind;  ///< of this rank's message
  int shared;
  std::conditional_t<After::may_be_near, near_messages, char> near;
};

/// An exchange of this rank's message through mailboxes, then `finish`.
template <class Message, class Op, class Finish> struct exchange_then {
  static constexpr bool may_be_near = ranks::may_be_near<Message, Finish>;
  using room = exchange_room<exchange_then>;

  message_header header;
  Message* message;  ///< this rank's, but for the header
  mailboxes boxes;
  gathered_messages all;
  Finish finish;
  report* to;
  bool is_near;  ///< whether place_of finds the list in shared memory; so, too, if there are no nodes

  static constexpr std::size_t room_bytes() { return sizeof(room) + 128; }  ///< of shared memory, and where it begins
  /// To be called by all threads of a block before a barrier; then the other members may be called. Cost: a trip to
  /// memory for one warp, of the last ones but not that which plans the list, while the others go on.
  __device__ void prepare() const {
    const int lane = arch::lane_id(), warps = static_cast<int>(blockDim.x / warp_lanes);
    if (arch::flat_warp() != (warps > 2 ? warps - 2 : warps - 1)) return;
    static_assert(alignof(exchange_then) >= 4);
    constexpr int pieces = sizeof(exchange_then) / 4, rows = (pieces + warp_lanes - 1) / warp_lanes;
    const auto* const from = reinterpret_cast<const std::uint32_t*>(this);
    auto* const to = reinterpret_cast<std::uint32_t*>(&kept().step[0]);
    std::uint32_t row[rows];
    WARPFOLD_UNROLL
    for (int k = 0; k < rows; ++k)
      if (k * warp_lanes + lane < pieces) row[k] = from[k * warp_lanes + lane];
    if (lane == 0) kept().start = mail_start::of(boxes);
    WARPFOLD_UNROLL
    for (int k = 0; k < rows; ++k)
      if (k * warp_lanes + lane < pieces) to[k * warp_lanes + lane] = row[k];
    __syncwarp();
    if (lane != 0) return;
    message_header& own = kept().step[0].header;
    message->complete(own);
    kept().pieces_behind = pieces_behind<Message>(own);
  }
  /// Where the list is to be written that would else be `list`, in this rank's message.
  template <class List> __device__ List* place_of(List* list) const {
    if constexpr (may_be_near)
      if (is_near) return &own(near()).nodes;
    return list;
  }
  __device__ void operator()(const Op& op) const { kept().step[0].run(op); }

 private:
  __device__ static room& kept() {
    __shared__ room of_block;
    return of_block;
  }
  /// The places of messages in shared memory, if it has room for those of all ranks.
  __device__ gathered_messages near() const {
    if constexpr (may_be_near)
      if (boxes.size <= most_near_ranks) return kept().near.all(boxes.size);
    return all;
  }
  __device__ Message& own(const gathered_messages& of) const { return of.of<Message>(boxes.rank); }

  __device__ __attribute__((noinline)) void run(const Op& op) const {
    mail_turn turn(boxes, kept().start, kept().shared);
    const gathered_messages places = near();
    Message& mine = is_near ? own(places) : *message;
    if (!exchange_first_words(turn, boxes, header, kept().pieces_behind, mine, places)) return turn.give_up(to);
    if constexpr (may_be_near)
      if (places.first != all.first) {
        const bool is_joined = is_near && (arch::flat_warp() != 0 || finish.in_warp(places, header, op));
        if (__syncthreads_and(is_joined)) return turn.end();
        spread<Message>(places, all, is_near ? boxes.size : boxes.rank);
        if (is_near && threadIdx.x == 0) own(all).take();
      }
    run_far(turn, op);
  }
  /// Once the first words of all messages are gathered in `all`. Not inlined: most messages are joined before.
  __device__ __attribute__((noinline)) void run_far(mail_turn turn, const Op& op) const {
    if (!take_other_words<Message>(turn, boxes, header, all)) return turn.give_up(to);
    turn.end();
    finish(all, op, to, kept().shared);
  }
};

/// The last step where messages are gathered by a library.
template <class Op, class Finish>
__global__ void finish_kernel(const __grid_constant__ gathered_messages all, Op op,
                              const __grid_constant__ Finish finish, report* to) {
  __shared__ int shared;
  finish(all, op, to, shared);
}

/// An output in place of reduction::part_output: the last block writes the list, then calls after(op).
template <class A, class Op, class After> struct list_then {
  canonical_nodes<A, Op>* list;
  After after;
};

/// Found by the kernels of `reduce` through the types of their first arguments.
template <class A, class Op, class After> __device__ void prepare_steps_behind(const list_then<A, Op, After>& to) {
  to.after.prepare();
}
template <class A, class ListOp, class After, class Op>
__device__ void write_list(const list_then<A, ListOp, After>& to, const reduction::list_plan& plan, const A* pieces,
                           A* shared, Op op) {
  write_list(reduction::part_output<A, ListOp>{to.after.place_of(to.list)}, plan, pieces, shared, op);
  __syncthreads();
  to.after(op);
}

/// For messages that are written by kernels of their own, or that have a header only. One block.
template <class Op, class After> __global__ void after_kernel(Op op, const __grid_constant__ After after) {
  after.prepare();
  __syncthreads();
  after(op);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {
template <class A, class Op, class After> inline constexpr bool is_part<ranks::list_then<A, Op, After>> = true;
template <class A, class Op, class After>
inline constexpr std::size_t shared_bytes_for<ranks::list_then<A, Op, After>> = After::room_bytes();
template <class A, class Op, class After> struct schedule_for<ranks::list_then<A, Op, After>> {
  using type = part_schedule;
};
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
