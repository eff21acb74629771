// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers and shuffles: threads fold what they load, warps by shuffles, the block through one value a warp. Source:
// blockReduceSum with vector loads, "Faster Parallel Reductions on Kepler", made ordered: shuffle distances ascend, and a
// warp's items are consecutive.
#pragma once
#include <warpfold/strategies/fold_run.cuh>
#include <warpfold/strategies/group.cuh>
#include <warpfold/strategies/staged_source.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/fold_batch.cuh>

namespace warpfold::block {

/// A block algorithm (see fold_run.cuh) that needs no data-block in shared memory: a warp folds a batch of up to
/// LaneBytes a lane (8 rows of 16-byte vectors) as it arrives; D = a batch for each of B / 32 warps. The values of the
/// warps are listed, and the first warp folds the list when it is full: warps meet once in many data-blocks.
/// Order: kept, any associative operator; a partial data-block needs no identity. Cost: 12 shuffles a batch of 8 rows.
template <int BlockThreads = 512, int LaneBytes = 128> struct shuffle {
  static_assert(BlockThreads % warp_lanes == 0, "warpfold: block::shuffle needs whole warps");
  static constexpr int resident_threads = 1024, block_threads = BlockThreads, batches = BlockThreads / warp_lanes;

  template <class Leaves>
  static constexpr int rows =
      detail::batch_rows<LaneBytes /
                         int(std::max(sizeof(typename Leaves::chunk), sizeof(typename Leaves::accumulator)))>;
  template <class Leaves> static constexpr int batch_items = rows<Leaves>* warp_lanes* Leaves::chunk_items;
  template <class Leaves> static constexpr int data_block_items = batches* batch_items<Leaves>;

  /// The list: values of several data-blocks, about 2 KiB of them.
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

  /// What the calling warp has of that, in no order between warps: for commutative operators. Meets no barrier.
  template <class Group, class Storage, class Feed, class Op>
  static __device__ auto fold_run_by_warps(const Group& group, Storage& shared, Feed feed, std::uint32_t data_blocks,
                                           Op op) {
    using A = std::remove_reference_t<decltype(shared.list[0])>;
    thread::running<A> total;
    for (std::uint32_t k = 0; k < data_blocks; ++k)
      for_each_batch(group, feed, k, op, [&](int, const A& value) { total.append(value, op); });
    return total;
  }

  /// The form for a data-block in shared memory.
  template <class A> using stored_leaves = thread::leaves<staged_source<A>, thread::no_transform, A>;
  template <class A> struct storage {
    staged_items<A, data_block_items<stored_leaves<A>>> data;
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

  /// Calls visit(batch, its value) in all lanes for the calling warp's batches of data-block k; returns how many batches
  /// the data-block has.
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

  /// Appends list[0] … list[count - 1]. By one warp; valid in its lanes.
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
