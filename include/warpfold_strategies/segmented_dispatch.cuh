// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of the named strategies for segments. The first launch fills the output; then come the launches of the
// unsegmented strategy over pieces of segments (piece.cuh).
#pragma once
#include <warpfold/segmented/dispatch.cuh>
#include <warpfold/segmented/owned_segments.cuh>
#include <warpfold_strategies/dispatch.cuh>
#include <warpfold_strategies/owned_leaves.cuh>
#include <warpfold_strategies/segmented.cuh>

namespace warpfold::strategies {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Segments> inline constexpr bool is_owned = false;
template <class Ids> inline constexpr bool is_owned<segmented::owned_segments<Ids>> = true;

/// Whether a segmented reduction can be composed so; says in plain words why not.
template <class Algorithm, class Schedule, class Finish, class Segments, class Out, class A>
consteval bool check_segmented_strategy() {
  static_assert(
      block::is_segmented<Algorithm>,
      "warpfold: segmented_reduce takes the algorithms of block::segmented (tree, warp_tree, matrix); this one reduces "
      "a whole input to one value");
  static_assert(is_owned<Segments>,
                "warpfold: named strategies of segmented_reduce are for segments given by owners{ids}, as "
                "in their sources; offsets, bounds and fixed_length take the default, automatic");
  static_assert(!finish::is_atomic<Finish>,
                "warpfold: an atomic finish cannot keep segments apart; segmented_reduce takes finish::last_block or "
                "finish::two_launch");
  static_assert(!Schedule::needs_bulk_copy,
                "warpfold: segmented_reduce runs on grid::multi_pass, grid::persistent or grid::producer_consumer");
  static_assert(
      std::is_same_v<Out, A*>,
      "warpfold: the segmented algorithms fold into the output, so its items must be of the accumulator type");
  return block::is_segmented<Algorithm> && is_owned<Segments> && !finish::is_atomic<Finish> &&
         !Schedule::needs_bulk_copy && std::is_same_v<Out, A*>;
}

/// Items and owners in equal chunks, the smaller of the two natural lengths.
template <template <class, class, class> class Pairs, class Ids, class Values, class Transform, class Op, class A>
auto make_owned_leaves(const segmented::owned_segments<Ids>& segments,
                       const thread::leaves<Values, Transform, A>& leaves, Op op, A* out,
                       const grid::initial_value<A>& init) {
  using id = std::iter_value_t<Ids>;
  constexpr int chunk_items = std::min(Values::chunk_items, thread::items_per_chunk(sizeof(id)));
  const auto values = thread::rechunk<chunk_items>(leaves.source);
  const thread::pointer_source<id, chunk_items> ids{segments.ids, segments.items};
  using source = grid::owned_source<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(ids)>>;
  using pairs = Pairs<A, typename source::key, Op>;
  const bool has_init = init.what != grid::initial_value<A>::kind::none;
  return grid::owned_leaves<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(ids)>, Transform, pairs,
                            A>{{{values, ids, segments.items}, pairs::keeps_left || has_init, !pairs::keeps_left},
                               leaves.transform,
                               {op, out},
                               init,
                               segments.count};
}

template <class Strategy> struct strategy_segmented_reduction;

template <class Algorithm, class Schedule, class Finish>
struct strategy_segmented_reduction<strategy<Algorithm, Schedule, Finish>> {
  /// Enqueues the reduction of each of `segments` into `out`. The caller has checked all arguments but `options`.
  template <class Segments, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void enqueue(const char* function, const Segments& segments, const Leaves& leaves, Out out, Op op,
                      const segmented_options<A>& options) {
    check_operator<Op, A>();
    if constexpr (!is_operator_for<Op, A>) return;  // else what follows would bury the reason in other errors
    else if constexpr (check_segmented_strategy<Algorithm, Schedule, Finish, Segments, Out, A>()) {
      using unsegmented = strategy_reduction<strategy<typename Algorithm::unsegmented, Schedule, Finish>>;
      const auto empty = host_side::empty_value_of<Op, Out>(function, options, segmented::no_empty_value);
      const auto init = host_side::initial_value_of<Op>(function, options.init);
      check_max_blocks<Schedule>(function, options.max_blocks);
      host_side::check_initial_apart(function, "init", options.init, "out", out, segments.count);
      host_side::check_initial_apart(function, "empty", options.empty, "out", out, segments.count);
      if (segments.count == 0) return;
      const auto fill = [&] { fill_output(out, segments.count, empty, options.stream); };
      if (segments.items == 0) return fill();
      const auto owned = make_owned_leaves<Algorithm::template pairs>(segments, leaves, op, out, init);
      using piece = typename decltype(owned)::accumulator;
      unsegmented::run(function, owned, grid::piece_output<A>{out}, owned.pairs,
                       reduce_options<piece>{options.stream, {}, options.workspace, options.max_blocks},
                       grid::initial_value<piece>{}, fill);
    }
  }

  /// As strategy_reduction::facts, with the launch that fills the output.
  template <class Ids, class Leaves, class Op, class A = typename Leaves::accumulator>
  static strategy_facts facts(std::int64_t items) {
    using owned = decltype(make_owned_leaves<Algorithm::template pairs>(segmented::owned_segments<Ids>{},
                                                                        std::declval<Leaves>(), std::declval<Op>(),
                                                                        std::declval<A*>(), grid::initial_value<A>{}));
    using unsegmented = strategy_reduction<strategy<typename Algorithm::unsegmented, Schedule, Finish>>;
    auto facts = unsegmented::template facts<owned, decltype(owned::pairs), grid::piece_output<A>>(items);
    ++facts.launches;
    return facts;
  }

 private:
  template <class A>
  static void fill_output(A* out, std::int64_t count, const grid::initial_value<A>& empty, cudaStream_t stream) {
    constexpr int threads = 256;
    const std::int64_t most = std::int64_t{host_side::limits_of(host_side::current_device()).multiprocessors} * 8;
    const int blocks = static_cast<int>(std::min(most, host_side::divide_up(count, threads)));
    host_side::enqueue(&grid::fill_kernel<A>, {blocks, threads}, stream, out, count, empty);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::strategies

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Algorithm, class Schedule, class Finish>
struct segmented_reduce_with<strategy<Algorithm, Schedule, Finish>>
    : strategies::strategy_segmented_reduction<strategy<Algorithm, Schedule, Finish>> {};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
