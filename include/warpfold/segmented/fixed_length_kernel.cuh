// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for short segments of one length. Their places are known and the work is even, so warps need neither
// a partition nor tiles. There is an algorithm for each kind of length; each has
//
//   takes(length)              whether it is for segments of that length
//   segments_per_warp(length)  how many a warp folds at a time, whose loads are all issued before the first fold
//   min_segments_per_warp(length)  optional: how many at least, where segments are to be spread evenly over all warps
//   min_share                  optional: how many segments there must be per resident warp
//   storage                    optional: the shared memory of a block
//   fold(arguments, first, count)  folds `count` segments from `first` on, at most segments_per_warp(length); by one
//                                  warp
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/segmented/fold_lane_segments.cuh>
#include <warpfold/segmented/fold_row_and_tail.cuh>
#include <warpfold/segmented/known_segments.cuh>
#include <warpfold/segmented/late_edges.cuh>
#include <warpfold/segmented/segments.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Empty segments.
template <class Leaves> struct empty_segments {
  __host__ __device__ static constexpr bool takes(std::int64_t length) { return length == 0; }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t) { return 16 * warp_lanes; }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int count) {
    const typename Leaves::accumulator none = arguments.empty.alone();
    for (int own = arch::lane_id(); own < count; own += warp_lanes) arguments.out[first + own] = none;
  }
};

/// Segments of one item.
template <class Leaves> struct single_items {
  using A = typename Leaves::accumulator;
  static constexpr int lane_items = sizeof(A) <= 4 ? 16 : sizeof(A) <= 8 ? 8 : 2;

  __host__ __device__ static constexpr bool takes(std::int64_t length) { return length == 1; }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t) { return lane_items * warp_lanes; }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int count) {
    const auto& leaves = arguments.leaves;
    const int lane = arch::lane_id();
    typename Leaves::source_type::item items[lane_items] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k)
      if (k * warp_lanes + lane < count)
        items[k] = leaves.source.at(arguments.segments.begin(first + k * warp_lanes + lane));
    WARPFOLD_UNROLL
    for (int k = 0; k < lane_items; ++k)
      if (k * warp_lanes + lane < count) arguments.write(first + k * warp_lanes + lane, leaves.leaf_of(items[k]));
  }
};

/// Where `count` > 0 segments from `first` on begin, and how their chunks may be read.
struct segments_reach {
  std::int64_t begin;
  chunk_access access;
};
template <class Arguments>
__device__ segments_reach reach_of(const Arguments& arguments, std::int64_t first, int count) {
  const auto& segments = arguments.segments;
  const std::int64_t begin = segments.begin(first), end = segments.begin(first + count - 1) + segments.length;
  return {begin, access_of(thread::plain_source(arguments.leaves.source), begin, end, segments.pitch)};
}

/// `Count` segments for each lane, 32 apart.
template <int Count> struct lane_segments {
  int begin[Count], items[Count];  ///< begin counts from the first segment's first item; a missing segment has no items

  __device__ lane_segments(int count, const fixed_length_segments& segments) {
    const int length = static_cast<int>(segments.length), pitch = static_cast<int>(segments.pitch);
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      const int own = k * warp_lanes + arch::lane_id();
      begin[k] = own * pitch, items[k] = own < count ? length : 0;
    }
  }
  template <class Arguments, class A>
  __device__ void write(const Arguments& arguments, std::int64_t first, const A (&results)[Count]) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k)
      if (items[k] > 0) arguments.write(first + k * warp_lanes + arch::lane_id(), results[k]);
  }
};

/// Segments of a few items, which a lane reads one by one.
template <class Leaves> struct tiny_lengths {
  using A = typename Leaves::accumulator;
  static constexpr int most = policy_of<Leaves>.tiny_items;
  // More would need more registers, and leave room for fewer warps.
  static constexpr int segments = sizeof(typename Leaves::source_type::item) == 1 ? 4 : 2;

  __host__ __device__ static constexpr bool takes(std::int64_t length) { return 1 < length && length <= most; }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t) { return segments * warp_lanes; }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int count) {
    const auto leaves = arguments.leaves.template from<>(arguments.segments.begin(first));
    const lane_segments<segments> own(count, arguments.segments);
    tiny_segments<most, segments, std::remove_const_t<decltype(leaves)>, decltype(arguments.op)> all;
    all.load(leaves, own.begin, own.items);
    A results[segments];
    all.fold(leaves, own.items, arguments.op, results);
    own.write(arguments, first, results);
  }
};

/// Segments of more than `Above` items and at most `Items`, a chunk.
template <class Leaves, int Items, int Above> struct single_chunks {
  using A = typename Leaves::accumulator;
  static constexpr int chunk_items = Items, segments = 2 * Leaves::chunk_items / Items;

  __host__ __device__ static constexpr bool takes(std::int64_t length) { return Above < length && length <= Items; }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t) { return segments * warp_lanes; }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int count) {
    const lane_segments<segments> own(count, arguments.segments);
    const auto [begin, access] = reach_of(arguments, first, count);
    A results[segments];
    fold_single_chunks(arguments.leaves.template from<Items>(begin), own.begin, own.items, access, arguments.op,
                       results);
    own.write(arguments, first, results);
  }
};

