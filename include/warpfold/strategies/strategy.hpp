// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies as types, and which compositions of their parts there are.
//
//   Schedule                           finishes
//   grid::multi_pass                   none
//   grid::persistent                   last_block  two_launch  block_atomic  warp_atomic
//   grid::producer_consumer<P, C>      last_block  two_launch  block_atomic  warp_atomic
//   grid::bulk_producer_consumer<…>    last_block  two_launch  block_atomic  warp_atomic
//
// each with block::tree<B>, block::warp_tree<B>, block::matrix<H, W, B> or block::shuffle<B>. Two conditions:
//   - block_atomic and warp_atomic: the operator has a hardware atomic for the accumulator (thread::has_atomic_v), and the
//     output is a pointer to it;
//   - warp_atomic: the warps of the block algorithm have results of their own: shuffle, warp_tree.
// check_strategy says so in plain words. Of segments (segmented_strategy.cuh):
//
//   grid::multi_pass                   none
//   grid::persistent                   last_block  two_launch
//   grid::producer_consumer<P, C>      last_block  two_launch
//
// each with block::segmented::tree<B>, warp_tree<B> or matrix<H, W, B>, for owners.
#pragma once
#include <warpfold/options.hpp>
#include <warpfold/strategies/finish.cuh>
#include <warpfold/strategies/kernel.cuh>

namespace warpfold {

template <class Algorithm, class Schedule, class Finish = finish::none> struct strategy {};

template <class Algorithm, class Schedule, class Finish>
inline constexpr bool is_strategy<strategy<Algorithm, Schedule, Finish>> = true;

namespace strategies {

template <class Algorithm, class A>
inline constexpr bool has_warp_results = requires(typename Algorithm::template storage<A>& shared) {
  Algorithm::fold_by_warps(block::whole_block<Algorithm::block_threads>{}, shared, 1, first{});
};

template <class Algorithm, class Schedule, class Finish, class Leaves, class Op, class Out>
consteval void check_strategy() {
  using A = typename Leaves::accumulator;
  static_assert(Schedule::is_persistent || std::is_same_v<Finish, finish::none>,
                "warpfold: grid::multi_pass takes no finish: it is launched again until one value is left");
  static_assert(!Schedule::is_persistent || !std::is_same_v<Finish, finish::none>,
                "warpfold: this schedule leaves a partial result a block and needs a finish: finish::last_block, "
                "finish::two_launch, finish::block_atomic or finish::warp_atomic");
  if constexpr (finish::is_atomic<Finish>) {
    static_assert(thread::has_atomic_v<Op, A>,
                  "warpfold: an atomic finish needs an operator with a hardware atomic for the accumulator type: plus, "
                  "minimum or maximum of 32- or 64-bit integers, float or double, or bit_and, bit_or, bit_xor of those "
                  "integers; others can use finish::last_block");
    static_assert(std::is_same_v<Out, A*>,
                  "warpfold: an atomic finish needs an output that is a pointer to the accumulator type");
  }
  static_assert(!std::is_same_v<Finish, finish::warp_atomic> || has_warp_results<Algorithm, A>,
                "warpfold: finish::warp_atomic needs a block algorithm whose warps have results of their own: "
                "block::shuffle or block::warp_tree; others can use finish::block_atomic");
  static_assert(
      sizeof(grid::strategy_storage<Algorithm, Schedule, Leaves>) <= most_shared_bytes,
      "warpfold: the data-blocks of this strategy do not fit the shared memory of a multiprocessor: take a smaller "
      "block, or fewer stages");
}

}  // namespace strategies
}  // namespace warpfold
