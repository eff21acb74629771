// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The work-efficient scan: a sweep up a binary tree, then one down. Source: Blelloch 1990; Negrut (prefix scan,
// second approach).
//
// The source's down-sweep clears the root with the operator's identity, and leaves the exclusive scan. Here the
// down-sweep is that of the inclusive scan (Brent and Kung 1982): it has as many steps, and needs no identity.
// Exclusive results are read one item to the left.
#pragma once
#include <warpfold_strategies/hillis_steele.cuh>

namespace warpfold::block {

/// Where a tree in shared memory has spare slots: nowhere, as in the source's kernel, or as in tree_slots.
enum class padding { none, spare_slots };

/// A block algorithm of scans (see hillis_steele.cuh). Up: pairs at doubling stride, whose right item keeps the result.
/// Down: the item `stride` to the right of a finished one joins it, at halving stride. D = 2 B.
/// Cost: 2 log2(D) - 1 steps, a barrier each; 2 D - 2 - log2(D) operations. Without padding lanes at stride s meet in
/// one bank, up to 32 of them; with it the sweep up has no bank conflicts, and of the sweep down only the loads of left
/// items do, where one lane of a warp meets another one (conflicts_of counts them: for 512 floats 11, not 438).
template <padding Padding = padding::spare_slots, int BlockThreads = 256> struct up_down_sweep {
  static_assert(is_power_of_two(BlockThreads) && BlockThreads >= warp_lanes,
                "warpfold: block::up_down_sweep needs a power of two of threads");
  static constexpr int block_threads = BlockThreads, data_block_items = 2 * BlockThreads;

  template <class A>
  using slots =
      std::conditional_t<Padding == padding::none, plain_slots<A, data_block_items>, tree_slots<A, data_block_items>>;
  template <class A> struct storage { slots<A> data; };

  template <class Group, class A, class Op>
  static __device__ auto& scan(const Group& group, storage<A>& shared, int count, Op op) {
    int stride = 1;
    for (; stride < count; stride *= 2) join_pairs(group, shared.data, stride, upper(stride), count, op);
    for (stride /= 4; stride > 0; stride /= 2) join_pairs(group, shared.data, stride, lower(stride), count, op);
    return shared.data;
  }

  template <class A, class Visit> static void visit_accesses(Visit visit) {
    const auto visit_step = [&](int stride, int first) {
      for (const int back : {stride, 0, 0})  // loads the left and the right item, stores the right one
        visit([=](int thread) {
          const int right = first + 2 * stride * thread;
          return right >= stride && right < data_block_items ? slots<A>::index(right - back) : -1;
        });
    };
    for (int stride = 1; stride < data_block_items; stride *= 2) visit_step(stride, upper(stride));
    for (int stride = data_block_items / 4; stride > 0; stride /= 2) visit_step(stride, lower(stride));
  }

 private:
  /// The right item of pair 0, on the way up and on the way down. The latter has no left item and is no pair: with it
  /// a warp's right items, which are loaded and stored, begin where spare slots do.
  __host__ __device__ static constexpr int upper(int stride) { return 2 * stride - 1; }
  __host__ __device__ static constexpr int lower(int stride) { return stride - 1; }

  /// Thread k joins items right - stride and right = first_right + 2 stride k. A pair whose right item does not exist
  /// is left out: no other pair reads what it would make.
  template <class Group, class Slots, class Op, class A = typename Slots::item>
  static __device__ void join_pairs(const Group& group, Slots& data, int stride, int first_right, int count, Op op) {
    WARPFOLD_NO_UNROLL
    for (int right = first_right + 2 * stride * group.rank(); right < count; right += 2 * stride * Group::threads)
      if (right >= stride) data.set(right, static_cast<A>(op(data.get(right - stride), data.get(right))));
    group.sync();
  }
};

}  // namespace warpfold::block
