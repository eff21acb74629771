// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which items make which output, in as few axes as possible. Pure functions of extents and strides.
#pragma once
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <warpfold/error.hpp>
#include <warpfold/strided.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Extents and strides of an array.
struct array_axes {
  int rank = 0;
  std::int64_t extent[max_axes] = {}, stride[max_axes] = {};
};

/// Axes, the outermost first. `out_stride` is that of the output, 0 of reduced axes.
struct axis_list {
  struct axis {
    std::int64_t extent, in_stride, out_stride;
    friend bool operator==(const axis&, const axis&) = default;
  };

  int rank = 0;
  axis axes[max_axes] = {};

  std::int64_t items() const {
    std::int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= axes[i].extent;
    return product;
  }
  void push(const axis& next) { axes[rank++] = next; }
  /// Puts `next` behind the axes whose items lie no nearer to each other in the input.
  void insert(const axis& next) {
    int at = rank++;
    for (; at > 0 && axes[at - 1].in_stride < next.in_stride; --at) axes[at] = axes[at - 1];
    axes[at] = next;
  }
  const axis& inner() const { return axes[rank - 1]; }
};

/// A reduction of axes. Kept axes stand in any order, reduced ones in that of the input, which is the order of items.
struct shape {
  axis_list kept, reduced;
  std::int64_t in_first = 0, out_first = 0;  ///< the places of the first item and of the first output
  std::int64_t outputs = 1, reduced_items = 1;
};

template <class M> constexpr array_axes axes_of(const M& view) {
  static_assert(detail::rank_of<M> <= max_axes, "warpfold: an array has at most 8 dimensions");
  array_axes all;
  all.rank = static_cast<int>(detail::rank_of<M>);
  if constexpr (detail::rank_of<M> != 0)
    for (int i = 0; i < all.rank; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      all.extent[i] = static_cast<std::int64_t>(view.extent(axis));
      all.stride[i] = static_cast<std::int64_t>(view.stride(axis));
    }
  return all;
}

[[gnu::noinline, gnu::cold]] inline std::string listed(const std::int64_t* numbers, int count) {
  std::string text = "(";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + ")";
}

/// The set of `named` axes of an array of `rank` dimensions: bit i for axis i.
inline unsigned axis_mask(const char* function, const warpfold::axes& named, int rank) {
  unsigned mask = 0;
  for (int i = 0; i < named.count; ++i) {
    const int number = named.number[i], axis = number < 0 ? number + rank : number;
    if (axis < 0 || axis >= rank) reject(function, {"axis ", number, " of an array of ", rank, " dimensions"});
    if (mask >> axis & 1) reject(function, {"axis ", number, " is named twice"});
    mask |= 1u << axis;
  }
  return mask;
}
/// The number of the one axis that is `named`; `reason` says why there must be one.
inline int one_axis(const char* function, const warpfold::axes& named, int rank, const char* reason) {
  const unsigned mask = axis_mask(function, named, rank);
  if (named.count != 1) reject(function, {named.count, " axes are named; ", reason});
  return std::countr_zero(mask);
}

/// The number of items; throws for negative extents, for more items than 2^62, and where the first item in memory and
/// the last one are further apart than any memory is large, so that nothing overflows.
[[gnu::noinline]] inline std::int64_t checked_items(const char* function, const char* argument,
                                                    const array_axes& array) {
  std::int64_t items = 1;
  for (int i = 0; i < array.rank; ++i) {
    if (array.extent[i] < 0)
      reject(function,
             {argument, " has the extents ", listed(array.extent, array.rank), "; they must not be negative"});
    if (array.extent[i] == 0) return 0;
  }
  for (int i = 0; i < array.rank; ++i) {
    if (array.extent[i] > (std::int64_t{1} << 62) / items)
      reject(function,
             {argument, " has the extents ", listed(array.extent, array.rank), ", which are more than 2^62 items"});
    items *= array.extent[i];
  }
  std::int64_t reach = 0;
  for (int i = 0; i < array.rank; ++i) {
    const std::int64_t steps = array.extent[i] - 1, stride = array.stride[i];
    if (steps == 0) continue;
    const std::int64_t most = ((std::int64_t{1} << 56) - reach) / steps;
    if (stride > most || stride < -most)
      reject(function, {argument, " has the extents ", listed(array.extent, array.rank), " and the strides ",
                        listed(array.stride, array.rank), ", by which items are more than 2^56 apart"});
    reach += steps * std::abs(stride);
  }
  return items;
}

