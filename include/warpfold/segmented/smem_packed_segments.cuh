// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds tiles of tiny segments and of mixed lengths from shared memory. One bulk copy brings all items of a tile: one
// trip to memory, where reading in place takes several, one after another. Needs sm_90, and items behind a pointer.
#pragma once
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/copied_items.cuh>
#include <warpfold/segmented/fold_chunks.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>
#include <warpfold/segmented/tile_terms.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::segmented {

/// Whether such items can be staged, and gain by it. Narrow items are as fast in place; the shared memory holds few
/// wide ones. Long joins take most of the time, and pending segments fill more lanes with them than those of one tile,
/// unless the tile's items become terms.
template <class Leaves>
inline constexpr bool can_stage = [] {
  using source = thread::plain_source_of<typename Leaves::source_type>;
  if constexpr (has_long_joins<Leaves> && !may_become_terms<Leaves>) return false;
  else if constexpr (requires(source s) {
                       s.data;
                       source::chunk::vector_bytes;
                     })
    return source::chunk::vector_bytes == 16 && sizeof(typename source::item) >= min_staged_item_bytes &&
           sizeof(typename source::item) <= 16 && sizeof(typename Leaves::accumulator) <= 16;
  else return false;
}();

/// The packing of one warp; all lanes call each member.
template <class Arguments> class smem_packed_segments {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using source = thread::plain_source_of<typename leaves_type::source_type>;
  using A = typename leaves_type::accumulator;
  static constexpr bool takes_terms = may_become_terms<leaves_type>;
  static constexpr bool prefetches_tiles = takes_terms, limits_items = true, packs_all = takes_terms,
                        lets_long_pieces_wait = false;
  static constexpr int max_items = max_copied_bytes / int{sizeof(typename source::item)};  ///< of a tile
  static constexpr int wide = wide_items<leaves_type>, chunk_items = wide, max_segment_items = warp_lanes * wide;
  /// Sums of terms take few registers, so lanes read longer segments item by item. (On an H200, logsumexp of 2^26
  /// floats, us with up to 4 items and up to 8: geometric lengths of mean 4 233 and 218, segments of 7 178 and 128.)
  static constexpr int tiny = policy_of<leaves_type>.tiny_items * (takes_terms ? 2 : 1);
  static_assert(max_items >= warp_lanes * wide);
  static constexpr int tile_segments = tile_segments_per_lane * warp_lanes;

  /// A segment that is not tiny, in one word. Its place in `heads` is the number of its first chunk among the tile's
  /// chunks.
  struct segment_head {
    static constexpr int item_bits = 12;
    std::uint32_t word;

    __device__ static segment_head of(int begin, int count, int number) {
      return {static_cast<unsigned>(begin) | static_cast<unsigned>(count) << item_bits |
              static_cast<unsigned>(number) << 2 * item_bits};
    }
    __device__ int begin() const { return static_cast<int>(word & ((1u << item_bits) - 1)); }
    __device__ int count() const { return static_cast<int>(word >> item_bits & ((1u << item_bits) - 1)); }
    __device__ int number() const { return static_cast<int>(word >> 2 * item_bits); }
  };
  static_assert(max_items < 1 << segment_head::item_bits && tile_segments <= 1 << (32 - 2 * segment_head::item_bits));

  struct storage {
    copied_items_storage<max_copied_bytes, wide* int{sizeof(typename source::item)}> copied;
    union {
      struct {
        thread::array<segment_head, max_items / wide + tile_segments> heads;
        kept_sums<leaves_type, tile_segments> sums;
      } of_tile;
      typename long_pieces<Arguments>::storage of_long;
    };
    result_of_nothing<leaves_type> nothing;
  };

  __device__ smem_packed_segments(const Arguments& arguments, std::int64_t, storage& own, const long_pieces<Arguments>&)
      : arguments_(arguments), own_(own), copied_(own.copied) {
    if constexpr (takes_terms) own.nothing.value = arguments.op.lower(arguments.empty.alone());
  }

  /// Folds the `taken` kept segments of the tile that begins with segment `first`. They have at most `longest` items
  /// each, and max_items together. The warp must synchronise before the next call, here and below. No segment stays
  /// pending.
  template <class Tile> __device__ int fold(const Tile& tile, std::int64_t first, int taken, int longest, int pending) {
    const auto first_item = tile.first_item();
    copied_.start(thread::plain_source(arguments_.leaves.source), tile.base + first_item,
                  tile.base + tile.end_of(taken - 1));
    const tile_places places(tile);
    int place[tile_segments_per_lane];
    const int chunks = write_heads(own_.of_tile.heads, places, place), max_chunks = chunks_of<wide>(longest);
    const bool any_tiny = tile.any_up_to(tiny);
    copied_.wait();
    fold_by(tile, first, taken, [&](const auto& arguments, const auto& leaves, auto out, std::int64_t origin) {
      if (any_tiny) fold_tiny_ones<tiny>(arguments, leaves, origin, places, out);
      WARPFOLD_NO_UNROLL
      for (int done = 0; done < chunks;)
        done += fold_round(own_.of_tile.heads, arguments, leaves, place, done, max_chunks, origin, out);
    });
    return pending;
  }
  /// Folds a whole tile of tiny segments that fits the shared memory, the longest of which has `longest` items. Calls
  /// meanwhile() while the copy is in flight.
  template <class Tile, class Meanwhile>
  __device__ void fold_tiny(const Tile& tile, std::int64_t first, int longest, Meanwhile meanwhile) {
    copied_.start(thread::plain_source(arguments_.leaves.source), tile.base + tile.first_item(),
                  tile.base + tile.end_of(tile_segments - 1));
    meanwhile();
    const tile_places places(tile);
    copied_.wait();
    fold_by(tile, first, tile_segments, [&](const auto& arguments, const auto& leaves, auto out, std::int64_t origin) {
      // (Segments of 1: 499 us so, 533 without.)
      if (takes_terms && longest <= tiny / 2) fold_tiny_ones<tiny / 2>(arguments, leaves, origin, places, out);
      else fold_tiny_ones<tiny>(arguments, leaves, origin, places, out);
    });
  }
  /// Whether the shared memory holds a whole tile's items, and the items between them.
  template <class Tile> __device__ static bool holds(const Tile& tile) {
    return tile.end_of(tile_segments - 1) - tile.first_item() <= max_items;
  }
  __device__ void finish(int) const {}

 private:
  /// The places of the lane's segments of a tile among the copied items, and their numbers of items.
  struct tile_places {
    int begin[tile_segments_per_lane], count[tile_segments_per_lane];

    template <class Tile> __device__ explicit tile_places(const Tile& tile) {
      const auto first_item = tile.first_item();
      tile.counts(count);
      WARPFOLD_UNROLL
      for (int k = 0; k < tile_segments_per_lane; ++k) begin[k] = static_cast<int>(tile.begin[k] - first_item);
    }
  };

  /// Folds the segments of at most `Tiny` items.
  template <int Tiny, class Own, class Leaves, class Out>
  __device__ static void fold_tiny_ones(const Own& arguments, const Leaves& leaves, std::int64_t origin,
                                        const tile_places& places, Out out) {
    fold_tiny_segments<Tiny>(arguments, leaves, origin, places.begin, places.count, out + arch::lane_id(), [] {});
  }

  /// Calls fold(arguments, leaves, out, origin) for the copied items of the `taken` kept segments of the tile that
  /// begins with segment `first`. If they can be terms, results are sums, and become those of the operator here.
  template <class Tile, class Fold>
  __device__ void fold_by(const Tile& tile, std::int64_t first, [[maybe_unused]] int taken, Fold fold) {
    const std::int64_t origin = tile.base + tile.first_item();
    if constexpr (takes_terms) {
      using R = typename tile_terms<leaves_type>::R;
      const tile_terms<leaves_type> terms(arguments_.leaves, copied_);
      if (__builtin_expect(terms.are_plain(), true)) {
        terms.replace(copied_);
        fold(sums_of_terms<R>{}, copied_.template replaced<R, wide>(), own_.of_tile.sums.of.data(), origin);
        __syncwarp();
        return write_sums(terms, tile, first, taken);
      }
    }
    fold(arguments_, copied_.template leaves<wide>(arguments_.leaves), arguments_.out + first, origin);
  }

  /// Writes the results of the `taken` kept segments of a tile, which follow from their sums.
  template <class Terms, class Tile>
  __device__ void write_sums(const Terms& terms, Tile tile, std::int64_t first, int taken) const {
    WARPFOLD_NO_UNROLL
    for (int row = 0; row < taken; row += warp_lanes) {
      const int number = row + arch::lane_id(), count = tile.count(0);
      const auto sum = own_.of_tile.sums.of[number];
      auto result = own_.nothing.value;
      const std::int64_t begin = tile.base + tile.begin[0], segment = first + number;
      if (count <= 0 || terms.lower(sum, count, result)) {
        const thread::lowered_value<decltype(result)> lowered{result};
        if (count >= 0) place_of(arguments_.out, segment, begin, count) = lowered;
      } else detail::write_at_own_exponent(arguments_, terms, segment, begin, count, sum);
      tile.template drop_first<1>();
    }
  }

  /// Writes the heads of all segments that are not tiny, and sets their places; `far` for tiny ones. Returns the number
  /// of chunks. One scan serves all segments of a lane: each has a byte of the scanned word.
  template <class Heads, int SegmentsPerLane>
  __device__ static int write_heads(Heads& heads, const tile_places& own, int (&place)[SegmentsPerLane]) {
    static_assert(SegmentsPerLane <= 4 && warp_lanes + max_items / wide < 256);
    constexpr int far = 1 << 20;
    unsigned word = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k)
      word |= static_cast<unsigned>(own.count[k] > tiny ? chunks_of<wide>(own.count[k]) : 0) << 8 * k;
    const auto through = static_cast<unsigned>(warp::sum_through(static_cast<int>(word)));
    const unsigned all = __shfl_sync(full_warp, through, warp_lanes - 1), before = through - word;
    int chunks = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) {
      place[k] = chunks + static_cast<int>(before >> 8 * k & 255);
      chunks += static_cast<int>(all >> 8 * k & 255);
      if (own.count[k] > tiny)
        heads[place[k]] = segment_head::of(own.begin[k], own.count[k], k * warp_lanes + arch::lane_id());
      else place[k] = far;
    }
    return chunks;
  }

  /// Folds the segments that lie wholly within the 32 chunks from number `done` on, one chunk per lane. Returns the
  /// number of their chunks.
  template <class Heads, class Own, class Leaves, int SegmentsPerLane, class Out>
  __device__ static int fold_round(const Heads& heads, const Own& arguments, const Leaves& leaves,
                                   const int (&place)[SegmentsPerLane], int done, int max_chunks, std::int64_t origin,
                                   Out out) {
    const int lane = arch::lane_id();
    unsigned begins = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) {
      const auto own = static_cast<unsigned>(place[k] - done);
      if (own < warp_lanes) begins |= 1u << own;
    }
    begins = warp::all_reduce(begins, bit_or{});
    const auto last_before = [](unsigned lanes) { return warp_lanes - 1 - __clz(static_cast<int>(lanes)); };
    const int last = last_before(begins);
    const int end = last + chunks_of<wide>(warp::shuffle(heads[done + last], 0).count());
    if (end > warp_lanes) begins ^= 1u << last;  // it belongs to the next round
    const int first = last_before(begins & ~0u >> (warp_lanes - 1 - lane)), index = lane - first;
    const segment_head own = heads[done + first];
    const int count = own.count() - index * wide;
    const segment_chunk<int> chunk[1] = {{count > 0 ? own.begin() + index * wide : 0, count, index}};
    typename Leaves::accumulator value[1];
    constexpr auto kind = has_long_joins<Leaves> ? chunk_rounds::apart_by_one_join : chunk_rounds::apart;
    fold_chunks<kind>(leaves, chunk, max_chunks, true, arguments.op, value);
    if (index == 0) arguments.write(out, own.number(), origin + own.begin(), own.count(), value[0]);
    return end <= warp_lanes ? end : last;
  }

  const Arguments& arguments_;
  storage& own_;
  copied_items<source, decltype(storage::copied)> copied_;
};

}  // namespace warpfold::segmented
