// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for inputs so small that trips to memory cost more than bytes, for long segments, and for those of some
// thousand items: each segment goes to a team of neighbouring warps, which find it by its number, without a search, and
// join their shares within the block. Of some thousand items, the team is one warp, in a block of its own. Other blocks
// take the segments that are too long for a team: each of their warps has a range of items, and folds the units that
// begin there. No block waits for another.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/segmented/known_segments.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/thread/array.cuh>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

struct no_nodes {};
/// The shared memory of a warp: the value of its share, and nodes where it folds shares as long segments.
template <class Arguments> struct share_storage {
  using leaves_type = typename Arguments::leaves_type;
  typename Arguments::A value;
  std::conditional_t<thread::folds_parts_by_runs<leaves_type>, typename long_pieces<Arguments>::storage, no_nodes>
      nodes;
};

/// The share of a warp: items [first, last) of a segment, `step` at a time.
struct warp_share {
  std::int64_t segment;
  segment_span items;  ///< of the segment
  std::int64_t first, last, step;
};

/// Units of the segment that covers the begin of the calling warp's range, if it is too long for a team: the units
/// that begin in the range, and, if the segment begins in the previous range, those that begin there. (Such a segment
/// is longer than two ranges, so it covers the begin of at least one, and at most one begins in a range.)
template <class Arguments> __device__ warp_share share_of_units(const Arguments& arguments) {
  const auto& [segments, leaves, op, out, init, empty, partition, units] = arguments;
  const segment_span range = partition.own_positions();
  const segment_start start = warp::shuffle(segments.find_first(range.begin, partition, leaves.source.items), 0);
  const auto before = warp::shuffle(segments.previous(start), 0);
  const segment_span items{before.begin, before.end};
  segment::require_within("segmented_reduce", start.segment - 1, items, leaves.source.items);
  const std::int64_t count = items.end - items.begin, first = partition.position(start.segment - 1, items.begin);
  const bool begins_before = items.begin < range.begin - partition.positions_per_warp;
  const std::int64_t begin = begins_before ? partition.units_before(first, range.begin) : 0,
                     end = least_of(partition.units_before(first, range.end), partition.unit_count(count));
  const bool takes = count > partition.max_uncut_items && begin < end;
  return {start.segment - 1, items, takes ? begin << partition.log_unit : 0,
          takes ? least_of(end << partition.log_unit, count) : 0, partition.unit_items()};
}

/// A warp of a team: number `own` of that for `segment`. (Powers of two are shifted, not multiplied: the compiler knows
/// then that all lanes have the same numbers, and takes no registers for them. Sums of 2^26 floats in segments of
/// geometric lengths of mean 5000 take 84 us on an H200 so, and 100 by products.)
struct team_warp {
  std::int64_t segment;
  int own, log_warps;

  __device__ static team_warp at(const warp_teams& teams, int warp) {
    const std::int64_t place = ((std::int64_t{blockIdx.x} - teams.partition_blocks) << teams.log_block_warps) + warp;
    return {place >> teams.log_warps, static_cast<int>(place & ((1 << teams.log_warps) - 1)), teams.log_warps};
  }
  /// The items of shares of `step` items.
  __device__ std::int64_t all(std::int64_t step) const { return step << log_warps; }
};
/// The same of a team that is a block.
struct block_warp {
  std::int64_t segment;
  int own, warps;

  __device__ static block_warp at(int warp) {
    return {std::int64_t{blockIdx.x}, warp, static_cast<int>(blockDim.x) / warp_lanes};
  }
  __device__ std::int64_t all(std::int64_t step) const { return step * warps; }
};

/// The share of a warp of a team: a power of two of rows of 32 chunks, and so a node of the canonical tree. Its end is
/// -1 if the segment does not exist, or is too long for a team.
template <class Arguments, class Warp> __device__ warp_share share_of_team(const Arguments& arguments, const Warp& of) {
  const std::int64_t segment = of.segment;
  const auto items = warp::shuffle(arguments.segments.span_at(segment, 0), 0);
  segment::require_within("segmented_reduce", segment, items, arguments.leaves.source.items);
  const std::int64_t count = items.end - items.begin;
  std::int64_t step = warp_lanes * Arguments::leaves_type::chunk_items;
  while (of.all(step) < count) step *= 2;
  const bool takes = segment < arguments.segments.count && count <= arguments.partition.max_uncut_items;
  return {segment, {items.begin, items.end}, of.own * step, takes ? least_of(count, (of.own + 1) * step) : -1, step};
}

/// Whether a share is folded by two rows of wide chunks, not by more rows of shorter ones: lanes then exchange fewer
/// nodes, but have less in flight. (On an H200, 2^26 floats in segments by offsets, us by shorter and by wide chunks:
/// of 3000, extrema 75 and 71, norms 74 and 67; of geometric lengths of mean 20000, 98 and 81, 101 and 81, but sums 74
/// and 79. Extrema of rows of 3000 take 67 and 71.)
template <class Arguments, class Leaves = typename Arguments::leaves_type>
inline constexpr bool folds_wide_chunks = may_join_full_nodes<wide_leaves<Leaves>> ||
                                          (!decltype(Arguments::segments)::is_fixed_length &&
                                           may_join_own_nodes<wide_leaves<Leaves>> && folds_slowly<Leaves> &&
                                           !has_long_joins<Leaves> && !thread::locates<Leaves>);

