// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of segmented reduction. They change its speed, never its result.
#pragma once
#include <cstddef>
#include <warpfold/warp/batch_rows.hpp>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

inline constexpr int units_per_bundle = 256;  ///< neighbouring units of a long segment that one warp joins at once
inline constexpr int max_warps = 10912;       ///< warps of a grid: their counters fill 128 KiB
inline constexpr int counters_per_warp = 3;
/// Listed segments of mostly more than 32 chunks have two waves of warps if each warp still has half of this many
/// positions, and there is a segment for each warp: the second wave evens out the loads of warps with uncut segments.
/// (Owners take longer to search than that gains, and segments of one length leave nothing uneven. Slow folds gain by
/// long ranges: on an H200, moments of geometric lengths of mean 5000 take 103 us in one wave, 115 in two, means of
/// segments of 600, 80 and 87; but sums of structs of 12 bytes in segments of 1000 take 71 and 67.)
inline constexpr int min_two_wave_positions = 8192;
inline constexpr int max_units_per_warp = 8;  ///< a unit is so long that about 8 of them fill a warp's range
/// If the mean segment is long, segments of at most half a warp's range are not cut, because joining units takes trips
/// to memory.
inline constexpr int uncut_segments_per_warp = 2;
/// A warp gets about as many positions as the grid has warps, within these bounds. With more warps the searches for
/// their first segments would cost more than the work.
inline constexpr int min_items_per_warp = 128, max_min_items_per_warp = 768;

/// Units of all long segments together. Units grow with the input, so scratch does not grow.
constexpr int max_units(std::size_t accumulator_bytes) { return accumulator_bytes <= 16 ? 1 << 15 : 1 << 14; }

/// For items of this size, a warp folds its units of the previous segment before its own first segment, otherwise after
/// its last one: for other sizes the first order costs registers and gains nothing.
inline constexpr int previous_first_item_bytes = 4;

inline constexpr int tile_segments_per_lane = 4;  ///< a tile is 4 * 32 segments
/// A tile of segments of up to a chunk of narrow items is packed unless more segments than this exceed half a chunk.
inline constexpr int max_waiting_of_tile = 32;
/// If at most this many segments of a mixed tile of narrow items exceed a tiny one but not half a chunk, these wait.
inline constexpr int max_waiting_half_chunks = 12;
inline constexpr std::size_t max_packing_bytes = 48 * 1024;  ///< of a block: what it gets without an opt-in
inline constexpr int max_segment_cost = 8;  ///< a higher cost leaves too much to the warps of a long segment

/// Tiles are staged in shared memory if
/// - items have at least min_staged_item_bytes bytes;
/// - the mean segment has at least min_staged_mean_halves halves of an item, and less than max_mean_items: lanes of
///   shorter segments read neighbouring items anyway, and few longer segments, or wider items, fit the shared memory;
/// - each warp has at least min_tiles tiles, or min_staged_empty_tiles if most segments are empty.
/// Where tiny segments would be packed otherwise, too (code_size.cuh), the mean length may be 1. (On an H200, 2^26
/// floats, us packed and staged: means of segments of 1 944 and 331, of 2 482 and 178; argmax of segments of 1 1148 and
/// 476, of geometric lengths of mean 2 543 and 432.)
inline constexpr int min_staged_item_bytes = 4;
constexpr int min_staged_mean_halves(std::size_t item_bytes) { return item_bytes <= 4 ? 7 : 8; }
inline constexpr int min_staged_empty_tiles = 16;
struct staging_bounds {
  int min_tiles, max_mean_items;
};
/// Those of items that become terms (tile_terms.cuh) are wider: other ways take longer. (On an H200, logsumexp, us
/// otherwise and staged: of 2^26 floats in geometric lengths of mean 4 357 and 221, of mean 30 181 and 156; in segments
/// of 7 154 and 130, of 18 169 and 151, but of 30 130 and 138; of log-normal lengths of mean 60 143 and 173. Of 10^6
/// floats in geometric lengths of mean 4, two tiles for a warp: 17 and 13.)
inline constexpr staging_bounds staging_bounds_of_items{4, 16}, staging_bounds_of_terms{1, 32};
inline constexpr int max_copied_bytes = 4080;  ///< a tile's items; with up to 15 bytes before them 4 KiB

