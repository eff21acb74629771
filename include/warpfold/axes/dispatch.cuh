// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of reductions over axes: plan, scratch, one launch.
#pragma once
#include <warpfold/axes/choice.hpp>
#include <warpfold/axes/column_kernel.cuh>
#include <warpfold/axes/column_share_kernel.cuh>
#include <warpfold/axes/narrow_kernel.cuh>
#include <warpfold/axes/plan.hpp>
#include <warpfold/axes/row_kernel.cuh>
#include <warpfold/axes/scratch.hpp>
#include <warpfold/axes/staged_column_kernel.cuh>
#include <warpfold/axes/tile_kernel.cuh>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/scratch_for.cuh>

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

/// The kept axes by vectors of `vector` items of the innermost one.
inline axis_list in_vectors(axis_list kept, int vector) {
  axis_list::axis& inner = kept.axes[kept.rank - 1];
  inner = {inner.extent / vector, inner.in_stride * vector, inner.out_stride * vector};
  return kept;
}

/// What all kernels get; plan and scratch are still to come.
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

/// Enqueues `kernel`, with scratch if blocks share outputs or draw their work.
template <class Arguments, class... More, class... Given, class A = typename Arguments::A>
void enqueue_kernel(void (*kernel)(Arguments, More...), Arguments arguments, int block_threads,
                    std::size_t shared_bytes, const segmented_options<A>& options, Given... given) {
  const bool needs_scratch = arguments.plan.splits > 1 || arguments.plan.draws;
  const host::call_scratch scratch =
      host::scratch_for(host::current_device(), options, axis_reduction::scratch(sizeof(A)), needs_scratch);
  arguments.partials = scratch.room<A>();
  arguments.counters = scratch.control_words<unsigned>();
  launch(kernel, host::launch_config(arguments.plan.blocks, block_threads, shared_bytes, options.stream), arguments,
         given...);
}

/// The blocks of `Kernel` that are resident on the current device at once.
template <auto* Kernel> int max_resident_blocks(int block_threads, std::size_t shared_bytes) {
  const int device = host::current_device();
  return host::limits_of(device).multiprocessors *
         host::blocks_per_multiprocessor<Kernel>(device, block_threads, shared_bytes);
}

/// Enqueues the column kernel, or that for few items, for vectors of Leaves::chunk_items outputs.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_columns(const shape& given, const kernel_choice& choice, const Leaves& leaves, Op op, Out out,
                     const grid::initial_value<A>& init, const segmented_options<A>& options) {
  constexpr kernel_policy policy = column_policy_of<Leaves>;
  constexpr int vector = Leaves::chunk_items, share_threads = column_share_threads<Leaves>;
  constexpr std::size_t share_bytes = sizeof(column_share_storage<Leaves>);
  static_assert(share_bytes <= 48 * 1024, "warpfold: the accumulator is too large for reduce_axes");
  auto arguments = arguments_of(given, leaves, op, out, init, vector);
  if (choice.kind == kernel_kind::few_items) {
    const auto enqueue_few_items = [&]<int Items>(std::integral_constant<int, Items>) {
      arguments.plan = plan_few_items(arguments.vectors, few_items_vectors(Items), options.max_blocks);
      enqueue_kernel(&few_items_kernel<Items, Leaves, Op, Out>, arguments, few_items_threads, 0, options);
    };
    if constexpr (most_few_items(std::max(sizeof(typename Leaves::item), sizeof(A))) > very_few_items)
      if (arguments.items > very_few_items) return enqueue_few_items(std::integral_constant<int, few_items>());
    return enqueue_few_items(std::integral_constant<int, very_few_items>());
  }
  if (choice.kind == kernel_kind::whole_columns) {
    arguments.plan = plan_whole_columns(arguments.vectors, arguments.items, share_threads, options.max_blocks);
    return enqueue_kernel(&column_share_kernel<Leaves, Op, Out>, arguments, share_threads, share_bytes, options);
  }
  arguments.plan = plan_columns(host::limits_of(host::current_device()).multiprocessors, arguments.vectors, vector,
                                arguments.items, sizeof(A), policy, options.max_blocks);
  const int threads = column_threads(arguments.plan, policy);
  if constexpr (policy.loads_ahead) {
    constexpr std::size_t shared_bytes = sizeof(column_storage<Leaves>);
    static_assert(shared_bytes <= 48 * 1024, "warpfold: the accumulator is too large for reduce_axes");
    enqueue_kernel(&column_kernel<Leaves, Op, Out>, arguments, threads, shared_bytes, options);
  } else enqueue_kernel(&column_share_kernel<Leaves, Op, Out>, arguments, threads, share_bytes, options);
}