/// Segments of up to 32 wide chunks, which neighbouring lanes take: some begin in one round, and end in the next.
/// (Located extrema are exchanged by votes of a round's lanes.)
template <class Leaves> struct several_chunks {
  using A = typename Leaves::accumulator;
  static constexpr int chunk_items = wide_items<Leaves>, rounds = sizeof(A) <= 16 ? 2 : 1;
  static constexpr bool joins_rounds = rounds > 1 && !thread::locates<Leaves>;
  static constexpr chunk_rounds kind = joins_rounds ? chunk_rounds::joined : chunk_rounds::apart;

  __host__ __device__ static constexpr bool takes(std::int64_t length) {
    return Leaves::chunk_items < length && length <= warp_lanes * chunk_items &&
           ((joins_rounds && folds_slowly<Leaves>) || !is_row_and_tail<Leaves::chunk_items>(length));
  }
  __host__ __device__ static constexpr int chunks(std::int64_t length) {
    return static_cast<int>((length + chunk_items - 1) / chunk_items);
  }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t length) {
    return joins_rounds ? rounds * warp_lanes / chunks(length) : rounds * (warp_lanes / chunks(length));
  }
  /// Whether most lanes of the rounds have a chunk; of segments of more than 32 chunks, most lanes of two rows.
  static constexpr bool fills_lanes(std::int64_t length) {
    constexpr std::int64_t row = warp_lanes * chunk_items;
    if (length > row) return 100 * chunks(least_of(length, 2 * row)) >= min_two_rows_percent * 2 * warp_lanes;
    return 100 * chunks(length) * segments_per_warp(length) >= min_round_percent * rounds * warp_lanes;
  }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int count) {
    const int length = static_cast<int>(arguments.segments.length), pitch = static_cast<int>(arguments.segments.pitch),
              lanes = chunks(length), in_round = warp_lanes / lanes;
    const auto [begin, access] = reach_of(arguments, first, count);
    int segment[rounds];
    segment_chunk<int> own[rounds];
    WARPFOLD_UNROLL
    for (int r = 0; r < rounds; ++r) {
      const int place = arch::lane_id() + (joins_rounds ? r * warp_lanes : 0), index = place % lanes;
      segment[r] = place / lanes + (joins_rounds ? 0 : r * in_round);
      const bool exists = segment[r] < count && (joins_rounds || place / lanes < in_round);
      own[r] = {segment[r] * pitch + index * chunk_items, exists ? length - index * chunk_items : 0, index};
    }
    A results[rounds];
    fold_chunks<kind>(arguments.leaves.template from<chunk_items>(begin), own, lanes, access, arguments.op, results);
    WARPFOLD_UNROLL
    for (int r = 0; r < rounds; ++r)
      if (own[r].index == 0 && own[r].count > 0) arguments.write(first + segment[r], results[r]);
  }
};

/// Segments of a row of 32 chunks and a tail of a few items.
template <class Leaves> struct rows_and_tails {
  using A = typename Leaves::accumulator;
  static constexpr int rows = sizeof(A) <= 16 ? 2 : 1;

  __host__ __device__ static constexpr bool takes(std::int64_t length) {
    return is_row_and_tail<Leaves::chunk_items>(length) && !several_chunks<Leaves>::takes(length);
  }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t) { return rows; }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int count) {
    const auto [begin, access] = reach_of(arguments, first, count);
    A results[rows];
    fold_row_and_tail(arguments.leaves.template from<>(begin), static_cast<int>(arguments.segments.length),
                      static_cast<int>(arguments.segments.pitch), count, access, arguments.op, results);
    WARPFOLD_UNROLL
    for (int k = 0; k < rows; ++k)
      if (k < count && arch::lane_id() == 0) arguments.write(first + k, results[k]);
  }
};

/// Segments of two rows of 32 wide chunks, the second of which need not be full.
template <class Leaves> struct two_rows {
  using A = typename Leaves::accumulator;
  static constexpr int chunk_items = wide_items<Leaves>, row = warp_lanes * chunk_items;

  __host__ __device__ static constexpr bool takes(std::int64_t length) {
    return sizeof(A) <= 16 && row < length && length <= 2 * row && !is_row_and_tail<Leaves::chunk_items>(length);
  }
  __host__ __device__ static constexpr int segments_per_warp(std::int64_t) { return 1; }

  template <class Arguments> __device__ static void fold(const Arguments& arguments, std::int64_t first, int) {
    const auto [begin, access] = reach_of(arguments, first, 1);
    const int own = arch::lane_id() * chunk_items, rest = static_cast<int>(arguments.segments.length) - row - own;
    const segment_chunk<int> chunks[2] = {{own, row - own, arch::lane_id()}, {row + own, rest, arch::lane_id()}};
    A results[2];
    fold_chunks(arguments.leaves.template from<chunk_items>(begin), chunks, warp_lanes, access, arguments.op, results);
    if (arch::lane_id() == 0) arguments.write(first, arguments.op(results[0], results[1]));
  }
};

