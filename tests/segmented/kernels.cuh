// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented reduction by a chosen kernel, whatever the number and lengths of segments. A call itself chooses by the
// numbers of segments and items.
#pragma once
#include <algorithm>
#include "ways.cuh"

namespace wf_test {

/// Calls enqueue(frame, arguments) with the call's frame and what the kernels are given.
template <class T, class Segments, class A, class Op, class Transform, class Enqueue>
void with_arguments(std::span<const T> in, const Segments& segments, std::span<A> out, Op op,
                    const warpfold::segmented_options<A>& options, Transform transform, Enqueue enqueue) {
  namespace host_side = warpfold::host_side;
  namespace segmented = warpfold::segmented;
  constexpr const char* function = "with_arguments";
  const auto items = static_cast<std::int64_t>(in.size());
  const auto count = static_cast<std::int64_t>(out.size());
  const auto described = segmented::described(
      warpfold::segment::checked_spans(function, segments, items, count, "out", warpfold::to_output(out)), count);
  const auto source = segmented::in_narrow_chunks<A>(warpfold::detail::make_source(in.data(), items));
  using leaves = warpfold::thread::leaves<std::remove_const_t<decltype(source)>, Transform, A>;
  using segments_type = std::remove_const_t<decltype(described)>;
  if (out.empty()) return;
  const host_side::call_frame frame(function, options, segmented::scratch(sizeof(A)));
  enqueue(frame, warpfold::segmented::kernel_arguments<segments_type, leaves, Op, A*>{
                     described,
                     leaves{source, transform},
                     op,
                     out.data(),
                     host_side::initial_value_of<Op>(function, options.init),
                     host_side::empty_value_of<Op, A*>(function, options, segmented::no_empty_value),
                     {},
                     {}});
}

/// The general kernel.
template <warpfold::segmented::packing Packing> struct by_position {
  static constexpr bool needs_bulk_copies = Packing == warpfold::segmented::packing::staged, deals_by_number = false;

  template <class T, class Segments, class A, class Op, class Transform = warpfold::thread::no_transform>
  static void reduce(std::span<const T> in, const Segments& segments, std::span<A> out, Op op,
                     const warpfold::segmented_options<A>& options, Transform transform = {}) {
    with_arguments(
        in, segments, out, op, options, transform,
        [&]<class S, class Leaves>(const warpfold::host_side::call_frame& frame,
                                   const warpfold::segmented::kernel_arguments<S, Leaves, Op, A*>& arguments) {
          warpfold::segmented::load_balance_reduction<Packing, S, Leaves, Op, A*>::enqueue(frame, arguments);
        });
  }
};
using in_place = by_position<warpfold::segmented::packing::in_place>;
using staged = by_position<warpfold::segmented::packing::staged>;

/// The kernel of segments that are dealt by number, by teams of 1 warp to all of a block, in turn, and by blocks of one
/// warp. Ranges and units are short, so that most segments are too long for a team.
struct per_warp_team {
  static constexpr bool needs_bulk_copies = false;
  static constexpr bool deals_by_number = true;  ///< at most one block per segment: more short ones show nothing new
  static inline int turn = 0;

  template <class T, class Segments, class A, class Op, class Transform = warpfold::thread::no_transform>
  static void reduce(std::span<const T> in, const Segments& segments, std::span<A> out, Op op,
                     const warpfold::segmented_options<A>& options, Transform transform = {}) {
    with_arguments(
        in, segments, out, op, options, transform,
        [&]<class S, class Leaves>(const warpfold::host_side::call_frame& frame,
                                   const warpfold::segmented::kernel_arguments<S, Leaves, Op, A*>& arguments) {
          using kernel = warpfold::segmented::segment_per_warp_team_reduction<S, Leaves, Op, A*>;
          kernel::enqueue(frame, arguments,
                          plan_of(static_cast<std::int64_t>(in.size()), arguments.segments.count, sizeof(A),
                                  kernel::policy, S::is_fixed_length));
        });
  }

  static warpfold::segmented::segment_per_warp_team_plan plan_of(std::int64_t items, std::int64_t segments,
                                                                 std::size_t accumulator_bytes,
                                                                 const warpfold::segmented::kernel_policy& policy,
                                                                 bool is_fixed_length = false) {
    constexpr std::int64_t lengths[] = {512, 200, 777};
    const int most_warps = policy.block_threads / 32, log_most = std::bit_width(static_cast<unsigned>(most_warps)) - 1;
    const int turn_of_call = turn++;
    if (is_fixed_length) {
      warpfold::segmented::segment_per_warp_team_plan plan{};
      plan.block_threads = 32 * (turn_of_call % most_warps + 1);
      plan.blocks = static_cast<int>(segments);
      plan.partition.max_uncut_items = items;
      return plan;
    }
    const int size = turn_of_call % (log_most + 2);  // of teams, and one more for blocks of one warp
    const std::int64_t block_warps = size > log_most ? 1 : most_warps, length = lengths[turn_of_call % 3];
    const auto divide_up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t partition_blocks =
        std::min(divide_up(items, length * block_warps), warpfold::segmented::max_warps / block_warps);
    warpfold::segmented::segment_per_warp_team_plan plan{};
    plan.teams = {block_warps == 1 ? 0 : size, block_warps == 1 ? 0 : log_most, static_cast<int>(partition_blocks)};
    plan.block_threads = static_cast<int>(block_warps) * 32;
    plan.blocks = static_cast<int>(partition_blocks + divide_up(segments << plan.teams.log_warps, block_warps));
    plan.partition.positions_per_warp =
        std::max<std::int64_t>(divide_up(items, std::max<std::int64_t>(partition_blocks, 1) * block_warps), 1);
    const auto min_unit = static_cast<std::uint64_t>(
        std::max<std::int64_t>({64, divide_up(items, warpfold::segmented::max_units(accumulator_bytes)),
                                divide_up(plan.partition.positions_per_warp, 64)}));
    plan.partition.log_unit = std::bit_width(min_unit - 1);
    plan.partition.max_uncut_items =
        std::max<std::int64_t>(2 * plan.partition.positions_per_warp, std::int64_t{1} << plan.partition.log_unit);
    return plan;
  }
};

}  // namespace wf_test
