// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps after this rank's list is written: the block that wrote it makes it a message, or also exchanges it and
// joins what all have sent. So the reduction of the local part and the exchange are one launch where memory is shared.
#pragma once
#include <warpfold/ranks/mailboxes.cuh>
#include <warpfold/reduce/kernel.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Puts the header in front of the message.
template <class Message> struct put_header {
  Message* message;
  message_header header;

  template <class Op> __device__ void operator()(const Op&) const {
    if (threadIdx.x == 0) message->header = message->put(header);
  }
};

/// Joins the gathered lists, and writes the result.
template <class A, class Op, class Out> struct join_lists {
  joined_result<A, Out> result;

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

/// put_header, then an exchange through mailboxes, then `finish`.
template <class Message, class Op, class Finish> struct exchange_then {
  put_header<Message> head;
  mailboxes boxes;
  gathered_messages all;
  Finish finish;
  report* to;

  __device__ __attribute__((noinline)) void operator()(const Op& op) const {
    __shared__ int shared;
    head(op);
    __syncthreads();
    if (!exchange_messages<Message>(boxes, all, head.message->put(head.header), to, shared)) return;
    finish(all, op, to, shared);
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

/// Found by the kernels of `reduce` through the type of its first argument.
template <class A, class ListOp, class After, class Op>
__device__ void write_list(const list_then<A, ListOp, After>& to, const reduction::part_cuts& cuts, const A* pieces,
                           A* shared, Op op) {
  write_list(reduction::part_output<A, ListOp>{to.list}, cuts, pieces, shared, op);
  __syncthreads();
  to.after(op);
}

/// For messages that are written by kernels of their own, or that have a header only. One block.
template <class Op, class After> __global__ void after_kernel(Op op, const __grid_constant__ After after) { after(op); }

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {
template <class A, class Op, class After> inline constexpr bool is_part<ranks::list_then<A, Op, After>> = true;
template <class A, class Op, class After> struct schedule_for<ranks::list_then<A, Op, After>> {
  using type = part_schedule;
};
}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