template <class Algorithm>
inline constexpr std::size_t fixed_length_shared_bytes = [] {
  if constexpr (requires { typename Algorithm::storage; }) return sizeof(typename Algorithm::storage);
  else return std::size_t{0};
}();
/// Blocks of a multiprocessor, requested of the register allocator.
template <class Algorithm, class Leaves>
inline constexpr int fixed_length_blocks =
    fixed_length_shared_bytes<Algorithm> > 0 ? policy_of<Leaves>.load_balance_blocks_per_multiprocessor
                                             : policy_of<Leaves>.blocks_per_multiprocessor;

/// The segments of a warp: from `first` to `last`, `at_a_time` at a time, and `step` from one time to the next.
struct warp_segments {
  std::int64_t first, last;
  int at_a_time;
  std::int64_t step;
};

/// Those of warp `warp` of `warps`, which share `count` segments: at most segments_per_warp at a time, beside those of
/// other warps. If the algorithm may fold fewer, in even rounds; and if there are few, a warp has neighbours, and some
/// warps, spread evenly over the blocks, have one more than others. (On an H200, a few of these cost little: they have
/// a multiprocessor to themselves in the end.)
template <class Algorithm>
__host__ __device__ constexpr warp_segments segments_of_warp(std::int64_t length, std::int64_t count, unsigned warp,
                                                             unsigned warps) {
  int at_a_time = Algorithm::segments_per_warp(length);
  if constexpr (requires { Algorithm::min_segments_per_warp(length); }) {
    const std::int64_t share = count / warps, most = (count + warps - 1) / warps,
                       rounds = greatest_of((most + at_a_time - 1) / at_a_time, std::int64_t{1});
    at_a_time = static_cast<int>((most + rounds - 1) / rounds);
    if (rounds <= max_rounds_of_neighbours) {
      const auto rest = static_cast<unsigned>(count - share * warps);
      const auto first_of = [=](unsigned w) {
        return share * w + static_cast<std::int64_t>(std::uint64_t{rest} * w / warps);
      };
      return {first_of(warp), first_of(warp + 1), at_a_time, at_a_time};
    }
  }
  return {std::int64_t{warp} * at_a_time, count, at_a_time, std::int64_t{warps} * at_a_time};
}

/// Calls call(algorithm) with algorithms for that length, until it returns true. Returns whether it has.
template <class Leaves, class Call> bool with_fixed_length_algorithm(std::int64_t length, Call call) {
  constexpr int few = policy_of<Leaves>.tiny_items, half = half_chunk_items<Leaves>, chunk = Leaves::chunk_items;
  const auto try_algorithm = [&]<class Algorithm>(Algorithm algorithm) {
    return Algorithm::takes(length) && call(algorithm);
  };
  if (try_algorithm(empty_segments<Leaves>{}) || try_algorithm(single_items<Leaves>{}) ||
      try_algorithm(tiny_lengths<Leaves>{}))
    return true;
  if constexpr (half > 0)
    if (try_algorithm(single_chunks<Leaves, half, few>{})) return true;
  if (try_algorithm(single_chunks<Leaves, chunk, greatest_of(few, half)>{})) return true;
  if constexpr (may_join_edges_late<wide_leaves<Leaves>>)
    return try_algorithm(late_edges<Leaves, edge_order::by_lanes>{}) ||
           try_algorithm(late_edges<Leaves, edge_order::side_by_side>{}) || try_algorithm(several_chunks<Leaves>{}) ||
           try_algorithm(late_edges<Leaves, edge_order::in_turn>{});
  if constexpr (may_join_own_nodes<wide_leaves<Leaves>> && folds_slowly<Leaves>)
    if (!several_chunks<Leaves>::fills_lanes(length) && try_algorithm(late_edges<Leaves, edge_order::side_by_side>{}))
      return true;
  if constexpr (!may_join_edges_late<wide_leaves<Leaves>>)
    return try_algorithm(several_chunks<Leaves>{}) || try_algorithm(rows_and_tails<Leaves>{}) ||
           try_algorithm(two_rows<Leaves>{});
}

/// Each warp folds a few neighbouring segments at a time.
template <class Algorithm, class Segments, class Leaves, class Op, class Out>
__global__ void __launch_bounds__(policy_of<Leaves>.block_threads, fixed_length_blocks<Algorithm, Leaves>)
fixed_length_kernel(const __grid_constant__ kernel_arguments<Segments, Leaves, Op, Out> given) {
  const auto& arguments = with_known_segments(given);
  const auto& segments = arguments.segments;
  constexpr unsigned block_warps = policy_of<Leaves>.block_threads / warp_lanes;
  const warp_segments own = segments_of_warp<Algorithm>(
      segments.length, segments.count, blockIdx.x * block_warps + static_cast<unsigned>(arch::uniform_warp()),
      gridDim.x * block_warps);
  for (std::int64_t first = own.first; first < own.last; first += own.step)
    Algorithm::fold(arguments, first, static_cast<int>(least_of(own.last - first, own.at_a_time)));
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
