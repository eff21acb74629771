// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block algorithms, seen from a schedule. A block algorithm is a type with
//
//   block_threads                       B, if all threads of a block work on a data-block
//   resident_threads                    resident threads a multiprocessor that suit it, for launch bounds
//   data_block_items<Leaves>            D, for those leaves
//   storage<A>                          shared memory; its member `data` holds a data-block
//   fold(group, storage, count, op)     folds the first `count` > 0 items of storage.data; valid in the group's first
//                                       thread. A group barrier has made the items visible.
//
// If its warps have results of their own, it also has fold_by_warps, which is valid in lane 0 of each warp that has a
// result. If it needs no data-block in shared memory, it also has run_storage<A>, fold_run and fold_run_by_warps, which
// are to the functions below what fold is to fold_stored. Any group of warps (group.cuh) can run any algorithm.
//
// The data-blocks of a run come from a feed:
//
//   acquire(k)   waits until data-block k can be read, and returns the leaves that contain it
//   first(k)     the item of those leaves at which data-block k begins
//   release(k)   says that the calling warp has read data-block k
#pragma once
#include <warpfold_strategies/load_data_block.cuh>
#include <warpfold_strategies/running.cuh>

namespace warpfold::block {

namespace detail {
template <class Algorithm, class A> struct run_storage { using type = typename Algorithm::template storage<A>; };
template <class Algorithm, class A>
  requires requires { typename Algorithm::template run_storage<A>; }
struct run_storage<Algorithm, A> {
  using type = typename Algorithm::template run_storage<A>;
};
}  // namespace detail

/// Shared memory of fold_run.
template <class Algorithm, class A> using run_storage = typename detail::run_storage<Algorithm, A>::type;

/// A lower bound of D, whatever the leaves.
template <class Algorithm, class A>
inline constexpr int least_data_block_items = [] {
  if constexpr (requires { typename Algorithm::template run_storage<A>; }) return Algorithm::block_threads;
  else return decltype(Algorithm::template storage<A>::data)::items;
}();

/// Results: one for each block, or one for each warp (for commutative operators).
enum class result_of { block, warp };

/// Folds a data-block in shared memory, by `fold` or `fold_by_warps`. `exists` in the threads where the result is
/// valid.
template <class Algorithm, result_of Result, class Group, class Storage, class Op>
__device__ auto fold_stored(const Group& group, Storage& shared, int count, Op op) {
  if constexpr (Result == result_of::warp) return Algorithm::fold_by_warps(group, shared, count, op);
  else {
    const auto value = Algorithm::fold(group, shared, count, op);
    return thread::running<std::remove_cv_t<decltype(value)>>{value, group.rank() == 0};
  }
}

/// Folds `data_blocks` > 0 consecutive data-blocks, one after another, and appends their values in order. Valid in the
/// group's first thread, or in lane 0 of each warp that has a result.
template <class Algorithm, result_of Result, class A, class Storage, class Feed, class Op>
__device__ thread::running<A> fold_run(const auto& group, Storage& shared, Feed feed, std::uint32_t data_blocks,
                                       Op op) {
  if constexpr (requires { typename Algorithm::template run_storage<A>; }) {
    if constexpr (Result == result_of::warp) return Algorithm::fold_run_by_warps(group, shared, feed, data_blocks, op);
    else return Algorithm::fold_run(group, shared, feed, data_blocks, op);
  } else {
    thread::running<A> total;
    for (std::uint32_t k = 0; k < data_blocks; ++k) {
      const int count = load_data_block(group, feed.acquire(k), feed.first(k), shared.data);
      feed.release(k);
      group.sync();
      const auto value = fold_stored<Algorithm, Result>(group, shared, count, op);
      if (value.exists) total.append(value.value, op);
      group.sync();  // the data-block has been read
    }
    return total;
  }
}

}  // namespace warpfold::block
