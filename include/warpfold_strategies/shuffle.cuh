// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers and shuffles: a thread folds its own chunks, a warp joins its lanes by shuffles, and a block joins one
// value per warp in shared memory. Source: blockReduceSum with vector loads (Kepler). There it needs a commutative
// operator. Here it keeps order: shuffle distances ascend, and a warp's items are consecutive.
#pragma once
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold_strategies/fold_run.cuh>
#include <warpfold_strategies/group.cuh>
#include <warpfold_strategies/slots.cuh>

namespace warpfold::block {

/// A block algorithm (see fold_run.cuh) that needs no data-block in shared memory. Each warp folds a batch of up to
/// LaneBytes per lane in registers: 8 rows of 16-byte vectors. D is the items of B / 32 batches. The warps write their
/// values to a list, and the first warp folds the list when it is full. So warps wait for each other once in many
/// data-blocks. Keeps order, for any associative operator; needs no identity. Cost: 12 shuffles for a batch of 8 rows.
template <int BlockThreads = 512, int LaneBytes = 128> struct shuffle {
  static_assert(BlockThreads % warp_lanes == 0, "warpfold: block::shuffle needs whole warps");
  static constexpr int resident_threads = 1024, block_threads = BlockThreads, batches = BlockThreads / warp_lanes;

  template <class Leaves>
  static constexpr int rows =
      detail::batch_rows<LaneBytes /
                         int(std::max(sizeof(typename Leaves::chunk), sizeof(typename Leaves::accumulator)))>;
  template <class Leaves> static constexpr int batch_items = rows<Leaves>* warp_lanes* Leaves::chunk_items;
  template <class Leaves> static constexpr int data_block_items = batches* batch_items<Leaves>;

  /// The list holds the values of several data-blocks, about 2 KiB.
  template <class A> struct run_storage {
    static constexpr int capacity = batches * std::clamp(2048 / int{sizeof(A)} / batches, 1, 32);
    thread::array<A, capacity> list;
  };

  template <class Group, class Storage, class Feed, class Op>
  static __device__ auto fold_run(const Group& group, Storage& shared, Feed feed, std::uint32_t data_blocks, Op op) {
    using A = std::remove_reference_t<decltype(shared.list[0])>;
    thread::running<A> total;
    int listed = 0;
    for (std::uint32_t k = 0; k < data_blocks; ++k) {
      listed += for_each_batch(group, feed, k, op, [&](int batch, const A& value) {
        if (arch::lane_id() == 0) shared.list[listed + batch] = value;
      });
      if (listed + batches <= Storage::capacity && k + 1 < data_blocks) continue;
      group.sync();
      if (group.warp() == 0) fold_list(shared.list.data(), listed, total, op);
      group.sync();  // the list has been read
      listed = 0;
    }
    return total;
  }

  /// Folds the calling warp's batches only, without a barrier. Joining the warps' values needs a commutative operator.
  template <class Group, class Storage, class Feed, class Op>
  static __device__ auto fold_run_by_warps(const Group& group, Storage& shared, Feed feed, std::uint32_t data_blocks,
                                           Op op) {
    using A = std::remove_reference_t<decltype(shared.list[0])>;
    thread::running<A> total;
    for (std::uint32_t k = 0; k < data_blocks; ++k)
      for_each_batch(group, feed, k, op, [&](int, const A& value) { total.append(value, op); });
    return total;
  }

  /// The form for a data-block that lies in shared memory.
  template <class A> using stored_leaves = thread::leaves<thread::shared_source<A>, thread::no_transform, A>;
  template <class A> struct storage {
    contiguous_slots<A, data_block_items<stored_leaves<A>>> data;
    run_storage<A> run;
  };
  template <class Group, class A, class Op>
  static __device__ A fold(const Group& group, storage<A>& shared, int count, Op op) {
    return fold_run(group, shared.run, stored_feed<A>{shared.data.leaves(count)}, 1, op).value;
  }
  template <class Group, class A, class Op>
  static __device__ thread::running<A> fold_by_warps(const Group& group, storage<A>& shared, int count, Op op) {
    return fold_run_by_warps(group, shared.run, stored_feed<A>{shared.data.leaves(count)}, 1, op);
  }

 private:
  template <class A> struct stored_feed {
    stored_leaves<A> data;
    __device__ const stored_leaves<A>& acquire(std::uint32_t) const { return data; }
    __device__ static std::int64_t first(std::uint32_t) { return 0; }
    __device__ static void release(std::uint32_t) {}
  };

  /// Calls visit(batch, its value), in all lanes, for each batch of data-block k that is the calling warp's. Returns
  /// the number of batches in the data-block.
  template <class Group, class Feed, class Op, class Visit>
  static __device__ int for_each_batch(const Group& group, Feed& feed, std::uint32_t k, Op op, Visit visit) {
    const auto& leaves = feed.acquire(k);
    using Leaves = std::remove_cvref_t<decltype(leaves)>;
    constexpr int items = batch_items<Leaves>;
    const std::int64_t left = leaves.source.items - feed.first(k);
    const int present = left < data_block_items<Leaves> ? (static_cast<int>(left) + items - 1) / items : batches;
    for (int batch = group.warp(); batch < present; batch += Group::warps)
      visit(batch, warp::fold_batch<rows<Leaves>>(leaves, feed.first(k) + batch * items, op));
    feed.release(k);
    return present;
  }

  /// Appends list[0], ..., list[count - 1] to `total`. One warp calls it; `total` is valid in its lanes.
  template <class A, class Op>
  static __device__ void fold_list(const A* list, int count, thread::running<A>& total, Op op) {
    for (int first = 0; first < count; first += warp_lanes) {
      const int left = count - first, lane = arch::lane_id();
      const A value = list[first + (lane < left ? lane : 0)];
      total.append(warp::all_reduce(value, op, left < warp_lanes ? left : warp_lanes), op);
    }
  }
};

}  // namespace warpfold::block
