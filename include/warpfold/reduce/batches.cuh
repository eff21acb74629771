// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp gets and folds its batches. There are two ways with one interface:
// - row_batches fold rows as they are loaded.
// - run_batches fold consecutive items in each lane. Shared memory transposes the rows, while the next batch is loaded.
//   For operators whose joins take as long as a trip to memory.
#pragma once
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/fold_runs.cuh>

namespace warpfold::reduction {

namespace detail {
template <class Leaves> struct batches_of { static constexpr bool by_runs = false, share_by_runs = false; };
template <class T, int Items, class Op, class Transform, class A>
struct batches_of<thread::leaves<thread::pointer_source<T, Items>, thread::lifted<Op, Transform>, A>> {
  using chunk = thread::chunk<T, Items>;
  static constexpr bool possible = sizeof(A) <= 128 && chunk::bytes == 16 && chunk::vector_bytes == 16,
                        by_runs = possible && thread::tells_wide_full_nodes<Op>(),
                        share_by_runs = by_runs || (possible && thread::is_fused<Op> && sizeof(A) > 16);
};
}  // namespace detail

/// Whether batches are folded by runs: those of items behind a pointer, if the operator has full nodes.
template <class Leaves> inline constexpr bool folds_by_runs = detail::batches_of<Leaves>::by_runs;
/// The same in the persistent kernel: also if a fused operator has many parts.
template <class Leaves> inline constexpr bool shares_by_runs = detail::batches_of<Leaves>::share_by_runs;

/// The batches of one warp. All lanes call each member.
template <class Leaves, int Rows> class row_batches {
 public:
  struct storage {};
  __device__ explicit row_batches(storage&) {}

  /// Starts to bring the batch at item `first`, before the first fold.
  __device__ void start(const Leaves&, std::int64_t) {}
  /// The node over the batch at item `first`, which has items; next() is the item at which the warp's next batch
  /// begins. Valid in lane 0.
  template <class Op, class Next> __device__ auto fold(const Leaves& leaves, std::int64_t first, Next, Op op) {
    return warp::fold_batch<Rows>(leaves, first, op);
  }
};

template <class Leaves, int Rows> class run_batches {
 public:
  using chunk = typename Leaves::chunk;
  using transpose = warp::transpose<chunk, Rows>;
  static constexpr int chunk_items = Leaves::chunk_items, batch_items = warp_lanes * Rows * chunk_items;
  struct storage {
    alignas(16) unsigned char room[transpose::room_bytes];
  };

  __device__ explicit run_batches(storage& own) : own_(own) {}

  __device__ void start(const Leaves& leaves, std::int64_t first) {
    if constexpr (loads_ahead) load(leaves, first);
  }
  template <class Op, class Next>
  __device__ auto fold(const Leaves& leaves, std::int64_t first, Next next, Op op) -> typename Leaves::accumulator {
    if (!warp::is_whole(leaves, first, batch_items)) return warp::fold_cut_batch<Rows>(leaves, first, op);
    if constexpr (!loads_ahead) load(leaves, first);
    chunk chunks[Rows];
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row) chunks[row] = loaded_[row];
    transpose::to_runs(chunks, own_.room);
    start(leaves, next());
    return warp::fold_runs(leaves, chunks, op, [&](int k) {
      chunk again;
      leaves.source.load(again, first + (arch::lane_id() * Rows + k) * chunk_items);
      return again;
    });
  }

 private:
  /// Wider accumulators leave no registers for a second batch.
  static constexpr bool loads_ahead = sizeof(typename Leaves::accumulator) <= 32;

  __device__ void load(const Leaves& leaves, std::int64_t first) {
    if (!warp::is_whole(leaves, first, batch_items)) return;
    WARPFOLD_UNROLL
    for (int row = 0; row < Rows; ++row)
      leaves.source.load(loaded_[row], first + (row * warp_lanes + arch::lane_id()) * chunk_items);
  }

  storage& own_;
  chunk loaded_[Rows] = {};
};

template <class Leaves, int Rows>
using batches = std::conditional_t<shares_by_runs<Leaves>, run_batches<Leaves, Rows>, row_batches<Leaves, Rows>>;

/// The same for a warp that folds a single batch, of up to MaxRows rows.
template <class Leaves, int MaxRows> struct row_batch {
  template <class Op> __device__ auto fold(const Leaves& leaves, int first, Op op, int rows) {
    return warp::fold_batch<MaxRows>(leaves, first, op, rows);
  }
};
template <class Leaves, int MaxRows> struct run_batch {
  warp::runs_storage<Leaves, MaxRows> storage;
  /// Valid in lane 0.
  template <class Op> __device__ auto fold(const Leaves& leaves, int first, Op op, int rows) {
    return warp::fold_batch_by_runs<MaxRows>(leaves, first, op, storage, rows);
  }
};
template <class Leaves, int MaxRows>
using single_batch = std::conditional_t<folds_by_runs<Leaves>, run_batch<Leaves, MaxRows>, row_batch<Leaves, MaxRows>>;

}  // namespace warpfold::reduction