/// Bytes of a tile that are brought into the L2 cache before lanes fold its segments of few items, since a lane loads
/// the items of one after another. (On an H200, moments of 2^26 floats in segments of 4: 224 us so, 264 without.)
inline constexpr int max_prefetched_bytes = 4096;
/// Items of pending segments that are brought there before full nodes are folded, round after round. (Statistics of
/// geometric lengths of mean 30: 196 us so, 206 without; of log-normal lengths of mean 60 160 and 166; moments 155 and
/// 164, 125 and 129, but of segments of 30 128 and 124.)
inline constexpr int max_prefetched_pending = 2048;
/// Without full nodes, lanes fold the segments of few items of a tile alone if at most this many of its segments are
/// longer; else all are packed. (On an H200, logsumexp of 2^26 floats in geometric lengths of mean 16: 216 us so, 221
/// where lanes always do.)
inline constexpr int max_longer_of_few = 32;

/// A segment goes to a team of warps by its number, without a search, if the input fills the device about once, or if
/// segments are long. For small inputs, the even share of a warp and the mean segment, in rows of 32 chunks, are within
/// these limits, the mean segment has at least 3/4 of a row, and there are at most 3 segments for 2 warps.
inline constexpr int max_even_share_rows = 16, max_mean_segment_rows = 80;
/// Teams double while a warp's share of the mean segment exceeds this.
inline constexpr int target_share_rows = 2;
/// Fall back to the partition by position if a warp's share of the mean segment exceeds both max_mean_share_rows and
/// 1.5 times the even share. Segments whose shares exceed max_share_rows, and that are 2.25 times the mean, are cut
/// into units. (On an H200, 2^26 floats in segments of 1 and 100000 in turn take 85 us if half of them are cut, and 75
/// if none is.)
inline constexpr int max_mean_share_rows = 16, max_share_rows = 16;

/// For other inputs: the mean segment has at least min_long_mean_rows rows, and the blocks fill at least
/// min_filled_percent of whole rounds over the multiprocessors. Teams double, up to a block, while a warp's share of
/// the mean segment exceeds long_share_rows. Items of 1 and 2 bytes have chunks of more than max_wide_item_chunk
/// items, and so longer rows. Of them, only listed segments with a mean of at least min_narrow_mean go to teams (on an
/// H200, 2^26 halfs: in segments of 12345 58 us by position, 46 by teams; of 3, 500 and 20000 in turn 52 and 59).
inline constexpr int min_long_mean_rows = 8, long_share_rows = 4, min_filled_percent = 84;
inline constexpr int max_wide_item_chunk = 8, min_narrow_mean = 8192;
/// Listed segments with a mean of at least so many items, and of fewer than so many rows, go to single warps in blocks
/// of their own, if there are at least min_single_segments for each warp that the device holds: the device starts one
/// where another has ended, so uneven lengths cost little. (On an H200, 2^26 floats, us by position, by teams of four,
/// and so: segments of 3000, sums 67, 79 and 66, norms 90, 96 and 75, argmax 80, 111 and 70; of 7 and 4097 in turn,
/// sums 81, 81 and 67; of geometric lengths of mean 3000, sums 78, 81 and 79; of mean 1500, 82 by position, and 71.)
inline constexpr int min_single_items = 1024, max_single_rows = 24, min_single_segments = 2, single_block_warps = 1;

/// Shares are powers of two of rows. If these leave more of a team idle than min_team_percent allows, listed segments
/// of less than min_idling_mean_rows are left to the partition by position, if each resident warp has
/// min_two_wave_positions. (2^26 floats in segments of 2500: on an H200 84 us by teams, 69 by position; on an H100 100
/// and 97. Of longer ones, an H200 gains so, but an H100 loses: lengths of mean 5000, 81 and 76; 99 and 103.)
inline constexpr int min_team_percent = 70, min_idling_mean_rows = 16;
/// Listed segments of operators with long joins (code_size.cuh) go to teams only from min_long_join_rows on, and never
/// to single warps: warps that each fold another length wait for instructions. Shorter ones stay by position. (2^26
/// floats on an H200: logsumexp of equal segments of 3000 takes 123 us by position and 86 by single warps, but of
/// geometric lengths 164 and 209. Six fused sums and extrema of segments of 3000 take 122 us by position and 148 by
/// teams; of 5000, 133 and 116.) With full nodes, the partition by position joins several edges at once
/// (long_edges.cuh), and a team joins those of its shares one by one; so teams gain only from min_late_edge_rows on.
/// (Segments of 3000: moments 281 us by teams, 87 by position; statistics 360 and 124; of 20000, 103 and 90, 125 and
/// 123; of 50000, 79 and 84, 107 and 117.)
inline constexpr int min_long_join_rows = 24, min_late_edge_rows = 256;
/// The mean length from which on listed segments have the kernel of fewer blocks, if there is one.
inline constexpr int min_mean_of_fewer_blocks = 1000;
inline constexpr int max_team_blocks = 1 << 30;  ///< a grid has at most 2^31 - 1 blocks

