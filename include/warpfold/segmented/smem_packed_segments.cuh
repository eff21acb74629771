// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds tiles of tiny segments and of mixed lengths from shared memory. One bulk copy brings all items of a tile: one
// trip to memory, where reading in place takes several, one after another. Needs sm_90, and items behind a pointer.
#pragma once
#include <warpfold/segmented/code_size.cuh>
#include <warpfold/segmented/copied_items.cuh>
#include <warpfold/segmented/fold_chunks.cuh>
#include <warpfold/segmented/long_segments.cuh>
#include <warpfold/segmented/segment_tile.cuh>
#include <warpfold/warp/scan.cuh>

namespace warpfold::segmented {

/// Whether such items can be staged, and gain by it. Narrow items are as fast in place; the shared memory holds few
/// wide ones. Long joins take most of the time, and pending segments fill more lanes with them than those of one tile.
template <class Leaves>
inline constexpr bool can_stage = [] {
  using source = thread::plain_source_of<typename Leaves::source_type>;
  if constexpr (has_long_joins<Leaves>) return false;
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
  static constexpr bool takes_few = false, limits_items = true, packs_all = false, lets_long_pieces_wait = false;
  static constexpr int max_items = max_copied_bytes / int{sizeof(typename source::item)};  ///< of a tile
  static constexpr int wide = wide_items<leaves_type>, chunk_items = wide, tiny = policy_of<leaves_type>.tiny_items,
                       max_segment_items = warp_lanes * wide;
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
    thread::array<segment_head, max_items / wide + tile_segments> heads;
    typename long_pieces<Arguments>::storage of_long;
  };

  __device__ smem_packed_segments(const Arguments& arguments, std::int64_t, storage& own, const long_pieces<Arguments>&)
      : arguments_(arguments), heads_(own.heads), copied_(own.copied) {}

  /// Folds the `taken` kept segments of the tile that begins with segment `first`. They have at most `longest` items
  /// each, and max_items together. The warp must synchronise before the next call, here and below. No segment stays
  /// pending.
  template <class Tile> __device__ int fold(const Tile& tile, std::int64_t first, int taken, int longest, int pending) {
    const auto first_item = tile.first_item();
    copied_.start(thread::plain_source(arguments_.leaves.source), tile.base + first_item,
                  tile.base + tile.end_of(taken - 1));
    int begin[Tile::segments_per_lane], count[Tile::segments_per_lane], place[Tile::segments_per_lane];
    places_from(first_item, tile, begin, count);
    const int chunks = write_heads(begin, count, place);
    copied_.wait();
    const auto leaves = copied_.template leaves<wide>(arguments_.leaves);
    const auto out = arguments_.out + first;
    const std::int64_t origin = tile.base + first_item;
    fold_tiny_segments<tiny>(arguments_, leaves, tile.base + first_item, begin, count, out + arch::lane_id(), [] {});
    const int max_chunks = chunks_of<wide>(longest);
    WARPFOLD_NO_UNROLL
    for (int done = 0; done < chunks;) done += fold_round(leaves, place, done, max_chunks, origin, out);
    return pending;
  }
  /// Folds a whole tile of tiny segments that fits the shared memory. Calls meanwhile() while the copy is in flight.
  template <class Tile, class Meanwhile>
  __device__ void fold_tiny(const Tile& tile, std::int64_t first, Meanwhile meanwhile) {
    const auto first_item = tile.first_item();
    copied_.start(thread::plain_source(arguments_.leaves.source), tile.base + first_item,
                  tile.base + tile.end_of(tile_segments - 1));
    meanwhile();
    int begin[Tile::segments_per_lane], count[Tile::segments_per_lane];
    places_from(first_item, tile, begin, count);
    copied_.wait();
    fold_tiny_segments<tiny>(arguments_, copied_.template leaves<wide>(arguments_.leaves), tile.base + first_item,
                             begin, count, arguments_.out + first + arch::lane_id(), [] {});
  }
  /// Whether the shared memory holds a whole tile's items, and the items between them.
  template <class Tile> __device__ static bool holds(const Tile& tile) {
    return tile.end_of(tile_segments - 1) - tile.first_item() <= max_items;
  }
  __device__ void finish(int) const {}

 private:
  /// The places of a tile's segments among the copied items, and their numbers of items.
  template <class Tile, class Index, int SegmentsPerLane>
  __device__ static void places_from(Index first_item, const Tile& tile, int (&begin)[SegmentsPerLane],
                                     int (&count)[SegmentsPerLane]) {
    tile.counts(count);
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) begin[k] = static_cast<int>(tile.begin[k] - first_item);
  }

  /// Writes the heads of all segments that are not tiny, and sets their places; `far` for tiny ones. Returns the number
  /// of chunks. One scan serves all segments of a lane: each has a byte of the scanned word.
  template <int SegmentsPerLane>
  __device__ int write_heads(const int (&begin)[SegmentsPerLane], const int (&count)[SegmentsPerLane],
                             int (&place)[SegmentsPerLane]) {
    static_assert(SegmentsPerLane <= 4 && warp_lanes + max_items / wide < 256);
    constexpr int far = 1 << 20;
    unsigned own = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k)
      own |= static_cast<unsigned>(count[k] > tiny ? chunks_of<wide>(count[k]) : 0) << 8 * k;
    const auto through = static_cast<unsigned>(warp::sum_through(static_cast<int>(own)));
    const unsigned all = __shfl_sync(full_warp, through, warp_lanes - 1), before = through - own;
    int chunks = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < SegmentsPerLane; ++k) {
      place[k] = chunks + static_cast<int>(before >> 8 * k & 255);
      chunks += static_cast<int>(all >> 8 * k & 255);
      if (count[k] > tiny) heads_[place[k]] = segment_head::of(begin[k], count[k], k * warp_lanes + arch::lane_id());
      else place[k] = far;
    }
    return chunks;
  }

  /// Folds the segments that lie wholly within the 32 chunks from number `done` on, one chunk per lane. Returns the
  /// number of their chunks.
  template <class Leaves, int SegmentsPerLane, class Out>
  __device__ int fold_round(const Leaves& leaves, const int (&place)[SegmentsPerLane], int done, int max_chunks,
                            std::int64_t origin, Out out) {
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
    const int end = last + chunks_of<wide>(warp::shuffle(heads_[done + last], 0).count());
    if (end > warp_lanes) begins ^= 1u << last;  // it belongs to the next round
    const int first = last_before(begins & ~0u >> (warp_lanes - 1 - lane)), index = lane - first;
    const segment_head own = heads_[done + first];
    const int count = own.count() - index * wide;
    const segment_chunk<int> chunk[1] = {{count > 0 ? own.begin() + index * wide : 0, count, index}};
    A value[1];
    fold_chunks(leaves, chunk, max_chunks, true, arguments_.op, value);
    if (index == 0) arguments_.write(out, own.number(), origin + own.begin(), own.count(), value[0]);
    return end <= warp_lanes ? end : last;
  }

  const Arguments& arguments_;
  thread::array<segment_head, max_items / wide + tile_segments>& heads_;
  copied_items<source, decltype(storage::copied)> copied_;
};

}  // namespace warpfold::segmented
