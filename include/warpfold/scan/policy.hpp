// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of a scan. They change its speed, never its result.
#pragma once
#include <bit>
#include <cstddef>
#include <warpfold/config.hpp>

namespace warpfold::scan {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A tile: `rows` rows of 32 chunks for each of `warps` warps; all are powers of two.
struct tile_shape {
  int rows, warps;
  int blocks_per_multiprocessor;  ///< asked of the register allocator

  __host__ __device__ constexpr int threads() const { return warps * warp_lanes; }
};

/// A shape as a type: nvcc takes no structure as a template argument of a kernel.
template <int Rows, int Warps, int BlocksPerMultiprocessor> struct fixed_shape {
  static constexpr tile_shape value{Rows, Warps, BlocksPerMultiprocessor};
};
template <tile_shape Shape>
using fixed_shape_of = fixed_shape<Shape.rows, Shape.warps, Shape.blocks_per_multiprocessor>;

/// A tile in a ring of stages: `rows` rows of 32 chunks for each of `warps` warps, which are powers of two. Beside the
/// warps that scan, `folders` fold the warps' items, and five have other roles.
struct staged_shape {
  int rows, warps, stages, folders;

  __host__ __device__ constexpr int threads() const { return (warps + folders + 5) * warp_lanes; }
};
template <int Rows, int Warps, int Stages, int Folders> struct fixed_stages {
  static constexpr staged_shape value{Rows, Warps, Stages, Folders};
};

/// The constants of scans in stages.
struct staged_policy {
  staged_shape shape;
  int tiles_per_block;             ///< with more tiles for each block, the scan is staged
  int misaligned_tiles_per_block;  ///< the same for misaligned items
};

/// The constants for one kind of chunk.
struct kernel_policy {
  tile_shape full;                             ///< for large inputs
  tile_shape quick;                            ///< for small ones: many blocks, that load little each
  int quick_tiles_per_multiprocessor;          ///< up to this many quick tiles, tiles are quick, if a list holds them
  int low_occupancy_tiles_per_multiprocessor;  ///< up to this many full tiles, blocks run at low occupancy
  tile_shape middle{};                         ///< for inputs between quick and full tiles, if it has rows
  int middle_tiles_per_multiprocessor = 0;     ///< the same for middle tiles
  bool has_middle_clusters = false;            ///< whether middle tiles may be a cluster
  staged_policy staged{};                      ///< for the largest inputs, if it has stages

  constexpr bool has_middle() const { return middle.rows > 0; }
  constexpr bool has_stages() const { return staged.shape.stages > 0; }
};

/// `policy` with quick tiles of `quick_rows` rows, and middle ones, which are faster between quick and full ones than
/// either, up to so many tiles per multiprocessor (measured on an H200).
consteval kernel_policy with_middle(kernel_policy policy, int quick_rows, int middle_rows,
                                    int quick_tiles_per_multiprocessor, int middle_tiles_per_multiprocessor) {
  policy.middle = policy.quick;
  policy.quick.rows = quick_rows;
  policy.middle.rows = middle_rows;
  policy.middle_tiles_per_multiprocessor = middle_tiles_per_multiprocessor;
  policy.quick_tiles_per_multiprocessor = quick_tiles_per_multiprocessor;
  return policy;
}

/// The constants for items that can be staged, in chunks of 16 bytes: three stages of 64 KiB. Eight folders are faster
/// for floating-point sums, but leave 64 registers per thread, and others need more. Small inputs end before the ring
/// is worth its start. Full tiles then run at low occupancy only, four on a multiprocessor, since more of them are
/// staged. Measured on an H200 and an H100, in one run with the other plans and CUB; what is staged of 8 bytes, and how
/// many full tiles run, on an H200 only.
consteval kernel_policy with_stages(kernel_policy policy, bool is_floating_point_sum, std::size_t item_bytes) {
  policy = with_middle(policy, policy.full.rows / 4, policy.full.rows / 2, 1, 4);
  policy.has_middle_clusters = true;
  policy.full.blocks_per_multiprocessor = 5;
  policy.staged = {{8, 16, 3, is_floating_point_sum ? 8 : 4}, item_bytes <= 4 ? 2 : 7, item_bytes <= 4 ? 2 : 3};
  return policy;
}

/// How a lane holds its items.
enum class lane_load {
  sums,          ///< 128 bytes of accumulators for a sum, of up to 4 bytes each
  accumulators,  ///< 128 bytes of others: they need more registers, so one block fewer fits
  keyed,         ///< 192 bytes of keys and accumulators at once: keys become one bit per item
  packed         ///< 64 bytes of items, whose results take more
};

/// The constants for chunks that take `chunk_bytes` bytes of a lane. Their results take `stored_bytes` on their way
/// through shared memory: as they are stored by vectors, or as the accumulators that an iterator takes.
consteval kernel_policy kernel_policy_for(std::size_t chunk_bytes, lane_load load, std::size_t stored_bytes) {
  const std::size_t held_bytes = load == lane_load::packed ? 64 : load == lane_load::keyed ? 192 : 128;
  const auto rows_of = [](std::size_t most, std::size_t each) { return std::bit_floor(most / least_of(each, most)); };
  const int rows = static_cast<int>(
      least_of(least_of(rows_of(held_bytes, chunk_bytes), rows_of(128, stored_bytes)), std::size_t{8}));
  const int blocks = load == lane_load::sums || load == lane_load::packed ? 5 : 4;
  const tile_shape full =
      chunk_bytes <= 64 ? tile_shape{rows, 8, blocks} : tile_shape{1, 4, chunk_bytes <= 128 ? 5 : 1};
  return {full, {least_of(rows, 2), full.warps, least_of(full.blocks_per_multiprocessor, 4)}, 4, blocks > 4 ? 8 : 0};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::scan
