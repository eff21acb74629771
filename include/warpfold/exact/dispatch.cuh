// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of exact sums over one array, and over segments. Scratch is control words only: a global_sum for each
// sum that blocks or warps share.
#pragma once
#include <warpfold/exact/kernel.cuh>
#include <warpfold/exact/operator.cuh>
#include <warpfold/exact/plan.hpp>
#include <warpfold/exact/segment_kernel.cuh>
#include <warpfold/exact/team_kernel.cuh>
#include <warpfold/host/batch_plan.hpp>
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/reduce_with.hpp>
#include <warpfold/thread/lift.cuh>

namespace warpfold::exact {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues the exact sum of `leaves`, which have been lifted, into `out`. All arguments have been checked but those of
/// `options`.
template <class Leaves, class Op, class Out, class T>
void enqueue(const char* function, const Leaves& lifted, Out out, Op,
             const reduce_options<superaccumulator<T>>& options) {
  using transform = std::remove_cvref_t<decltype(lifted.transform.transform)>;
  using items = thread::leaves<typename Leaves::source_type, transform, T>;
  constexpr auto* kernel = &sum_kernel<items, Out>;
  constexpr std::size_t shared_bytes = host_side::shared_bytes_of<sum_storage<items>>;
  constexpr host_side::scratch_need need{sizeof(global_sum<T>), 0};
  static_assert(need.feature_bytes <= host_side::feature_control_bytes);
  const std::int64_t count = lifted.source.items;
  const auto init = host_side::initial_value_of<Op, Out>(function, options.init, count);
  const host_side::call_frame frame(function, options, need);
  if (count == 0) return frame.write(out, init);

  const std::int64_t batches =
      host_side::divide_up(count, std::int64_t{batch_rows<items>() * warp_lanes * items::chunk_items});
  const host_side::batch_plan plan =
      host_side::plan_batches<kernel>(frame, batches, sum_policy<T>::max_block_warps, shared_bytes);
  const host_side::launch_shape shape{plan.blocks, plan.block_warps * warp_lanes, shared_bytes, 0,
                                      "the operator's own kernel"};
  using arguments = sum_arguments<items, Out>;
  const items from{lifted.source, lifted.transform.transform};
  frame.launch(kernel, shape, plan.blocks > 1, [&](const host_side::call_scratch& scratch) {
    return arguments{from, out, init, batches, scratch.control_words<global_sum<T>>(), scratch.ticket()};
  });
}

/// Enqueues the exact sums of segments of `lifted`. All arguments have been checked.
template <class Segments, class Leaves, class Op, class Out, class T, class A = superaccumulator<T>>
void enqueue_segments(const host_side::call_frame& frame, const Segments& segments, const Leaves& lifted, Out out,
                      Op op, const grid::initial_value<superaccumulator<T>>& init,
                      const grid::initial_value<A>& empty) {
  const auto source = in_vectors(lifted.source);
  using transform = std::remove_cvref_t<decltype(lifted.transform.transform)>;
  using items = thread::leaves<std::remove_cv_t<decltype(source)>, transform, T>;
  constexpr int threads = segment_block_warps * warp_lanes;
  constexpr std::size_t shared_bytes = host_side::shared_bytes_of<segment_storage<T>[segment_block_warps]>;
  std::int64_t length = 0, pitch = 0;
  if constexpr (Segments::is_fixed_length) length = segments.length, pitch = segments.pitch;
  const auto plan_kernel = [&]<bool Tiny>(std::bool_constant<Tiny>) {
    constexpr auto* kernel = &sum_segments_kernel<Tiny, Segments, items, Op, Out>;
    return plan_segment_sums(source.items, segments.count, frame.resident_blocks<kernel>(threads, shared_bytes),
                             host_side::feature_control_bytes / sizeof(global_sum<T>), frame.max_blocks(), length,
                             pitch, Tiny ? tiny_segment_cost : segment_cost);
  };
  const auto enqueue_kernel = [&]<bool Tiny>(std::bool_constant<Tiny> tiny) {
    constexpr auto* kernel = &sum_segments_kernel<Tiny, Segments, items, Op, Out>;
    const segment_sum_plan plan = plan_kernel(tiny);
    const std::size_t warps = static_cast<std::size_t>(plan.blocks) * segment_block_warps,
                      sums = plan.cuts ? warps * sizeof(global_sum<T>) : 0;
    using arguments = segment_sum_arguments<Segments, items, Op, Out>;
    const items from{source, lifted.transform.transform};
    const auto arguments_in = [&](const host_side::call_scratch& scratch) {
      auto* const kept = scratch.control_words<global_sum<T>>();
      return arguments{segments, from, op, out, init, empty, plan.partition, kept};
    };
    constexpr const char* why =
        Tiny ? "the operator's own kernel: lanes take several segments of few items" : "the operator's own kernel";
    const host_side::launch_shape shape{plan.blocks, threads, shared_bytes, 0, why};
    frame.with_need({sums, 0}).launch(kernel, shape, true, arguments_in);
  };
  if constexpr (Segments::is_fixed_length && tile_level<T>::exists) {
    constexpr auto* kernel = &sum_teams_kernel<Segments, items, Op, Out>;
    constexpr std::size_t bytes = host_side::shared_bytes_of<part_storage<T>[segment_block_warps]>;
    const int warps = warps_of_sum_team(frame.multiprocessors(), frame.resident_blocks<kernel>(threads, bytes),
                                        segments.count, length, frame.max_blocks());
    // One warp for each segment is quicker in blocks of eight, if that kernel cuts no segment.
    if (warps > 1 || (warps == 1 && plan_kernel(std::false_type{}).cuts)) {
      const host_side::launch_shape shape{static_cast<int>(segments.count), warps * warp_lanes,
                                          static_cast<std::size_t>(warps) * sizeof(part_storage<T>), 0,
                                          "the operator's own kernel: a team of warps for each segment"};
      const items from{source, lifted.transform.transform};
      return frame.launch(kernel, shape, false, [&](const host_side::call_scratch&) {
        return segment_sum_arguments<Segments, items, Op, Out>{segments, from, op, out, init, empty, {}, nullptr};
      });
    }
  }
  if constexpr (!Segments::is_fixed_length && tile_level<T>::exists && takes_prefixes<items>)
    if (source.items / max_tiny_mean < segments.count) return enqueue_kernel(std::true_type{});
  enqueue_kernel(std::false_type{});
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::exact

namespace warpfold::host_side {
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
  static void enqueue(const call_frame& frame, const Segments& segments, const Leaves& leaves, Out out, Op op,
                      const grid::initial_value<A>& init, const grid::initial_value<A>& empty) {
    exact::enqueue_segments(frame, segments, leaves, out, op, init, empty);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
