// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the number of an output, or of an item among the reduced ones, to its place in memory.
#pragma once
#include <limits>
#include <warpfold/axes/shape.hpp>
#include <warpfold/thread/fast_divisor.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Places of an array in input and output, or of a stretch of equally spaced items.
struct place {
  std::int64_t in, out;
};
struct stretch_place {
  std::int64_t in;         ///< place of the first item
  std::int64_t remaining;  ///< items from there to the end of the innermost axis
};

/// Numbers along the one axis that there is, whose end nobody asks for: callers know how many items there are.
struct axis_map {
  static constexpr bool is_scattered = false, is_gathered = false;
  static constexpr int most_axes = 1;
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

  axis_list::axis axis;

  explicit axis_map(const axis_list& list) : axis(list.axes[0]) {}

  __device__ std::int64_t inner_stride() const { return axis.in_stride; }
  __device__ std::int64_t inner_extent() const { return endless; }
  __device__ place place_of(std::int64_t index) const { return {index * axis.in_stride, index * axis.out_stride}; }
  __device__ std::int64_t in(std::int64_t index) const { return index * axis.in_stride; }
  __device__ stretch_place stretch_at(std::int64_t index) const { return {in(index), endless}; }
  __device__ static constexpr int axis_count() { return 1; }
  __device__ static constexpr std::int64_t jump() { return 0; }  ///< there is none: see index_map
};

/// Row-major numbers over axes. Numbers below 2^31 are divided by multiplication, others by the hardware.
struct index_map {
  static constexpr bool is_scattered = false, is_gathered = false;
  static constexpr int most_axes = max_axes;

  int rank;
  bool is_narrow;                  ///< whether all numbers are below 2^31
  axis_list::axis axes[max_axes];  ///< innermost first
  thread::fast_divisor divisors[max_axes];

  index_map() = default;
  explicit index_map(const axis_list& list)
      : rank(list.rank), is_narrow(list.items() <= std::int64_t{1} << 31), axes{}, divisors{} {
    for (int i = 0; i < rank; ++i) {
      axes[i] = list.axes[rank - 1 - i];
      if (is_narrow) divisors[i] = thread::fast_divisor(axes[i].extent);
    }
  }

  __device__ std::int64_t inner_stride() const { return axes[0].in_stride; }
  __device__ std::int64_t inner_extent() const { return axes[0].extent; }

  __device__ place place_of(std::int64_t index) const {
    if (rank == 2) {  // most maps; without a loop, whose strides would be loaded one after another
      const std::int64_t outer = divided(0, index), inner = index - outer * axes[0].extent;
      return {outer * axes[1].in_stride + inner * axes[0].in_stride,
              outer * axes[1].out_stride + inner * axes[0].out_stride};
    }
    place at{0, 0};
    decompose(index, [&](const axis_list::axis& axis, std::int64_t i) {
      at.in += i * axis.in_stride, at.out += i * axis.out_stride;
    });
    return at;
  }
  __device__ std::int64_t in(std::int64_t index) const {
    if (rank == 1) return index * axes[0].in_stride;
    std::int64_t in = 0;
    decompose(index, [&](const axis_list::axis& axis, std::int64_t i) { in += i * axis.in_stride; });
    return in;
  }
  __device__ stretch_place stretch_at(std::int64_t index) const {
    if (rank == 1) return {index * axes[0].in_stride, axes[0].extent - index};
    const std::int64_t outer = divided(0, index), inner = index - outer * axes[0].extent;
    if (rank == 2) return {outer * axes[1].in_stride + inner * axes[0].in_stride, axes[0].extent - inner};
    return {in(index), axes[0].extent - inner};
  }
  /// Stretches from that of item `index`, which included, to the end of the next to innermost axis.
  __device__ std::int64_t stretches_at(std::int64_t index) const {
    const std::int64_t stretch = divided(0, index);
    return axes[1].extent - (stretch - divided(1, stretch) * axes[1].extent);
  }
  __device__ int axis_count() const { return rank; }
  /// From where axis `axis`, counted from the innermost one, would go on behind its end, to where it begins again.
  __device__ std::int64_t jump(int axis = 0) const {
    return axes[axis + 1].in_stride - axes[axis].extent * axes[axis].in_stride;
  }

 private:
  __device__ std::int64_t divided(int axis, std::int64_t index) const {
    return is_narrow ? divisors[axis].quotient(static_cast<std::uint32_t>(index)) : index / axes[axis].extent;
  }
  template <class Visit> __device__ void decompose(std::int64_t index, Visit visit) const {
    WARPFOLD_NO_UNROLL
    for (int i = 0; i < rank - 1; ++i) {
      const std::int64_t outer = divided(i, index);
      visit(axes[i], index - outer * axes[i].extent);
      index = outer;
    }
    visit(axes[rank - 1], index);
  }
};

/// `Map` of one axis or two.
template <class Map> struct of_few_axes : Map {
  static constexpr int most_axes = least_of(Map::most_axes, 2);
  using Map::Map;
};
/// `Map` of items each of which is read from its own place: vectors of them do not lie together, or are not aligned.
template <class Map> struct scattered : Map {
  static constexpr bool is_scattered = true;
  using Map::Map;
};
/// `Map` of items that warps gather in shared memory, whatever their places (axes/gathered_batches.cuh).
template <class Map> struct gathered : Map {
  static constexpr bool is_gathered = true;
  using Map::Map;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
