// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of Hillis and Steele 1986, double-buffered in shared memory. Source: Negrut (prefix scan, first approach).
//
// Block algorithms of scans are types with
//
//   block_threads                    B
//   data_block_items                 D, a multiple of 16, so that data-blocks begin where vectors do
//   storage<A>                       shared memory; its member `data` holds a data-block
//   scan(group, storage, count, op)  replaces item i of the first `count` > 0 items of storage.data by the fold of
//                                    items 0 to i, and returns the slots that hold the results. A group barrier has
//                                    made the items visible; another one has made the results visible to all of the
//                                    group.
//   visit_accesses<A>(visit)         calls visit(slot_of) for each access to shared memory of a full data-block, where
//                                    slot_of(thread) is the slot that a thread accesses, or -1 (scan_conflicts.hpp)
//
// All keep order, for any associative operator, and need no identity.
#pragma once
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/slots.cuh>

namespace warpfold::block {

/// Scans the first `count` items of `from`, with `to` as the second buffer; both are overwritten. Returns the buffer
/// that holds the results, which all threads of the group can read. Cost: log2(count) steps, a barrier each.
template <class Group, class Slots, class Op, class A = typename Slots::item>
__device__ Slots& scan_at_doubling_distance(const Group& group, Slots& from, Slots& to, int count, Op op) {
  Slots *source = &from, *target = &to;
  for (int distance = 1; distance < count; distance *= 2) {
    WARPFOLD_NO_UNROLL
    for (int item = group.rank(); item < count; item += Group::threads) {
      const A own = source->get(item);
      target->set(item, item < distance ? own : static_cast<A>(op(source->get(item - distance), own)));
    }
    group.sync();
    Slots* const results = target;
    target = source;
    source = results;
  }
  return *source;
}

/// A block algorithm of scans: in each step every item joins the item at a doubling distance to its left. D = B.
/// Cost: log2(D) steps, a barrier each; D log2(D) - D + 1 operations, where a loop needs D - 1: not work-efficient. No
/// bank conflicts: lanes access neighbours. Two buffers of shared memory.
template <int BlockThreads = 256> struct hillis_steele {
  static_assert(BlockThreads % warp_lanes == 0, "warpfold: block::hillis_steele needs whole warps");
  static constexpr int block_threads = BlockThreads, data_block_items = BlockThreads;

  template <class A> struct storage { plain_slots<A, data_block_items> data, other; };

  template <class Group, class A, class Op>
  static __device__ auto& scan(const Group& group, storage<A>& shared, int count, Op op) {
    return scan_at_doubling_distance(group, shared.data, shared.other, count, op);
  }

  template <class A, class Visit> static void visit_accesses(Visit visit) {
    for (int distance = 1; distance < data_block_items; distance *= 2) {
      visit([](int thread) { return thread; });
      visit([=](int thread) { return thread < distance ? -1 : thread - distance; });
      visit([](int thread) { return thread; });
    }
  }
};

}  // namespace warpfold::block
