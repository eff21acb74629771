// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds segments that are too long to be packed, and the units of segments that several warps share.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/fold_span.cuh>
#include <warpfold/segmented/long_edges.cuh>

namespace warpfold::segmented {

namespace detail {

template <class Leaves> struct span_storage {
  struct type {};
};
template <class Leaves>
  requires may_join_full_nodes<wide_leaves<Leaves>>
struct span_storage<Leaves> {
  using type = span_nodes<late_leaves<Leaves>>;
};

/// The long pieces of a warp, each of which is folded at once, edge and all.
template <class Arguments> class long_spans {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using storage = typename span_storage<leaves_type>::type;

  __device__ long_spans(const Arguments& arguments, storage& own) : arguments_(arguments), own_(own) {}
  /// As long_edges::add (long_edges.cuh), but done when it returns: all lanes call write(value) for a whole segment.
  /// The value is valid in lane 0.
  template <class UnitValue, class Write>
  __device__ void add(std::int64_t first, std::int64_t items, std::int64_t, bool whole, UnitValue unit_value,
                      Write write) const {
    const auto value = fold(first, items);
    if (whole) write(value);
    else if (arch::lane_id() == 0) unit_value() = value;
  }
  __device__ void finish() const {}

 private:
  /// Valid in lane 0.
  __device__ auto fold(std::int64_t first, std::int64_t items) const {
    const leaves_type& leaves = arguments_.leaves;
    if constexpr (may_join_full_nodes<wide_leaves<leaves_type>>)
      return fold_full_span(leaves.template from<late_leaves<leaves_type>::chunk_items>(0), first, items, own_);
    else {
      constexpr bool by_one_loop = has_one_span_loop<leaves_type> && !decltype(Arguments::segments)::is_fixed_length;
      return fold_span<long_rows_of<leaves_type>, by_one_loop>(leaves, first, items, arguments_.op);
    }
  }

  const Arguments& arguments_;
  storage& own_;
};

/// Whether several edges are joined together. Segments of one length are all long, so no other way competes for the
/// instruction cache: by their own joins, whole batches are faster. (On an H200, logsumexp of 2^26 floats in 201 rows
/// takes 79 us so.)
template <class Arguments> WARPFOLD_JIT consteval bool find_joins_long_edges() {
  using leaves = typename Arguments::leaves_type;
  if constexpr (!has_long_joins<leaves>) return false;
  else if constexpr (decltype(Arguments::segments)::is_fixed_length) return may_join_full_nodes<wide_leaves<leaves>>;
  else return may_join_edges_late<wide_leaves<leaves>>;
}

template <class Arguments> struct long_pieces_of { using type = long_spans<Arguments>; };
template <class Arguments>
  requires(find_joins_long_edges<Arguments>())
struct long_pieces_of<Arguments> {
  using type = long_edges<Arguments>;
};

}  // namespace detail

/// How a warp folds long segments and units of them. All lanes call each member.
template <class Arguments> using long_pieces = typename detail::long_pieces_of<Arguments>::type;

/// The units [begin, end), of `all`, of a cut segment that begin in a warp's range.
struct own_units {
  std::int64_t begin, end, all;

