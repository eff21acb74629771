// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compositions under test, with names: every block algorithm on every schedule with every finish, in small blocks
// so that small inputs have many borders.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <warpfold/reduce.cuh>
#include <warpfold/strategies.cuh>

#include "common/device.cuh"

namespace wf_test {

namespace wf = warpfold;

using small_tree = wf::block::tree<64>;
using small_warp_tree = wf::block::warp_tree<64>;
using small_matrix = wf::block::matrix<32, 32, 64>;
using small_shuffle = wf::block::shuffle<64>;

/// With C consumer warps: trees of two make use of the barrier among consumers.
template <int C> using paper_form = wf::grid::producer_consumer<3, C>;
template <int C> using modern_form = wf::grid::bulk_producer_consumer<1, C, 3>;
using two_producers = wf::grid::bulk_producer_consumer<2, 1, 2>;

template <class... Lists> struct joined;
template <class... S> struct joined<testing::Types<S...>> { using type = testing::Types<S...>; };
template <class... S, class... R, class... Lists>
struct joined<testing::Types<S...>, testing::Types<R...>, Lists...> : joined<testing::Types<S..., R...>, Lists...> {};
template <class... Lists> using join_lists = typename joined<Lists...>::type;

/// One algorithm on all persistent schedules with one finish.
template <class Algorithm, class Paper, class Modern, class Finish>
using persistent_compositions =
    testing::Types<wf::strategy<Algorithm, wf::grid::persistent, Finish>, wf::strategy<Algorithm, Paper, Finish>,
                   wf::strategy<Algorithm, Modern, Finish>>;

/// All of one algorithm that keep order.
template <class Algorithm, class Paper, class Modern>
using compositions_of = join_lists<testing::Types<wf::strategy<Algorithm, wf::grid::multi_pass>>,
                                   persistent_compositions<Algorithm, Paper, Modern, wf::finish::last_block>,
                                   persistent_compositions<Algorithm, Paper, Modern, wf::finish::two_launch>>;

using ordered_compositions = join_lists<compositions_of<small_tree, paper_form<2>, modern_form<2>>,
                                        compositions_of<small_warp_tree, paper_form<2>, modern_form<2>>,
                                        compositions_of<small_matrix, paper_form<1>, two_producers>,
                                        compositions_of<small_shuffle, paper_form<2>, modern_form<1>>>;

using atomic_compositions =
    join_lists<persistent_compositions<small_tree, paper_form<2>, modern_form<2>, wf::finish::block_atomic>,
               persistent_compositions<small_warp_tree, paper_form<2>, modern_form<2>, wf::finish::block_atomic>,
               persistent_compositions<small_matrix, paper_form<1>, two_producers, wf::finish::block_atomic>,
               persistent_compositions<small_shuffle, paper_form<2>, modern_form<1>, wf::finish::block_atomic>,
               persistent_compositions<small_warp_tree, paper_form<2>, modern_form<2>, wf::finish::warp_atomic>,
               persistent_compositions<small_shuffle, paper_form<2>, modern_form<1>, wf::finish::warp_atomic>>;

template <class Part> struct part_name;
template <int B> struct part_name<wf::block::tree<B>> { static constexpr const char* value = "tree"; };
template <int B> struct part_name<wf::block::warp_tree<B>> { static constexpr const char* value = "warp_tree"; };
template <int H, int W, int B> struct part_name<wf::block::matrix<H, W, B>> {
  static constexpr const char* value = "matrix";
};
template <int B, int L> struct part_name<wf::block::shuffle<B, L>> { static constexpr const char* value = "shuffle"; };
template <> struct part_name<wf::grid::multi_pass> { static constexpr const char* value = "multi_pass"; };
template <> struct part_name<wf::grid::persistent> { static constexpr const char* value = "persistent"; };
template <int P, int C> struct part_name<wf::grid::producer_consumer<P, C>> {
  static constexpr const char* value = "producer_consumer";
};
template <int P, int C, int Stages> struct part_name<wf::grid::bulk_producer_consumer<P, C, Stages>> {
  static constexpr const char* value = "bulk_producer_consumer";
};
template <> struct part_name<wf::finish::none> { static constexpr const char* value = "none"; };
template <> struct part_name<wf::finish::last_block> { static constexpr const char* value = "last_block"; };
template <> struct part_name<wf::finish::two_launch> { static constexpr const char* value = "two_launch"; };
template <> struct part_name<wf::finish::block_atomic> { static constexpr const char* value = "block_atomic"; };
template <> struct part_name<wf::finish::warp_atomic> { static constexpr const char* value = "warp_atomic"; };

template <class S> struct strategy_parts;
template <class Algorithm, class Schedule, class Finish>
struct strategy_parts<wf::strategy<Algorithm, Schedule, Finish>> {
  static constexpr bool is_persistent = Schedule::is_persistent, is_atomic = wf::finish::is_atomic<Finish>;
  static constexpr bool needs_bulk_copy = Schedule::needs_bulk_copy;
  static std::string name() {
    return std::string(part_name<Algorithm>::value) + "_" + part_name<Schedule>::value + "_" + part_name<Finish>::value;
  }
};

struct composition_names {
  template <class S> static std::string GetName(int) { return strategy_parts<S>::name(); }
};

/// False on a GPU before sm_90, where the modern form is refused.
template <class S> bool runs_here() { return !strategy_parts<S>::needs_bulk_copy || copies_in_bulk(); }

}  // namespace wf_test
