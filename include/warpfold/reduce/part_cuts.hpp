// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a part of an input, the items [begin, end), is cut into pieces: nodes of the canonical tree, which warps and
// blocks fold. No piece reaches beyond the part, so its value is final whatever lies around the part.
//
//   begin     batches_begin  tiles_begin     units_begin        units_end      tiles_end   batches_end     end
//     | nodes in  | batches     | units of       | units of        | smaller      | batches     | nodes in |
//     | a batch   |             | 1, 2, … tiles  | 2^level tiles   | units        |             | a batch  |
//
// From `begin` to `units_begin` sizes of nodes rise, from `units_end` on they fall. Pieces are numbered from left to
// right, and so are their values in scratch. A node of the part's list is one piece, or 2^k neighbouring batches, or
// 2^k neighbouring units of full size.
//
// The pieces outside of [tiles_begin, tiles_end) are less than two tiles, and at most 60: single warps fold them, one
// each. The rest are units, which blocks take as they take those of `reduce`. So one launch reads a part at the speed
// of `reduce`, whatever its first number. To fold all as `reduce` does, as if items were missing on the left, would
// give partial nodes at both ends, from which the maximal complete nodes cannot be had.
#pragma once
#include <bit>
#include <cstdint>
#include <warpfold/config.hpp>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Neighbouring items that form a node.
struct part_piece {
  std::int64_t first, items;
};
/// Neighbouring pieces.
struct piece_range {
  int first, count;
};

namespace powers {
__host__ __device__ inline std::int64_t greatest_power(std::int64_t number) {  // of two, up to `number` > 0
#if defined(__CUDA_ARCH__)
  return std::int64_t{1} << (63 - __clzll(number));
#else
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(number)));
#endif
}
__host__ __device__ inline int bits_of(std::int64_t number) {
#if defined(__CUDA_ARCH__)
  return __popcll(static_cast<unsigned long long>(number));
#else
  return std::popcount(static_cast<std::uint64_t>(number));
#endif
}
/// Node `i` of those in [first, end) whose sizes rise; a larger power of two than theirs divides `end`.
__host__ __device__ inline part_piece rising_node(std::int64_t first, std::int64_t end, int i) {
  std::int64_t rest = end - first;
  WARPFOLD_NO_UNROLL
  for (; i > 0; --i) rest &= rest - 1;
  return {end - rest, rest & -rest};
}
/// Node `i` of those in [first, end) whose sizes fall; a larger power of two than theirs divides `first`.
__host__ __device__ inline part_piece falling_node(std::int64_t first, std::int64_t end, int i) {
  std::int64_t up_to_it = end - first;
  WARPFOLD_NO_UNROLL
  for (int behind = bits_of(up_to_it) - 1 - i; behind > 0; --behind) up_to_it &= up_to_it - 1;
  const std::int64_t items = up_to_it & -up_to_it;
  return {first + up_to_it - items, items};
}
}  // namespace powers

/// The nodes of the items [first, end), from left to right: their sizes rise up to the item `peak`, then fall. None if
/// `end` is not beyond `first`.
struct list_nodes {
  std::int64_t first, peak, end;

  __host__ __device__ list_nodes(std::int64_t begin, std::int64_t top, std::int64_t behind)
      : first(begin), peak(top), end(behind) {}
  __host__ __device__ list_nodes(std::int64_t begin, std::int64_t behind) : list_nodes(begin, begin, begin) {
    if (begin >= behind) return;
    peak = behind & ~(powers::greatest_power(begin ^ behind) - 1);
    end = behind;
  }
  __host__ __device__ int rising() const { return powers::bits_of(peak - first); }
  __host__ __device__ int count() const { return rising() + powers::bits_of(end - peak); }
  __host__ __device__ part_piece operator[](int i) const {
    return i < rising() ? powers::rising_node(first, peak, i) : powers::falling_node(peak, end, i - rising());
  }
};

struct part_cuts {
  std::int64_t begin, batches_begin, tiles_begin, units_begin, units_end, tiles_end, batches_end, end;
  std::int64_t peak;                        ///< where sizes of the list's nodes stop to rise
  int batch_level, tile_level, unit_level;  ///< 2^level items
  // The numbers of pieces before these borders, and of all.
  int batches, tiles, units, small_units, right_batches, right_nodes, pieces;