/// Enqueues the row kernel, or that for short rows, with chunks of Leaves::chunk_items items.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue_rows(const shape& given, const kernel_choice& choice, const Leaves& leaves, Op op, Out out,
                  const grid::initial_value<A>& init, const segmented_options<A>& options) {
  constexpr auto* kernel = &row_kernel<Leaves, Op, Out>;
  constexpr row_policy policy = row_policy_of<Leaves>;
  constexpr std::size_t shared_bytes = sizeof(row_storage<Leaves>);
  static_assert(shared_bytes <= 48 * 1024, "warpfold: the accumulator is too large for reduce_axes");
  auto arguments = arguments_of(given, leaves, op, out, init, 1);
  if (choice.kind == kernel_kind::short_rows) {
    arguments.plan = plan_short_rows(arguments.vectors, arguments.items, policy, options.max_blocks);
    return enqueue_kernel(&short_row_kernel<Leaves, Op, Out>, arguments, policy.block_threads, 0, options,
                          choice.is_aligned);
  }
  arguments.plan = plan_rows(max_resident_blocks<kernel>(policy.block_threads, shared_bytes), arguments.vectors,
                             arguments.items, sizeof(A), policy, options.max_blocks);
  enqueue_kernel(kernel, arguments, policy.block_threads, shared_bytes, options, choice.is_aligned);
}

/// Enqueues the narrow kernel for matrices of `Columns` columns.
template <int Columns, class Single, class Op, class Out, class A = typename Single::accumulator>
void enqueue_narrow(const shape& given, const kernel_choice& choice, const Single& single, Op op, Out out,
                    const grid::initial_value<A>& init, const segmented_options<A>& options) {
  constexpr int chunk_items = narrow_chunk_rows(sizeof(typename Single::item), Columns) * Columns;
  const auto leaves = single.template in_chunks<chunk_items>();
  using Leaves = std::remove_const_t<decltype(leaves)>;
  constexpr auto* kernel = &narrow_kernel<Columns, Leaves, Op, Out>;
  constexpr narrow_policy policy = narrow_policy_of<Leaves, Columns>;
  constexpr std::size_t shared_bytes = sizeof(narrow_storage<Leaves, Columns>);
  static_assert(shared_bytes <= 48 * 1024, "warpfold: the accumulator is too large for reduce_axes");
  auto arguments = arguments_of(given, leaves, op, out, init, 1);
  arguments.plan =
      plan_narrow(max_resident_blocks<kernel>(policy.block_threads, shared_bytes), given.outputs / Columns, Columns,
                  arguments.items, sizeof(typename Single::item), sizeof(A), policy, options.max_blocks);
  enqueue_kernel(kernel, arguments, policy.block_threads, shared_bytes, options, choice.is_aligned);
}

/// Calls call(std::integral_constant<int, columns>()) for 2 <= columns <= max_narrow_columns.
template <int Columns = 2, class Call> void with_columns(std::int64_t columns, Call call) {
  if (columns == Columns) call(std::integral_constant<int, Columns>());
  else if constexpr (Columns < max_narrow_columns) with_columns<Columns + 1>(columns, call);
}

/// Enqueues the tile kernel, if it takes the shape.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
bool enqueue_tiles(const shape& given, const Leaves& leaves, Op op, Out out, const grid::initial_value<A>& init,
                   const segmented_options<A>& options) {
  constexpr auto* kernel = &tile_kernel<Leaves, Op, Out>;
  constexpr tile_policy policy = tile_policy_of<Leaves>;
  constexpr std::size_t shared_bytes = sizeof(tile_storage<Leaves>);
  static_assert(shared_bytes <= 48 * 1024, "warpfold: the accumulator is too large for reduce_axes");
  const auto plan =
      plan_tiles(max_resident_blocks<kernel>(policy.block_threads, shared_bytes), given, policy, options.max_blocks);
  if (!plan) return false;
  auto arguments = arguments_of(given, leaves, op, out, init, 1);
  arguments.plan = plan->grid;
  enqueue_kernel(kernel, arguments, policy.block_threads, shared_bytes, options, plan->tile);
  return true;
}

