// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of reductions over axes: the first algorithm that takes a call, scratch, one launch.
#pragma once
#include <warpfold/axes/algorithms.cuh>
#include <warpfold/axes/scratch.hpp>
#include <warpfold/host/initial_value.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Writes the results of outputs without items.
template <class A, class Out> __global__ void __launch_bounds__(256)
empty_kernel(const __grid_constant__ index_map kept, std::int64_t outputs, Out out,
             const __grid_constant__ grid::initial_value<A> empty) {
  const A value = empty.alone();
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
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
axis_arguments<Leaves, Op, Out> arguments_of(const shape& given, const Leaves& leaves, Op op, Out out,
                                             const grid::initial_value<A>& init, int vector) {
  return {leaves,
          op,
          out,
          init,
          index_map(in_vectors(given.kept, vector)),
          index_map(given.reduced),
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
  constexpr bool asks_the_device = std::is_same_v<Algorithm, staged_columns<Leaves, Op, Out>>;
  static_assert(asks_the_device || Algorithm::shared_bytes <= host_side::plain_shared_bytes,
                "warpfold: the accumulator is too large for reduce_axes");
  if (!Algorithm::takes(call)) return false;
  const auto found = Algorithm::plan_for(call);
  if (!found) return false;
  auto arguments = arguments_of(call.given, leaves, op, out, init, Algorithm::vector);
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

/// Enqueues the first algorithm that takes the call. `leaves` have one item per chunk.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_fastest(const planned_call& call, const Leaves& leaves, Op op, Out out,
                     const grid::initial_value<A>& init) {
  constexpr std::size_t item_bytes = sizeof(typename Leaves::item);
  constexpr int vector = vector_items(item_bytes, sizeof(A)), chunk = thread::items_per_chunk(item_bytes),
                most_chunk = row_chunk_items<Leaves>();
  constexpr bool takes_few_items = most_few_items(greatest_of(item_bytes, sizeof(A))) > very_few_items;
  const auto single = leaves.template in_chunks<1>();
  const auto try_algorithm = [&]<class Algorithm>(Algorithm, const auto& in_chunks) {
    return enqueue_with<Algorithm>(call, in_chunks, op, out, init);
  };
  const auto columns = [&]<class In>(const In& in) {
    if (try_algorithm(few_item_columns<very_few_items, In, Op, Out>{}, in)) return true;
    if constexpr (takes_few_items)
      if (try_algorithm(few_item_columns<few_items_count, In, Op, Out>{}, in)) return true;
    return try_algorithm(whole_columns<In, Op, Out>{}, in) || try_algorithm(shared_columns<In, Op, Out>{}, in);
  };
  const auto rows = [&]<class In>(const In& in) {
    return try_algorithm(short_rows<In, Op, Out>{}, in) || try_algorithm(long_rows<In, Op, Out>{}, in);
  };
  const auto long_runs = [&]<class In>(const In& in) { return try_algorithm(long_rows<In, Op, Out>{}, in); };
  const auto narrow = [&]<int Columns>(std::integral_constant<int, Columns>) {
    const auto in = single.template in_chunks<narrow_chunk_rows(item_bytes, Columns) * Columns>();
    return try_algorithm(narrow_matrices<Columns, std::remove_const_t<decltype(in)>, Op, Out>{}, in);
  };
  using Single = std::remove_const_t<decltype(single)>;
  if constexpr (takes_narrow(item_bytes, leaf_bytes<Leaves>()))
    if ([&]<int... Above>(std::integer_sequence<int, Above...>) {
          return (narrow(std::integral_constant<int, 2 + Above>()) || ...);
        }(std::make_integer_sequence<int, max_narrow_columns - 1>()))
      return;
  if constexpr (takes_staged_columns(item_bytes, sizeof(A)))
    if (try_algorithm(staged_columns<Single, Op, Out>{}, single)) return;
  if constexpr (takes_tiles(item_bytes, sizeof(A)))
    if (try_algorithm(matrix_tiles<Single, Op, Out>{}, single)) return;
  const bool is_vector = call.choice.vector > 1;
  if (call.choice.kind != kernel_kind::rows && call.choice.kind != kernel_kind::short_rows)
    is_vector ? columns(leaves.template in_chunks<vector>()) : columns(single);
  else if constexpr (most_chunk > chunk)
    call.choice.vector == most_chunk ? long_runs(leaves.template in_chunks<most_chunk>())
    : is_vector                      ? rows(leaves.template in_chunks<chunk>())
                                     : rows(single);
  else is_vector ? rows(leaves.template in_chunks<chunk>()) : rows(single);
}

/// Chooses a kernel and enqueues it. All arguments but `options` have been checked. `leaves` and `out` begin at the
/// first item and output of the shape.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue(const char* function, const shape& given, const Leaves& leaves, Op op, Out out,
             const segmented_options<A>& options) {
  using item = typename Leaves::item;
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
    return choose_kernel(given, reinterpret_cast<std::uintptr_t>(leaves.data), sizeof(item), sizeof(A), vector,
                         row_chunk);
  };
  kernel_choice choice = choose(most_chunk);
  const bool takes_runs = choice.kind == kernel_kind::rows && choice.vector == most_chunk && choice.is_aligned;
  if (most_chunk > chunk && !takes_runs) choice = choose(chunk);
  enqueue_fastest({frame, given, choice}, leaves, thread::items_operator<Leaves, Op>{op}, out, init);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