/// The items from the first in memory to the last one, relative to the array's origin. The array has items.
struct item_range {
  std::int64_t first = 0, last = 0;
};
inline item_range range_of(const array_axes& array) {
  item_range range;
  for (int i = 0; i < array.rank; ++i) {
    const std::int64_t reach = (array.extent[i] - 1) * array.stride[i];
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

/// The axes of `out` that stand for the kept axes of `in`, with out's strides: out has the kept axes, or all axes, the
/// reduced ones with extent 1. Throws if its extents are others.
[[gnu::noinline]] inline array_axes kept_strides(const char* function, const std::string& argument,
                                                 const array_axes& in, unsigned reduced, const array_axes& out) {
  array_axes kept, expected;
  for (int i = 0; i < in.rank; ++i)
    if (!(reduced >> i & 1)) expected.extent[expected.rank++] = in.extent[i];
  const bool has_all = out.rank == in.rank && out.rank != expected.rank;
  bool fits = has_all || out.rank == expected.rank;
  for (int i = 0; fits && i < out.rank; ++i) {
    if (has_all && (reduced >> i & 1)) {
      fits = out.extent[i] == 1;
      continue;
    }
    kept.extent[kept.rank] = out.extent[i], kept.stride[kept.rank] = out.stride[i];
    fits = out.extent[i] == expected.extent[kept.rank++];
  }
  if (!fits)
    reject(function, {argument, " has the extents ", listed(out.extent, out.rank), "; the kept axes have ",
                      listed(expected.extent, expected.rank)});
  return kept;
}

/// Makes `most` the extent of axis 0 of `in`, which must have as many indices.
inline void keep_first_indices(const char* function, array_axes& in, std::int64_t most) {
  if (in.extent[0] < most)
    reject(function, {"axis 0 has ", in.extent[0], " indices, and the device_count may be ", most});
  in.extent[0] = most;
}
/// The same of an output that has more.
inline void keep_first_indices(array_axes& out, std::int64_t most) {
  if (out.extent[0] > most) out.extent[0] = most;
}

/// Merges each axis with the one before it where both are one axis in memory, of input and output.
inline axis_list merged(const axis_list& given) {
  axis_list result;
  for (int i = 0; i < given.rank; ++i) {
    const axis_list::axis& next = given.axes[i];
    axis_list::axis* const outer = result.rank > 0 ? &result.axes[result.rank - 1] : nullptr;
    if (outer != nullptr && outer->in_stride == next.extent * next.in_stride &&
        outer->out_stride == next.extent * next.out_stride)
      *outer = {outer->extent * next.extent, next.in_stride, next.out_stride};
    else result.push(next);
  }
  return result;
}

/// The shape of the reduction of the axes `reduced` of `in`, whose other axes `kept` has with the output's strides.
/// - Axes of one item are dropped, and adjacent axes merged where both are one in memory.
/// - Reduced axes keep their order. Kept axes are sorted, and turned where the input runs backwards, since outputs may
///   be computed in any order. But if the device `counts_outermost` indices and axis 0 is kept, the outputs of each of
///   its indices come before those of the next one.
inline shape shape_of(const array_axes& in, unsigned reduced, const array_axes& kept, bool counts_outermost = false) {
  shape result;
  axis_list outermost;
  int next_kept = 0;
  for (int i = 0; i < in.rank; ++i) {
    const bool is_reduced = reduced >> i & 1;
    axis_list::axis axis{in.extent[i], in.stride[i], is_reduced ? 0 : kept.stride[next_kept]};
    if (!is_reduced) ++next_kept;
    (is_reduced ? result.reduced_items : result.outputs) *= axis.extent;
    if (axis.extent == 1) continue;
    if (is_reduced) {
      result.reduced.push(axis);
      continue;
    }
    if (counts_outermost && i == 0) {
      outermost.push(axis);
      continue;
    }
    if (axis.in_stride < 0) {
      result.in_first += (axis.extent - 1) * axis.in_stride;
      result.out_first += (axis.extent - 1) * axis.out_stride;
      axis.in_stride = -axis.in_stride, axis.out_stride = -axis.out_stride;
    }
    result.kept.insert(axis);
  }
  for (int i = 0; i < result.kept.rank; ++i) outermost.push(result.kept.axes[i]);
  result.kept = merged(outermost);
  result.reduced = merged(result.reduced);
  if (result.kept.rank == 0) result.kept.push({1, 1, 1});
  if (result.reduced.rank == 0) result.reduced.push({1, 1, 0});
  return result;
}

/// Whether the outputs are adjacent, and their items adjacent rows of a contiguous matrix.
inline bool has_adjacent_rows(const shape& given) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  return given.kept.rank == 1 && given.reduced.rank == 1 && given.reduced_items > 1 && reduced.in_stride == 1 &&
         (given.outputs == 1 || (kept.in_stride == given.reduced_items && kept.out_stride == 1));
}

/// Rows farther apart are taken as arrays: within a warp, places count in 32 bits.
inline constexpr std::int64_t most_row_pitch = std::int64_t{1} << 20;
/// Longer rows must fill half of their pitch: warps share them by their places.
inline constexpr std::int64_t most_sparse_row = 4096;

/// Whether the outputs are adjacent, and their items rows that lie equally far apart.
inline bool has_spaced_rows(const shape& given) {
  const axis_list::axis &kept = given.kept.inner(), &reduced = given.reduced.inner();
  const std::int64_t length = given.reduced_items, pitch = kept.in_stride;
  return given.kept.rank == 1 && given.reduced.rank == 1 && length > 1 && reduced.in_stride == 1 &&
         kept.out_stride == 1 && length <= pitch && pitch <= most_row_pitch &&
         (length <= most_sparse_row || pitch <= 2 * length);
}

/// Longer rows are left to the kernels of arrays where these read vectors, if an operator has kernels of its own for
/// segments. Those share a row evenly among warps, so they are faster for many rows of a large array; but if the length
/// is a power of two, the kernels of arrays share it evenly, too. (On an H200, exact sums, us as segments and as
/// arrays: of 2^26 floats in rows of 3072 86 and 96, of 5000 86 and 91, of 16384 88 and 76, of 20000 89 and 110, of
/// 50000 88 and 102, of 85000 111 and 97; of 2^24 floats in rows of 10000 34 and 29, of 2^22 in rows of 5000 18 and
/// 15.)
inline constexpr std::int64_t most_own_row = 4095, min_own_rows = 1024, min_own_items = std::int64_t{3} << 24;

/// Whether the outputs are rows that the kernels for segments fold faster. The first item is at `address`. `has_own`:
/// the operator has such kernels of its own.
inline bool gains_by_segments(const shape& given, std::uintptr_t address, std::size_t item_bytes, bool has_own) {
  const auto is_vector = [=](std::int64_t items) { return items * static_cast<std::int64_t>(item_bytes) % 16 == 0; };
  const std::int64_t length = given.reduced_items, rows = given.outputs;
  if (has_own && length > most_own_row && address % 16 == 0 && is_vector(length) &&
      is_vector(given.kept.inner().in_stride)) {
    const bool is_power = (length & (length - 1)) == 0;
    if (is_power || rows < min_own_rows || rows * length < min_own_items) return false;
  }
  return has_adjacent_rows(given) || has_spaced_rows(given);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