  /// Pieces that blocks take as units.
  __host__ __device__ int all_units() const { return right_batches - tiles; }
  /// Pieces that single warps fold.
  __host__ __device__ int edges() const { return pieces - all_units(); }
  __host__ __device__ int piece_of_edge(int edge) const { return edge < tiles ? edge : edge + all_units(); }
  /// The items of the piece that is no unit.
  __host__ __device__ part_piece edge_piece(int piece) const {
    const auto batch = [&](std::int64_t first, int i) {
      return part_piece{first + (std::int64_t{i} << batch_level), std::int64_t{1} << batch_level};
    };
    if (piece < batches) return powers::rising_node(begin, batches_begin, piece);
    if (piece < tiles) return batch(batches_begin, piece - batches);
    if (piece < right_nodes) return batch(tiles_end, piece - right_batches);
    return powers::falling_node(batches_end, end, piece - right_nodes);
  }
  /// The items of unit `unit`, up to all_units(); the one past the last begins at tiles_end.
  __host__ __device__ part_piece unit_piece(int unit) const {
    const int left = units - tiles, right = small_units - tiles;
    if (unit < left) return powers::rising_node(tiles_begin, units_begin, unit);
    if (unit < right) return {units_begin + (std::int64_t{unit - left} << unit_level), std::int64_t{1} << unit_level};
    if (unit < all_units()) return powers::falling_node(units_end, tiles_end, unit - right);
    return {tiles_end, 0};
  }

  /// The nodes of the part's list.
  __host__ __device__ list_nodes list() const { return {begin, peak, end}; }
  /// The pieces of node `i` of the list.
  __host__ __device__ piece_range pieces_of(int i) const {
    const part_piece node = list()[i];
    const int first = piece_at(node.first);
    return {first, piece_at(node.first + node.items) - first};
  }

 private:
  /// The piece that begins at `item`.
  __host__ __device__ int piece_at(std::int64_t item) const {
    if (item < batches_begin) return powers::bits_of(item - begin);
    if (item < tiles_begin) return batches + static_cast<int>((item - batches_begin) >> batch_level);
    if (item < units_begin) return tiles + powers::bits_of(item - tiles_begin);
    if (item < units_end) return units + static_cast<int>((item - units_begin) >> unit_level);
    if (item < tiles_end) return small_units + powers::bits_of(item - units_end);
    if (item < batches_end) return right_batches + static_cast<int>((item - tiles_end) >> batch_level);
    return right_nodes + powers::bits_of(item - batches_end);
  }
};

/// Cuts [begin, end), which has items. A batch has 2^batch_level items, and so on; batch_level <= tile_level <=
/// unit_level.
inline part_cuts cut_part(std::int64_t begin, std::int64_t end, int batch_level, int tile_level, int unit_level) {
  part_cuts c{};
  c.begin = begin, c.end = end;
  c.batch_level = batch_level, c.tile_level = tile_level, c.unit_level = unit_level;
  c.peak = list_nodes(begin, end).peak;
  // Where no border of a level lies within [first, last], sizes stop to rise at the peak.
  const auto cut = [&](std::int64_t first, std::int64_t last, int level, std::int64_t& cut_first,
                       std::int64_t& cut_last) {
    const std::int64_t mask = (std::int64_t{1} << level) - 1;
    cut_first = (first + mask) & ~mask, cut_last = last & ~mask;
    if (cut_first > cut_last) cut_first = cut_last = clamped(c.peak, first, last);
  };
  cut(begin, end, batch_level, c.batches_begin, c.batches_end);
  cut(c.batches_begin, c.batches_end, tile_level, c.tiles_begin, c.tiles_end);
  cut(c.tiles_begin, c.tiles_end, unit_level, c.units_begin, c.units_end);
  c.batches = powers::bits_of(c.batches_begin - begin);
  c.tiles = c.batches + static_cast<int>((c.tiles_begin - c.batches_begin) >> batch_level);
  c.units = c.tiles + powers::bits_of(c.units_begin - c.tiles_begin);
  c.small_units = c.units + static_cast<int>((c.units_end - c.units_begin) >> unit_level);
  c.right_batches = c.small_units + powers::bits_of(c.tiles_end - c.units_end);
  c.right_nodes = c.right_batches + static_cast<int>((c.batches_end - c.tiles_end) >> batch_level);
  c.pieces = c.right_nodes + powers::bits_of(end - c.batches_end);
  return c;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