/// Whether the current device `device` can run a kernel of sm_90 with so much shared memory, which it then allows.
inline bool allow_stages(const void* kernel, int device, std::size_t shared_bytes) {
  const auto most = static_cast<std::size_t>(host::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (!host::is_sm_90(kernel, device) || shared_bytes > most) return false;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  return true;
}

/// Enqueues the staged kernel, if it takes the shape and the device has bulk copies.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
bool enqueue_staged_columns(const shape& given, const Leaves& leaves, Op op, Out out,
                            const grid::initial_value<A>& init, const segmented_options<A>& options) {
  constexpr auto* kernel = &staged_column_kernel<Leaves, Op, Out>;
  constexpr staged_policy policy = staged_policy_of<Leaves>;
  constexpr std::size_t shared_bytes = sizeof(staged_storage<Leaves>);
  static host::per_device<bool> has_stages;
  const int device = host::current_device();
  const auto plan = plan_staged_columns(host::limits_of(device).multiprocessors, given, sizeof(typename Leaves::item),
                                        sizeof(A), policy, options.max_blocks);
  if (!plan || !has_stages.get(device, &allow_stages, reinterpret_cast<const void*>(kernel), device, shared_bytes))
    return false;
  auto arguments = arguments_of(given, leaves, op, out, init, 1);
  arguments.plan = plan->grid;
  enqueue_kernel(kernel, arguments, policy.block_threads + 2 * warp_lanes, shared_bytes, options, plan->stage);
  return true;
}

/// Chooses a kernel and enqueues it. All arguments but `options` have been checked. `leaves` and `out` begin at the
/// first item and output of the shape.
template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
void enqueue(const char* function, const shape& given, const Leaves& leaves, Op op, Out out,
             const segmented_options<A>& options) {
  using item = typename Leaves::item;
  host::check_options(function, options, axis_reduction::scratch(sizeof(A)));
  if (given.reduced_items == 0) {
    const auto empty = host::empty_value_of<Op, Out>(
        function, options,
        "the reduced axes have no items, and the operator has no identity: .init or .empty must be given");
    if (given.outputs > 0)
      launch(
          &empty_kernel<A, Out>,
          host::launch_config(grid_of(host::divide_up(given.outputs, 256), options.max_blocks), 256, 0, options.stream),
          index_map(given.kept), given.outputs, out, empty);
    return;
  }
  const auto init = host::initial_value_of<Op>(function, options.init);
  if (given.outputs == 0) return;
  constexpr int vector = vector_items(sizeof(item), sizeof(A)), chunk = thread::items_per_chunk(sizeof(item));
  const kernel_choice choice =
      choose_kernel(given, reinterpret_cast<std::uintptr_t>(leaves.data), sizeof(item), sizeof(A), vector, chunk);
  const thread::items_operator<Leaves, Op> items_op{op};
  const auto columns = [&](const auto& in_vectors) {
    enqueue_columns(given, choice, in_vectors, items_op, out, init, options);
  };
  const auto rows = [&](const auto& in_chunks) {
    enqueue_rows(given, choice, in_chunks, items_op, out, init, options);
  };
  const auto single = leaves.template in_chunks<1>();
  if constexpr (takes_narrow(sizeof(item), leaf_bytes<Leaves>()))
    if (choice.kind == kernel_kind::narrow)
      return with_columns(given.kept.inner().extent, [&]<int Columns>(std::integral_constant<int, Columns>) {
        enqueue_narrow<Columns>(given, choice, single, items_op, out, init, options);
      });
  if constexpr (takes_staged_columns(sizeof(item), sizeof(A)))
    if (may_be_staged(choice) && enqueue_staged_columns(given, single, items_op, out, init, options)) return;
  if constexpr (takes_tiles(sizeof(item), sizeof(A)))
    if (choice.kind == kernel_kind::tiles && enqueue_tiles(given, single, items_op, out, init, options)) return;
  if (choice.kind != kernel_kind::rows && choice.kind != kernel_kind::short_rows)
    choice.vector > 1 ? columns(leaves.template in_chunks<vector>()) : columns(single);
  else choice.vector > 1 ? rows(leaves.template in_chunks<chunk>()) : rows(single);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
