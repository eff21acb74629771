// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of exact sums over one array, and over segments. Scratch is control words only: a global_sum for each
// sum that blocks or warps share.
#pragma once
#include <warpfold/exact/kernel.cuh>
#include <warpfold/exact/operator.cuh>
#include <warpfold/exact/plan.hpp>
#include <warpfold/exact/segment_kernel.cuh>
#include <warpfold/host/batch_plan.hpp>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/launch.cuh>
#include <warpfold/host/reduce_with.hpp>
#include <warpfold/host/scratch_for.cuh>
#include <warpfold/thread/lift.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the exact sum of `leaves`, which have been lifted, into `out`. All arguments have been checked but those of
/// `options`.
template <class Leaves, class Op, class Out, class T>
void enqueue(const char* function, const Leaves& lifted, Out out, Op op,
             const reduce_options<superaccumulator<T>>& options) {
  using A = superaccumulator<T>;
  const std::int64_t count = lifted.source.items;
  const auto init = count > 0 ? host::initial_value_of<Op>(function, options.init)
                              : host::value_of_nothing<Op, Out>(function, options.init);
  constexpr host::scratch_need need{sizeof(global_sum<T>), 0};
  const int device = host::current_device();
  host::check_options(function, options, need);
  if (count == 0) return launch(&grid::write_kernel<A, Out>, host::launch_config(1, 1, 0, options.stream), out, init);

  using transform = std::remove_cvref_t<decltype(lifted.transform.transform)>;
  using items = thread::leaves<typename Leaves::source_type, transform, T>;
  constexpr auto* kernel = &sum_kernel<items, Op, Out>;
  constexpr int max_block_warps = sum_policy<T>::max_block_warps;
  constexpr std::size_t shared_bytes = sizeof(sum_storage<items>);
  static_assert(shared_bytes <= 48 * 1024, "more shared memory needs an opt-in for each kernel");
  static_assert(need.feature_bytes <= host::feature_control_bytes);
  const std::int64_t batches =
      host::divide_up(count, std::int64_t{batch_rows<items>() * warp_lanes * items::chunk_items});
  const int multiprocessors = host::limits_of(device).multiprocessors;
  const host::batch_plan plan = host::plan_batches(
      batches, multiprocessors,
      multiprocessors * host::blocks_per_multiprocessor<kernel>(device, max_block_warps * warp_lanes, shared_bytes),
      max_block_warps, options.max_blocks);
  const host::call_scratch scratch = host::scratch_for(device, options, need, plan.blocks > 1);
  launch(kernel, host::launch_config(plan.blocks, plan.block_warps * warp_lanes, shared_bytes, options.stream),
         sum_arguments<items, Op, Out>{{lifted.source, lifted.transform.transform},
                                       op,
                                       out,
                                       init,
                                       batches,
                                       scratch.control_words<global_sum<T>>(),
                                       scratch.ticket()});
}

/// Enqueues the exact sums of segments of `lifted`. All arguments have been checked.
template <class Segments, class Leaves, class Op, class Out, class T, class A = superaccumulator<T>>
void enqueue_segments(const Segments& segments, const Leaves& lifted, Out out, Op op,
                      const grid::initial_value<A>& init, const grid::initial_value<A>& empty,
                      const segmented_options<superaccumulator<T>>& options) {
  const auto source = in_vectors(lifted.source);
  using transform = std::remove_cvref_t<decltype(lifted.transform.transform)>;
  using items = thread::leaves<std::remove_cv_t<decltype(source)>, transform, T>;
  constexpr auto* kernel = &sum_segments_kernel<Segments, items, Op, Out>;
  constexpr int threads = segment_block_warps * warp_lanes;
  constexpr std::size_t shared_bytes = segment_block_warps * sizeof(segment_storage<T>);
  static_assert(shared_bytes <= 48 * 1024, "more shared memory needs an opt-in for each kernel");
  const int device = host::current_device();
  const segment_sum_plan plan = plan_segment_sums(
      source.items, segments.count,
      host::limits_of(device).multiprocessors * host::blocks_per_multiprocessor<kernel>(device, threads, shared_bytes),
      host::feature_control_bytes / sizeof(global_sum<T>), options.max_blocks);
  const std::size_t sums = static_cast<std::size_t>(plan.blocks) * segment_block_warps * sizeof(global_sum<T>);
  const host::call_scratch scratch = host::scratch_for(device, options, {sums, 0});
  launch(kernel, host::launch_config(plan.blocks, threads, shared_bytes, options.stream),
         segment_sum_arguments<Segments, items, Op, Out>{segments,
                                                         {source, lifted.transform.transform},
                                                         op,
                                                         out,
                                                         init,
                                                         empty,
                                                         plan.partition,
                                                         scratch.control_words<global_sum<T>>()});
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class R, class T> struct own_reduction<exact_plus_as<R>, exact::superaccumulator<T>> {
  static constexpr bool exists = true;
  template <class Leaves, class Op, class Out, class A>
  static void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
    exact::enqueue(function, leaves, out, op, options);
  }
};
template <class R, class T> struct own_segmented_reduction<exact_plus_as<R>, exact::superaccumulator<T>> {
  /// Owners do not tell the spans of segments.
  template <class Segments> static constexpr bool exists_for = requires(const Segments& s) { s.span(std::int64_t{}); };
  template <class Segments, class Leaves, class Op, class Out, class A>
  static void enqueue(const Segments& segments, const Leaves& leaves, Out out, Op op,
                      const grid::initial_value<A>& init, const grid::initial_value<A>& empty,
                      const segmented_options<A>& options) {
    exact::enqueue_segments(segments, leaves, out, op, init, empty, options);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
