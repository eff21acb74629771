// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of a tile of segments, one segment per lane, at one level of extraction: integers of 64 bits count its
// last digit. They are exact if all items of the tile are multiples of that digit, and none is so large that a sum
// overflows. That holds for nearly all tiles of floats of similar magnitudes, and takes no superaccumulators.
#pragma once
#include <warpfold/exact/double_sum.cuh>
#include <warpfold/exact/tile_sums.cuh>

namespace warpfold::exact {

/// Items that a lane sums at once: 8, or a chunk of 16.
template <class Leaves> inline constexpr int level_lane_items = greatest_of(Leaves::chunk_items, 8);
inline constexpr int max_level_lane_items = 16;

/// The extremes of the items of a tile that a lane has seen.
struct seen_items {
  float largest = 0;        ///< a magnitude, or NaN
  std::uint32_t rests = 0;  ///< not zero, apart from the sign, if any item has a rest

  __device__ int largest_field() const { return static_cast<int>(bits_as<std::uint32_t>(largest) >> 23 & 0xff); }
};

/// The level of a warp, which stays from tile to tile.
template <class V> struct tile_level {
  using extraction = exact::extraction<V, max_level_lane_items>;
  static constexpr bool exists = std::is_same_v<typename superaccumulator<V>::number, float>;
  /// A lane's sum of a step is below 2^51, and that of a team below 2^63.
  static constexpr std::int64_t max_items = std::int64_t{1} << 15;

  int exponent;

  /// The level for items whose largest exponent is that of `field`, or `margin` more.
  __device__ static tile_level of_field(int field, int margin) {
    return {extraction::start((field > 0 ? field : 1) - format<float>::max_exponent + margin)};
  }
  __device__ double start() const {
    return bits_as<double>(static_cast<std::uint64_t>(2 * (exponent + 1023) + 1) << 51);
  }
  /// The least power of two that no item may reach, or infinity.
  __device__ float limit() const {
    const int field = exponent - extraction::log_items - 2 + format<float>::max_exponent;
    return bits_as<float>(static_cast<std::uint32_t>(least_of(field, int{format<float>::max_field})) << 23);
  }
  __device__ int digit_exponent() const { return exponent - 52; }
  /// Moves the level to the largest item that any lane of the warp has seen, if it is a number.
  __device__ void move_to(const seen_items& seen) {
    const int field = warp::all_reduce(seen.largest_field(), maximum{});
    if (field != static_cast<int>(format<float>::max_field)) *this = of_field(field, 0);
  }
};

/// A level for items a little larger than the first ones of the lanes' segments, and, where these are few, others of
/// the first one: a larger item would be met late. All lanes of the warp call it.
template <class Leaves, class V = typename Leaves::accumulator>
__device__ tile_level<V> sample_level(const Leaves& leaves, const segment_span& items) {
  constexpr int margin = 2;
  const unsigned members = __ballot_sync(full_warp, items.begin < items.end);
  const segment_span some = warp::shuffle(items, __ffs(static_cast<int>(members)) - 1);
  unsigned field = 0;
  if (members != 0) {
    const std::int64_t at =
        items.begin < items.end ? items.begin : some.begin + (some.end - some.begin) * arch::lane_id() / warp_lanes;
    const float item = warpfold::detail::convert<float>(leaves.leaf_of(leaves.source.at(at)));
    field = bits_as<std::uint32_t>(item) >> 23 & 0xff;
  }
  field = warp::all_reduce(field < format<float>::max_field ? field : 0u, maximum{});
  return tile_level<V>::of_field(static_cast<int>(field), margin);
}

/// The level at which a warp sums its next tile, and for how many tiles it tries none.
template <class V> struct tile_place {
  tile_level<V> level{};
  bool has_level = false;
  int to_skip = 0;

  template <class Leaves> __device__ void take_sample(const Leaves& leaves, const segment_span& items) {
    if (!has_level) level = sample_level(leaves, items), has_level = true;
  }
};
inline constexpr int tiles_per_trial = 8;  ///< after a tile that does not fit the level

/// Adds an item to `running`, which started at the level's start. The sum means
/// nothing if an item does not fit the level.
__device__ inline void add_at_level(float item, double& running, seen_items& seen) {
  seen.largest = maximum{}(seen.largest, fabsf(item));
  const double wide = item, next = warpfold::detail::add(running, wide);
  const double rest = warpfold::detail::add(wide, -warpfold::detail::add(next, -running));
  seen.rests |= static_cast<std::uint32_t>(bits_as<std::uint64_t>(rest) >> 32);
  running = next;
}
/// Whether all items that the warp's lanes have seen fit the level of this limit.
__device__ inline bool all_at_level(const seen_items& seen, float limit) {
  return !__any_sync(full_warp, !(seen.largest < limit) || (seen.rests & 0x7fffffffu) != 0);
}

/// The sum of a lane's items in the level's last digits, in two's complement, and whether any is other than -0.
template <int Items>
__device__ std::uint64_t sum_at_level(const float (&items)[Items], double start, seen_items& seen, bool& has_other) {
  double running = start;
  std::uint32_t other = 0;
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k) {
    other |= bits_as<std::uint32_t>(items[k]) ^ 0x80000000u;
    add_at_level(items[k], running, seen);
  }
  has_other = has_other || other != 0;
  return bits_as<std::uint64_t>(running) - bits_as<std::uint64_t>(start);
}