/// Segments of one length go to teams, each of which is a block, if they have at least so many halves of a KiB, or if
/// there are at most so many segments for each multiprocessor.
struct team_bounds {
  int min_half_kib, most;
};
/// Less than a batch takes long where its halves go in turn, and of narrow items; so do joins of more than
/// max_quick_join_bytes. (On an H200, 2^26 floats, us by teams and by position: means of 1300 items 73 and 71, of 1500
/// 67 and 71; argmax of 1500 70 and 75, of 1700 82 and 72, of 3000 69 and 73; moments of 8500 79 and 82, of 10007 100
/// and 85, of 14000 78 and 85; 2^24 floats: argmax of 1700 26 and 24, of 2300 25 and 29; moments of 2300 34 and 32, of
/// 4100 27 and 30. 2^27 halfs: sums of 3400 73 and 71, of 7003 70 and 74, of 28003 72 and 103.)
inline constexpr team_bounds quick_team_bounds{11, 128}, slow_tail_team_bounds{22, 70}, slow_join_team_bounds{92, 42};
inline constexpr std::size_t max_quick_join_bytes = 16;
inline constexpr std::int64_t most_blocks_at_once = 32;  ///< that a multiprocessor holds, whatever they need
/// A warp takes as long for so many KiB of items as to start, and to join its share.
inline constexpr int quick_start_kib = 4, slow_start_kib = 10;
/// Of narrow items, fewer warps take long for their shares.
inline constexpr int min_warps_of_narrow_items = 3;
inline constexpr int max_lone_rounds = 3;  ///< of blocks; in more, some begin while others end
/// A lone warp takes as long for a KiB as a multiprocessor for so many, where memory limits it. By position, to begin
/// takes a multiprocessor as long as so many KiB more.
inline constexpr int lone_warp_cost = 10, narrow_lone_warp_cost = 21, position_start_kib = 300;
/// How many KiB more than others a multiprocessor may have; where memory limits it, also a quarter of its share, since
/// others leave it bandwidth.
inline constexpr int most_uneven_joins_kib = 280, most_uneven_reads_kib = 375;

/// Short segments of one length are folded side by side, where folds take long, if fewer lanes of a round, in percent,
/// would have a chunk; longer ones, if fewer lanes of two rows would. (On an H200, 2^26 floats, us by rows and side by
/// side: means of 550 items 81 and 78, of 600 75 and 79; argmax of 550 99 and 90.)
inline constexpr int min_round_percent = 75, min_two_rows_percent = 56;
/// In at most so many rounds, the segments of a warp are neighbours; in more, they lie beside those of other warps, as
/// memory likes it. (Moments of rows of 24 items, in 21 rounds: 97 us as neighbours, 91 beside others; of 400, in two:
/// 85 and 87.)
inline constexpr int max_rounds_of_neighbours = 2;
/// Segments of one length of fewer half chunks than these are folded by a lane each, if edges are joined late. (On an
/// H200, 2^26 floats, us by a lane each and side by side: moments of 31 items 112 and 118, of 32 103 and 95, of 64 132
/// and 89; logsumexp of 50 items 109 and 117, of 56 110 and 105, of 64 125 and 104.)
inline constexpr int max_half_chunks_of_lane = 4, max_half_chunks_of_lane_by_own_joins = 7;
/// Segments of one length of fewer chunks than this are folded side by side, longer ones one after another, 64 chunks
/// at a time. (On an H200, 2^26 floats in rows of 600: moments 89 us side by side, 108 one after another, logsumexp 104
/// and 132; in rows of 850, 87 and 83, 105 and 99.)
inline constexpr int min_chunks_in_turn = 50;
/// Segments of one length by operators of quick joins, but slow folds, are folded so up to this many rows. (Logsumexp
/// of rows of 2600: 91 us so, 96 by single warps; of 3000, 91 and 87; of 3500, 94 and 77.)
inline constexpr int max_rows_in_turn = 12;
/// Long segments of one length are folded one after another by each warp, and their edges together, if each resident
/// warp has this many. With fewer, teams of warps share them.
inline constexpr int min_share_of_late_edges = 2;

