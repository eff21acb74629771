// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of columns whose rows come in stages. They change their speed, never a result.
#pragma once
#include <warpfold/axes/policy.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// How many threads of a block fold stages, and rows of a row group that a stage has.
struct stage_threads {
  int threads, rows;
};
struct staged_policy {
  stage_threads few, many;  ///< `few` if the row groups of a tile fill least_few_threads of them, otherwise `many`
  int batch_rows;           ///< items that a thread folds at once
  int max_groups, max_stages;
  int shared_bytes;  ///< of all stages, at most, if there are the fewest that may be; and if there are more
  int usual_shared_bytes;
  int stager_warps;  ///< that start the copies

  /// With those of the stagers and of the clerk.
  constexpr int block_threads(int folding) const { return folding + (stager_warps + 1) * warp_lanes; }
  constexpr int block_threads() const { return block_threads(greatest_of(few.threads, many.threads)); }
  /// Of a tile; one row group of them fills most of a block.
  constexpr int max_columns() const { return std::bit_floor(static_cast<unsigned>(many.threads)); }
};
/// Of `few`; and where accumulators leave registers for more. (On an H200, us with 288 and 352 threads: moments of 2^26
/// floats in 77 columns 104 and 85, logsumexp 124 and 90, of 150 columns 134 and 96; statistics, which have wider
/// accumulators, of 61 columns 90 with 288 and 98 with 320.)
inline constexpr int staged_threads = 288, more_staged_threads = 352;
inline constexpr int least_few_threads = 160;
/// A thread has 128 bytes of a stage, so that copies are long. With narrow items, much time goes to each byte: where
/// groups of so many rows would leave threads idle, there are more of them, of 32 rows. Three stages of a
/// multiprocessor keep memory busy; with more under way it becomes slower, and multiprocessors get unequal shares.
consteval staged_policy staged_policy_for(std::size_t item_bytes, std::size_t accumulator_bytes) {
  const bool is_narrow = item_bytes < 4 && accumulator_bytes <= 8, becomes_wide = is_narrow && accumulator_bytes == 8;
  const int threads = is_narrow || accumulator_bytes > 32 ? staged_threads : more_staged_threads;
  const stage_threads few = {threads, 128 / static_cast<int>(item_bytes)}, many = {2 * threads, 32};
  staged_policy p{};
  p.few = becomes_wide ? many : few;
  p.many = is_narrow ? many : few;
  p.batch_rows = least_of(few.rows, 32);
  p.max_groups = is_narrow || accumulator_bytes > 16 ? 32 : 16;
  p.max_stages = 16;
  p.shared_bytes = 148 * 1024;
  p.usual_shared_bytes = 120 * 1024;
  p.stager_warps = accumulator_bytes <= 32 ? 4 : 2;  // where fewer are quick enough, threads have more registers
  return p;
}
inline constexpr int least_stages = 3;
/// Bytes of a row that is copied alone, at least; and the farthest rows, whose places are numbers of 32 bits.
inline constexpr int least_row_bytes = 256;
inline constexpr std::int64_t most_staged_pitch = std::int64_t{1} << 26;
/// Bytes of an array for which it is worth while to set up the stages.
inline constexpr int least_staged_bytes = 128 * 1024;
inline constexpr int min_staged_columns = max_narrow_columns + 1;
/// Columns that could be read by vectors are staged, too, if they are few, or if an accumulator is twice as wide as an
/// item; and if so many threads of a block fold them. (On an H200, us by vectors and staged, 2^26 floats: means of 24
/// columns 91 and 79, of 40 columns 86 and 83; sums of 12 columns 85 and 75, of 64 columns 70 and 71; sums of 2^27
/// halves in 300 columns 85 and 80.)
inline constexpr int max_few_staged_columns = 15;
inline constexpr int least_staging_threads = 175;                              ///< of `few`
inline constexpr int least_staging_doubles = 150, least_staging_narrow = 145;  ///< the same of wide and narrow items
/// The same of items that are plain terms of sums, and of tiles where accumulators leave few registers. (On an H200,
/// logsumexp of 2^26 floats in 112 columns 98 us staged, and 106 by vectors; in 96 columns 110 and 104; statistics of
/// 1000 columns 93 and 106, of 1100 columns 120 and 108.)
inline constexpr int least_staging_terms = 210, least_staging_wide = 240;
/// Bytes of a matrix for which tiles are worth while that are staged though they could be read by vectors. (On an H200,
/// moments of 1000 columns take 85 us staged, and 91 by vectors; of a sixteenth of the rows 18 and 17.)
inline constexpr std::int64_t least_preferred_tile_bytes = 64 * 1024 * 1024;
/// The least number of columns that are folded by runs, and staged; and of those that could be read by vectors. (On an
/// H200, moments of 2^26 floats in 16 columns take 102 us so, and 90 if not.)
inline constexpr int min_staged_run_columns = 9, min_preferred_run_columns = 9;
/// The least number of rows, of narrow items, for which the tiles of several matrices are staged.
inline constexpr int min_staged_tile_rows = 256;
/// Whether columns are staged; `by_runs`: threads have few accumulators at a time.
consteval bool takes_staged_columns(std::size_t item_bytes, std::size_t accumulator_bytes, bool by_runs) {
  return std::has_single_bit(item_bytes) && item_bytes <= 16 && accumulator_bytes <= (by_runs ? 64 : 16);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
