// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named strategies as types, and the valid compositions of their parts.
//
//   Schedule                           finishes
//   grid::multi_pass                   none
//   grid::persistent                   last_block  two_launch  block_atomic  warp_atomic
//   grid::producer_consumer<P, C>      last_block  two_launch  block_atomic  warp_atomic
//   grid::bulk_producer_consumer       last_block  two_launch  block_atomic  warp_atomic
//
// Each takes block::tree<B>, block::warp_tree<B>, block::matrix<H, W, B> or block::shuffle<B>. Two conditions hold:
//   - block_atomic and warp_atomic need an operator with a hardware atomic for the accumulator (thread::has_atomic_v),
//     and an output that is a pointer to the accumulator;
//   - warp_atomic needs a block algorithm whose warps have results of their own: shuffle or warp_tree.
// check_strategy explains what is wrong with another composition. For segments (segmented_dispatch.cuh) there are:
//
//   grid::multi_pass                   none
//   grid::persistent                   last_block  two_launch
//   grid::producer_consumer<P, C>      last_block  two_launch
//
// Each takes block::segmented::tree<B>, warp_tree<B> or matrix<H, W, B>.
#pragma once
#include <warpfold/options.hpp>
#include <warpfold_strategies/finish.cuh>
#include <warpfold_strategies/kernel.cuh>

namespace warpfold {

/// A named strategy: how a block reduces a data-block, which data-blocks each CUDA-block takes, and how the results of
/// the CUDA-blocks become one.
template <class Algorithm, class Schedule, class Finish = finish::none> struct strategy {};

template <class Algorithm, class Schedule, class Finish>
inline constexpr bool is_strategy<strategy<Algorithm, Schedule, Finish>> = true;

namespace strategies {

/// The partial results of one launch, as the input of the next one.
template <class A> using partial_leaves = thread::leaves<thread::pointer_source<A>, thread::no_transform, A>;

template <class Algorithm, class A>
inline constexpr bool has_warp_results = requires(typename Algorithm::template storage<A>& shared) {
  Algorithm::fold_by_warps(block::whole_block<Algorithm::block_threads>{}, shared, 1, first{});
};

/// Whether launches after the first one reduce partial results.
template <class Schedule, class Finish>
inline constexpr bool launches_again = !Schedule::is_persistent || std::is_same_v<Finish, finish::two_launch>;

template <class Algorithm, class Schedule, class Leaves>
inline constexpr bool fits_shared_memory =
    sizeof(grid::strategy_storage<Algorithm, Schedule, Leaves>) <= most_shared_bytes;

/// Whether a strategy can be composed so, for given leaves; says in plain words why not.
template <class Algorithm, class Schedule, class Finish, class Leaves, class Op, class Out>
consteval bool check_strategy() {
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
  constexpr bool next_fits =
      !launches_again<Schedule, Finish> || fits_shared_memory<Algorithm, Schedule, partial_leaves<A>>;
  static_assert(fits_shared_memory<Algorithm, Schedule, Leaves>,
                "warpfold: the data-blocks of this strategy do not fit the shared memory of a multiprocessor: take a "
                "smaller block, or fewer stages");
  static_assert(
      next_fits,
      "warpfold: the data-blocks of this strategy's second launch, which reduces accumulators, do not fit the "
      "shared memory of a multiprocessor: take a smaller block, fewer stages, or finish::last_block");
  constexpr bool has_finish = Schedule::is_persistent != std::is_same_v<Finish, finish::none>;
  constexpr bool can_be_atomic = !finish::is_atomic<Finish> || (thread::has_atomic_v<Op, A> && std::is_same_v<Out, A*>);
  constexpr bool has_results = !std::is_same_v<Finish, finish::warp_atomic> || has_warp_results<Algorithm, A>;
  return has_finish && can_be_atomic && has_results && fits_shared_memory<Algorithm, Schedule, Leaves> && next_fits;
}

}  // namespace strategies
}  // namespace warpfold