/// Rows of 32 chunks of long segments that are folded by runs of half as many chunks.
inline constexpr int long_rows_of_runs = 8;

/// Items of a chunk: as many as fit `bytes`, and as accumulators 4 * bytes, but at least `least`.
constexpr int chunk_items_within(std::size_t bytes, std::size_t item_bytes, std::size_t accumulator_bytes, int least) {
  int items = least;
  while (2 * items * item_bytes <= bytes && 2 * items * accumulator_bytes <= 4 * bytes) items *= 2;
  return items;
}
/// Items of a narrow chunk, for segments of one chunk, and of a wide one, for longer segments: a lane pays once a chunk
/// to find its place.
constexpr int narrow_chunk_items(std::size_t item_bytes, std::size_t accumulator_bytes, int least) {
  return chunk_items_within(32, item_bytes, accumulator_bytes, least);
}
constexpr int wide_chunk_items(std::size_t item_bytes, std::size_t accumulator_bytes, int narrow_items) {
  return chunk_items_within(64, item_bytes, accumulator_bytes, narrow_items);
}

struct kernel_policy {
  int block_threads;
  int blocks_per_multiprocessor;               ///< requested of the register allocator
  int load_balance_blocks_per_multiprocessor;  ///< the same for kernels of segments of any lengths
  int load_balance_blocks_of_long;             ///< the same where most segments are long
  int tiny_items;                              ///< segments of at most this many items are read item by item
  int long_rows;                               ///< rows of 32 chunks of a long segment that a warp has in flight
  bool folds_slowly;                           ///< whether a fold takes longer than a sum's
  bool has_long_joins;                         ///< whether a join takes long (code_size.cuh)
  bool folds_halves_in_turn;                   ///< whether the halves of a span's last batch take twice as long as one
};

consteval kernel_policy kernel_policy_for(std::size_t chunk_bytes, std::size_t accumulator_bytes,
                                          bool folds_slowly = false) {
  kernel_policy p{};
  p.folds_slowly = folds_slowly;
  p.block_threads = accumulator_bytes <= 64 ? 256 : 128;
  p.blocks_per_multiprocessor = accumulator_bytes <= 8 && chunk_bytes <= 32 ? 4
                                : accumulator_bytes <= 16                   ? 3
                                : accumulator_bytes <= 32                   ? 2
                                                                            : 1;
  // With accumulators of 9 to 12 bytes the kernel fits the registers of four blocks, and with those of moments and
  // statistics, nearly of three; the compiler would take more.
  const bool fits_four = 8 < accumulator_bytes && accumulator_bytes <= 12;
  const bool fits_three = 16 < accumulator_bytes && accumulator_bytes <= 48;
  p.load_balance_blocks_per_multiprocessor = fits_four ? 4 : fits_three ? 3 : p.blocks_per_multiprocessor;
  // With more registers, long segments of wide accumulators are faster, and short ones slower. (On an H200, statistics
  // of 2^26 floats in segments of 3000, by offsets, take 104 us by three blocks and 92 by two; of 600, 107 and 118.)
  p.load_balance_blocks_of_long = accumulator_bytes > 32 ? least_of(2, p.load_balance_blocks_per_multiprocessor)
                                                         : p.load_balance_blocks_per_multiprocessor;
  p.tiny_items = accumulator_bytes <= 8 ? 4 : accumulator_bytes <= 16 ? 2 : 1;
  p.long_rows = greatest_of(2, warp::batch_rows(chunk_bytes, accumulator_bytes));
  return p;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