  __device__ own_units(const load_balance_partition& partition, const segment_span& range, std::int64_t first,
                       std::int64_t items)
      : begin(partition.units_before(first, range.begin)), all(partition.unit_count(items)) {
    end = least_of(partition.units_before(first, range.end), all);
  }
  __device__ bool are_all() const { return end - begin == all; }
};

namespace detail {

/// Whether a warp's units are found again where they are joined: their numbers would take registers while units are
/// folded, of which slow folds have none left. (On an H200, statistics of 2^26 floats in segments of 3000, by offsets,
/// take 113 us without and 104 so; but kernels of sums by owners would spill.)
template <class Arguments>
inline constexpr bool finds_units_again =
    folds_slowly<typename Arguments::leaves_type> && !decltype(Arguments::segments)::needs_cursor;

/// Joins the warp's units of a cut segment, which have been folded, with those of other warps.
template <class Arguments>
__device__ void join_own_units(const Arguments& arguments, segment_span range, std::int64_t segment,
                               segment_span items) {
  const auto& partition = arguments.partition;
  const std::int64_t first = partition.position(segment, items.begin), count = items.end - items.begin;
  const own_units own(partition, range, first, count);
  join_units(arguments.units, partition, first, own.begin, own.end, own.all, arguments.op, [&](const auto& value) {
    if (arch::lane_id() == 0) arguments.write(arguments.out, segment, items.begin, count, value);
  });
}

/// fold_long_segment where finds_units_again.
template <class Arguments>
__device__ void fold_slow_segment(const Arguments& arguments, const segment_span& range, std::int64_t segment,
                                  const segment_span items, long_pieces<Arguments>& pieces) {
  const auto& partition = arguments.partition;
  const std::int64_t count = items.end - items.begin;
  std::int64_t done = 0, last = count;
  bool alone = true;
  if (count > partition.max_uncut_items) {
    const own_units own(partition, range, partition.position(segment, items.begin), count);
    if (own.begin >= own.end) return;
    alone = own.are_all();
    if (!alone) done = own.begin << partition.log_unit, last = least_of(count, own.end << partition.log_unit);
  }
  const std::int64_t piece_items = alone ? count : partition.unit_items();
  WARPFOLD_NO_UNROLL
  for (; done < last; done += piece_items)
    pieces.add(
        items.begin + done, least_of(count - done, piece_items), segment, alone,
        [&]() -> auto& {
          return arguments.units.value(partition, partition.position(segment, items.begin), done >> partition.log_unit);
        },
        [&](const auto& value) {
          if (arch::lane_id() == 0) arguments.write(arguments.out, segment, items.begin, count, value);
        });
  if (alone) return;
  pieces.finish();
  join_own_units(arguments, range, segment, items);
}

/// fold_long_segment elsewhere.
template <class Arguments>
__device__ void fold_quick_segment(const Arguments& arguments, const segment_span& range, std::int64_t segment,
                                   const segment_span items, long_pieces<Arguments>& pieces) {
  const auto& [segments, leaves, op, out, init, empty, partition, values] = arguments;
  const std::int64_t count = items.end - items.begin, first = partition.position(segment, items.begin);
  std::int64_t units = 1, begin = 0, end = 1;
  if (count > partition.max_uncut_items) {
    units = partition.unit_count(count);
    begin = partition.units_before(first, range.begin);
    end = least_of(partition.units_before(first, range.end), units);
    if (begin >= end) return;
  }
  const auto write = [&](const auto& value) {
    if (arch::lane_id() == 0) arguments.write(out, segment, items.begin, count, value);
  };
  const bool alone = end - begin == units;  // the warp has all units: nothing to join
  const std::int64_t piece_items = alone ? count : partition.unit_items(),
                     last = alone ? count : least_of(count, end << partition.log_unit);
  WARPFOLD_NO_UNROLL
  for (std::int64_t done = begin << partition.log_unit; done < last; done += piece_items)
    pieces.add(
        items.begin + done, least_of(count - done, piece_items), segment,
        alone, [&]() -> auto& { return values.value(partition, first, done >> partition.log_unit); }, write);
  if (alone) return;
  pieces.finish();
  join_units(values, partition, first, begin, end, units, op, write);
}

}  // namespace detail

/// Folds the segment if it is not cut, else those of its units that begin in `range`, the calling warp's positions. All
/// lanes of the warp call it.
template <class Arguments>
__device__ void fold_long_segment(const Arguments& arguments, const segment_span& range, std::int64_t segment,
                                  const segment_span items, long_pieces<Arguments>& pieces) {
  if constexpr (detail::finds_units_again<Arguments>)
    detail::fold_slow_segment(arguments, range, segment, items, pieces);
  else detail::fold_quick_segment(arguments, range, segment, items, pieces);
}

}  // namespace warpfold::segmented