/// A segment's sum, in the level's last digits.
struct level_sum {
  std::int64_t digits;
  unsigned kinds;
};

/// Items of a segment that a lane sums alone.
inline constexpr int max_own_items = 8;

/// Sums each lane's segment of at most max_own_items items. Returns as sum_tile_at_level does.
template <class Leaves, class V = typename Leaves::accumulator>
__device__ bool sum_own_at_level(const Leaves& leaves, const segment_span& items, tile_level<V>& level,
                                 level_sum& own) {
  float values[max_own_items];
  WARPFOLD_UNROLL
  for (int k = 0; k < max_own_items; ++k)
    values[k] = items.begin + k < items.end
                    ? warpfold::detail::convert<float>(leaves.leaf_of(leaves.source.at(items.begin + k)))
                    : -0.0f;
  seen_items seen;
  bool has_other = false;
  const std::uint64_t sum = sum_at_level(values, level.start(), seen, has_other);
  if (items.begin < items.end)
    own = {static_cast<std::int64_t>(sum), has_other ? unsigned{has_other_than_minus_zero} : 0u};
  const bool fits = all_at_level(seen, level.limit());
  if (!fits) level.move_to(seen);
  return fits;
}

/// Sums the lane's segment of at most double_sum::max_items items in a double. Returns whether it holds the sum and the
/// level counts it. All lanes call it, `longest` being the length of the warp's longest such segment.
template <class Leaves, class V = typename Leaves::accumulator>
__device__ bool sum_in_double(const Leaves& leaves, const segment_span& items, int longest, const tile_level<V>& level,
                              level_sum& own) {
  constexpr int step = 4;  // items in flight
  const int count = static_cast<int>(items.end - items.begin);
  double_sum sum;
  float next[step];
  const auto load = [&](int k) {
    WARPFOLD_UNROLL
    for (int i = 0; i < step; ++i)
      next[i] = k + i < count ? warpfold::detail::convert<float>(leaves.leaf_of(leaves.source.at(items.begin + k + i)))
                              : -0.0f;
  };
  load(0);
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < longest; k += step) {
    float values[step];
    WARPFOLD_UNROLL
    for (int i = 0; i < step; ++i) values[i] = next[i];
    load(k + step);
    WARPFOLD_UNROLL
    for (int i = 0; i < step; ++i) sum.add(values[i]);
  }
  __syncwarp();  // teams of an earlier trial may have written `own`
  own.kinds = sum.has_other_than_minus_zero() ? unsigned{has_other_than_minus_zero} : 0u;
  return sum.is_exact() && sum.count_digits(level.digit_exponent(), own.digits);
}

/// Sums each lane's segment in sums[lane]. Returns whether these are the exact sums; if not, `level` may have changed
/// for the next trial. Segments have at most tile_level::max_items items, and vectors around them lie within the
/// input. All lanes of the warp call it.
template <class Leaves, class V = typename Leaves::accumulator>
__device__ bool sum_tile_at_level(const Leaves& leaves, const segment_span& items, tile_level<V>& level,
                                  level_sum (&sums)[warp_lanes], int (&order)[warp_lanes]) {
  const double start = level.start();
  const float limit = level.limit();
  seen_items seen;
  __syncwarp();
  const bool fits = deal_segments<level_lane_items<Leaves>>(
      leaves.source, items, order, [&](lane_team team, const segment_span& segment, int place) {
        lane_range range(leaves.source, segment, team);
        std::uint64_t sum = 0;
        bool has_other = false;
        WARPFOLD_NO_UNROLL
        while (__any_sync(full_warp, range.has_more())) {
          float values[level_lane_items<Leaves>];
          load_inner_items(leaves, range, team, values);
          sum += sum_at_level(values, start, seen, has_other);
        }
        for (int distance = 1; distance < team.lanes; distance *= 2) sum += warp::shuffle_xor(sum, distance);
        const bool any_other = (__ballot_sync(full_warp, has_other) & team.mask()) != 0;
        if (team.has_items && team.own_lane() == 0)
          sums[place] = {static_cast<std::int64_t>(sum), any_other ? unsigned{has_other_than_minus_zero} : 0u};
        return all_at_level(seen, limit);
      });
  if (!fits) level.move_to(seen);
  return fits;
}

}  // namespace warpfold::exact
