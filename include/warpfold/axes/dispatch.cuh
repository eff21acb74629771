// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of reductions over axes: the first algorithm that takes a call, scratch, one launch.
#pragma once
#include <warpfold/axes/algorithms.cuh>
#include <warpfold/axes/known_shape.hpp>
#include <warpfold/axes/scratch.hpp>
#include <warpfold/host/initial_value.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Writes the results of outputs without items.
template <class A, class Out> __global__ void __launch_bounds__(256)
empty_kernel(const __grid_constant__ index_map kept, std::int64_t outputs, Out out,
             const __grid_constant__ grid::initial_value<A> empty) {
  const A value = empty.alone();
  WARPFOLD_NO_UNROLL
  for (std::int64_t i = std::int64_t{blockIdx.x} * 256 + arch::flat_thread(); i < outputs;
       i += std::int64_t{gridDim.x} * 256)
    out[kept.place_of(i).out] = value;
}

/// Enqueues that of a shape that has outputs.
template <class Out, class A>
void enqueue_empty(const host_side::call_frame& frame, const shape& given, Out out,
                   const grid::initial_value<A>& empty) {
  frame.launch(
      &empty_kernel<A, Out>, {grid_of(host_side::divide_up(given.outputs, 256), frame.max_blocks()), 256}, false,
      [&](const auto&) { return index_map(given.kept); }, given.outputs, out, empty);
}

/// The kept axes by vectors of `vector` items of the innermost one.
inline axis_list in_vectors(axis_list kept, int vector) {
  axis_list::axis& inner = kept.axes[kept.rank - 1];
  inner = {inner.extent / vector, inner.in_stride * vector, inner.out_stride * vector};
  return kept;
}

/// The arguments of all kernels. Plan and scratch are filled in later.
template <class Map = index_map, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
axis_arguments<Leaves, Op, Out, Map> arguments_of(const shape& given, const Leaves& leaves, Op op, Out out,
                                                  const grid::initial_value<A>& init, int vector) {
  return {leaves,
          op,
          out,
          init,
          Map(in_vectors(given.kept, vector)),
          Map(given.reduced),
          given.outputs / vector,
          given.reduced_items,
          given.kept.inner().out_stride,
          {},
          nullptr,
          nullptr};
}

/// Enqueues the kernel of `Algorithm`, if it takes the call, with scratch if blocks share outputs or draw their work.
/// Returns whether it does.
template <class Algorithm, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
bool enqueue_with(const planned_call& call, const Leaves& leaves, Op op, Out out, const grid::initial_value<A>& init) {
  using map = typename Algorithm::arguments::map;
  constexpr bool asks_the_device = std::is_same_v<Algorithm, staged_columns<typename Algorithm::arguments>>;
  static_assert(asks_the_device || Algorithm::shared_bytes <= host_side::plain_shared_bytes,
                "warpfold: the accumulator is too large for reduce_axes");
  if (!Algorithm::takes(call)) return false;
  const auto found = Algorithm::plan_for(call);
  if (!found) return false;
  auto arguments = arguments_of<map>(call.given, leaves, op, out, init, Algorithm::vector);
  arguments.plan = found->grid;
  const auto with_scratch = [&](const host_side::call_scratch& scratch) {
    arguments.partials = scratch.room<A>();
    arguments.counters = scratch.control_words<unsigned>();
    return arguments;
  };
  std::apply(
      [&](const auto&... more) {
        const host_side::launch_shape shape{found->grid.blocks,      found->block_threads,
                                            Algorithm::shared_bytes, 0,
                                            Algorithm::why,          call.given.outputs * call.given.reduced_items};
        call.frame.launch(Algorithm::kernel, shape, found->grid.splits > 1 || found->grid.draws, with_scratch, more...);
      },
      found->more);
  return true;
}

/// Enqueues the first algorithm for columns that takes the call, which is the last one at least.
template <class Known, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_columns(const planned_call& call, const Leaves& leaves, Op op, Out out,
                     const grid::initial_value<A>& init) {
  constexpr std::size_t item_bytes = sizeof(typename Leaves::item);
  constexpr int vector = vector_items(item_bytes, sizeof(A));
  constexpr bool takes_few_items =
      most_few_items(greatest_of(item_bytes, held_bytes<Leaves>), 0, false) > very_few_items;
  const auto single = leaves.template in_chunks<1>();
  using single_arguments = axis_arguments<std::remove_const_t<decltype(single)>, Op, Out, typename Known::map>;
  const auto try_algorithm = [&]<class Algorithm>(Algorithm, const auto& in) {
    return enqueue_with<Algorithm>(call, in, op, out, init);
  };
  const auto narrow = [&]<int Columns>(std::integral_constant<int, Columns>) {
    const auto in = single.template in_chunks<narrow_chunk_rows(item_bytes, Columns) * Columns>();
    using arguments = axis_arguments<std::remove_const_t<decltype(in)>, Op, Out, typename Known::map>;
    return try_algorithm(narrow_matrices<Columns, arguments>{}, in);
  };
  const auto columns = [&]<class In>(const In& in) {
    using arguments = axis_arguments<In, Op, Out, typename Known::map>;
    if (try_algorithm(very_few_item_columns<arguments>{}, in)) return;
    if constexpr (takes_few_items) {
      constexpr bool is_long = folds_by_long_rounds<In>;
      constexpr int fewer_rounds = is_long ? 1 : 2, round = is_long ? long_round : few_items_round,
                    rounds = is_long ? 2 : 4;
      if (try_algorithm(few_item_columns<few_items_round, fewer_rounds, arguments>{}, in)) return;
      if (try_algorithm(few_item_columns<round, rounds, arguments>{}, in)) return;
    }
    if (!try_algorithm(whole_columns<arguments>{}, in)) try_algorithm(shared_columns<arguments>{}, in);
  };
  if constexpr (takes_narrow(item_bytes, leaf_bytes<Leaves>()))
    if ([&]<int... Below>(std::integer_sequence<int, Below...>) {
          return (narrow(std::integral_constant<int, max_narrow_columns - Below>()) || ...);
        }(std::make_integer_sequence<int, max_narrow_columns - (order_of<Known, Leaves> != item_order::columns)>()))
      return;
  if constexpr (takes_staged_columns(item_bytes, sizeof(A), folds_runs<Leaves>))
    if (try_algorithm(staged_columns<single_arguments>{}, single)) return;
  if constexpr (takes_tiles(item_bytes) && sizeof(A) <= 32)
    if (try_algorithm(matrix_tiles<single_arguments>{}, single)) return;
  call.choice.vector > 1 ? columns(leaves.template in_chunks<vector>()) : columns(single);
}

