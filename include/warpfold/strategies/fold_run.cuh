// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block algorithms, seen from a schedule. A block algorithm is a type with
//
//   block_threads                       B, where all threads of a block work on a data-block
//   resident_threads                    threads that it would like to have on a multiprocessor
//   data_block_items<Leaves>            D, for those leaves
//   storage<A>                          shared memory, with room `data` for a data-block
//   fold(group, storage, count, op)     folds the first `count` > 0 items of storage.data, which a group barrier has made
//                                       visible; valid in the group's first thread
//
// and, where warps have results of their own, fold_by_warps: the same, valid in lane 0 of each warp that has one. An
// algorithm that can do without a data-block in shared memory also has run_storage<A>, fold_run and fold_run_by_warps, of
// the meaning below. Any group of warps (group.cuh) can run any algorithm.
//
// The data-blocks of a run come from a feed:
//
//   acquire(k)   the leaves in which data-block k lies; returns when they can be read
//   first(k)     the item of them at which it begins
//   release(k)   the calling warp has read what it needs of it
#pragma once
#include <warpfold/strategies/load_data_block.cuh>
#include <warpfold/strategies/running.cuh>

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

/// D of an algorithm whatever the leaves: at least this.
template <class Algorithm, class A>
inline constexpr int least_data_block_items = [] {
  if constexpr (requires { typename Algorithm::template run_storage<A>; }) return Algorithm::block_threads;
  else return decltype(Algorithm::template storage<A>::data)::items;
}();

/// One value a block, or one a warp (for commutative operators).
enum class result_of { block, warp };

/// Folds a data-block in shared memory; see `fold` and `fold_by_warps` above.
template <class Algorithm, result_of Result, class Group, class Storage, class Op>
__device__ auto fold_stored(const Group& group, Storage& shared, int count, Op op) {
  if constexpr (Result == result_of::warp) return Algorithm::fold_by_warps(group, shared, count, op);
  else {
    const auto value = Algorithm::fold(group, shared, count, op);
    return thread::running<std::remove_cv_t<decltype(value)>>{value, group.rank() == 0};
  }
}

/// Folds `data_blocks` > 0 consecutive data-blocks, one after another: the value of each joins on the right of those
/// before it. Valid in the group's first thread, or in lane 0 of each warp that has a result.
template <class Algorithm, result_of Result, class A, class Group, class Storage, class Feed, class Op>
__device__ thread::running<A> fold_run(const Group& group, Storage& shared, Feed feed, std::uint32_t data_blocks,
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