/// Folds up to `step` items from item `first` of the share's segment on, and writes the node to value().
template <class Arguments, class Value, class Storage>
__device__ void fold_step(const Arguments& arguments, const warp_share& share, std::int64_t first, Value value,
                          [[maybe_unused]] Storage& own) {
  using leaves_type = typename Arguments::leaves_type;
  const std::int64_t from = share.items.begin + first, items = least_of(share.last - first, share.step);
  if constexpr (thread::folds_parts_by_runs<leaves_type>) {
    long_pieces<Arguments> pieces(arguments, own);
    pieces.add(from, items, share.segment, false, value, [](const auto&) {});
    pieces.finish();
  } else {
    const auto fold = [&] {
      constexpr int many_rows = policy_of<leaves_type>.long_rows, few_rows = target_share_rows;
      // A share of few rows is folded fastest in one batch of as many rows.
      if (share.step <= few_rows * warp_lanes * leaves_type::chunk_items)
        return fold_span<few_rows>(arguments.leaves, from, items, arguments.op);
      if constexpr (folds_wide_chunks<Arguments>)
        return fold_span<2>(arguments.leaves.template from<late_leaves<leaves_type>::chunk_items>(0), from, items,
                            arguments.op);
      else return fold_span<many_rows>(arguments.leaves, from, items, arguments.op);
    };
    const auto folded = fold();
    if (arch::lane_id() == 0) value() = folded;
  }
}

/// Joins the units [first, last) of a segment with those of other warps, unless there are none.
template <class Arguments> __device__ void join_share_of_units(const Arguments& arguments, const warp_share& share) {
  const auto& partition = arguments.partition;
  const std::int64_t first = partition.position(share.segment, share.items.begin),
                     count = share.items.end - share.items.begin;
  if (share.first < share.last)
    join_units(arguments.units, partition, first, share.first >> partition.log_unit, partition.unit_count(share.last),
               partition.unit_count(count), arguments.op, [&](const auto& value) {
                 if (arch::lane_id() == 0)
                   arguments.write(arguments.out, share.segment, share.items.begin, count, value);
               });
}

/// Joins the values of the shares of a `team`, and writes the segment's result.
template <class Arguments>
__device__ void join_team(const Arguments& arguments, const warp_share& share, const share_storage<Arguments>* team) {
  const std::int64_t count = share.items.end - share.items.begin;
  const int lane = arch::lane_id();
  if (count == 0) {
    if (lane == 0) arguments.out[share.segment] = arguments.empty.alone();
    return;
  }
  const int shares = static_cast<int>((count - 1) / share.step) + 1;
  const auto value = warp::all_reduce(team[lane < shares ? lane : 0].value, arguments.op, shares);
  if (lane == 0) arguments.write(arguments.out, share.segment, share.items.begin, count, value);
}

/// The first blocks fold units of segments that are too long for a team; in the others each team folds one segment.
template <class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.block_threads,
                                  policy_of<Leaves>.load_balance_blocks_per_multiprocessor)
segment_per_warp_team_kernel(const __grid_constant__ kernel_arguments<Segments, Leaves, Op, Out> given,
                             const warp_teams teams) {
  using arguments_type = typename kernel_arguments<Segments, Leaves, Op, Out>::known;
  const auto& arguments = with_known_segments(given);
  segment::require_order("segmented_reduce", arguments.segments, arguments.leaves.source.items);
  const auto& partition = arguments.partition;
  const int warp = arch::uniform_warp();
  auto* const storage =
      arch::dynamic_shared_objects<share_storage<arguments_type>>(static_cast<int>(blockDim.x) / warp_lanes) + warp;
  const auto of = [&] {
    if constexpr (Segments::is_fixed_length) return block_warp::at(warp);
    else return team_warp::at(teams, warp);
  }();
  const bool takes_units = !Segments::is_fixed_length && static_cast<int>(blockIdx.x) < teams.partition_blocks;
  const warp_share share = takes_units ? share_of_units(arguments) : share_of_team(arguments, of);
  WARPFOLD_NO_UNROLL
  for (std::int64_t first = share.first; first < share.last; first += share.step) {
    const auto value = [&]() -> auto& {
      const std::int64_t position = partition.position(share.segment, share.items.begin);
      return takes_units ? arguments.units.value(partition, position, first >> partition.log_unit) : storage->value;
    };
    fold_step(arguments, share, first, value, storage->nodes);
  }
  if (takes_units) return join_share_of_units(arguments, share);
  __syncthreads();
  if (of.own == 0 && share.last >= 0) join_team(arguments, share, storage);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