/// The same for rows.
template <class Known, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_rows(const planned_call& call, const Leaves& leaves, Op op, Out out, const grid::initial_value<A>& init) {
  constexpr int chunk = thread::items_per_chunk(sizeof(typename Leaves::item)), most_chunk = row_chunk_items<Leaves>();
  const auto try_algorithm = [&]<class Algorithm>(Algorithm, const auto& in) {
    return enqueue_with<Algorithm>(call, in, op, out, init);
  };
  const auto try_short = [&]<class In, class Map>(const In& in, std::type_identity<Map>) {
    return try_algorithm(short_rows<axis_arguments<In, Op, Out, Map>>{}, in);
  };
  const auto take_long = [&]<class In, class Map>(const In& in, std::type_identity<Map>) {
    try_algorithm(long_rows<axis_arguments<In, Op, Out, Map>>{}, in);
  };
  using map = typename Known::map;
  const auto chunks = leaves.template in_chunks<chunk>();
  const auto runs = leaves.template in_chunks<most_chunk>();
  if constexpr (most_chunk > chunk)
    if (call.choice.vector == most_chunk) return take_long(runs, std::type_identity<map>{});
  if constexpr (Known::order != item_order::rows && chunk > 1) {  // known rows are adjacent
    const int axes = call.given.reduced.rank;
    if (call.choice.is_scattered || axes > 2 || (folds_runs<Leaves> && axes > 1)) {
      if (call.choice.is_scattered ? try_short(chunks, std::type_identity<scattered<map>>{})
                                   : try_short(chunks, std::type_identity<map>{}))
        return;
      constexpr bool are_narrow = alignof(typename Leaves::item) % 4 != 0;
      using apart = scattered<std::conditional_t<are_narrow, map, of_few_axes<map>>>;
      if constexpr (!folds_runs<Leaves>)
        if (!gains_by_gathering(call.given, call.choice.unit * sizeof(typename Leaves::item), chunk,
                                row_policy_of<std::remove_const_t<decltype(chunks)>>.batch_items()))
          return take_long(chunks, std::type_identity<apart>{});
      return take_long(runs, std::type_identity<gathered<map>>{});
    }
  }
  // Those of more axes have been gathered, unless chunks are single items.
  using few = std::conditional_t<(chunk > 1), of_few_axes<map>, map>;
  if (!try_short(chunks, std::type_identity<map>{})) take_long(chunks, std::type_identity<few>{});
}

/// Chooses a kernel and enqueues it. All arguments but `options` have been checked. `leaves` and `out` begin at the
/// first item and output of the shape, of which `Known` is known.
template <class Known, class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue(const char* function, const shape& given, const Leaves& leaves, Op op, Out out,
             const segmented_options<A>& options) {
  using item = typename Leaves::item;
  constexpr item_order order = order_of<Known, Leaves>;
  const host_side::call_frame frame(function, options, axis_reduction::scratch(sizeof(A)));
  if (given.reduced_items == 0) {
    const auto empty = host_side::empty_value_of<Op, Out>(
        function, options,
        "the reduced axes have no items, and the operator has no identity: .init or .empty must be given");
    if (given.outputs > 0) enqueue_empty(frame, given, out, empty);
    return;
  }
  const auto init = host_side::initial_value_of<Op>(function, options.init);
  if (given.outputs == 0) return;
  constexpr int vector = vector_items(sizeof(item), sizeof(A)), chunk = thread::items_per_chunk(sizeof(item)),
                most_chunk = row_chunk_items<Leaves>();
  const auto choose = [&](int row_chunk) {
    return choose_kernel(given, reinterpret_cast<std::uintptr_t>(leaves.data), sizeof(item), held_bytes<Leaves>, vector,
                         row_chunk, order, folds_by_long_rounds<Leaves>);
  };
  kernel_choice choice = choose(most_chunk);
  const bool takes_runs = choice.kind == kernel_kind::rows && choice.is_aligned &&
                          given.reduced_items > std::int64_t{warp_lanes} * most_chunk;
  if (most_chunk > chunk && !takes_runs) choice = choose(chunk);
  const thread::items_operator<Leaves, Op> items_op{op};
  const planned_call call{frame, given, choice};
  const bool by_rows = choice.kind == kernel_kind::rows;
  if constexpr (order != item_order::rows)
    if (!by_rows) return enqueue_columns<Known>(call, leaves, items_op, out, init);
  if constexpr (order != item_order::columns) enqueue_rows<Known>(call, leaves, items_op, out, init);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
