// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of an array along one axis as segments, and a list of results for each. Functions of segments take both.
#pragma once
#include <cstdlib>
#include <warpfold/axes/index_map.cuh>
#include <warpfold/segments/spans.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The order in which columns are numbered, of an input and its outputs alike: neighbours in the input come one after
/// another. Axes run backwards where the input's do, so no column of it lies before the first one.
class column_order {
 public:
  /// Of the columns of `in` along axis number `along`.
  column_order(const array_axes& in, int along) : along_(along) {
    for (int i = 0; i < in.rank; ++i) {
      if (i == along || in.extent[i] == 1) continue;
      is_turned_[i] = in.stride[i] < 0;
      int place = rank_++;  // behind those of larger or equal strides
      for (; place > 0 && std::abs(in.stride[axes_[place - 1]]) < std::abs(in.stride[i]); --place)
        axes_[place] = axes_[place - 1];
      axes_[place] = i;
    }
  }
  /// The place of the first item of the first column of `array`.
  std::int64_t first_place(const array_axes& array) const {
    std::int64_t place = 0;
    for (int i = 0; i < rank_; ++i)
      if (is_turned_[axes_[i]]) place += (array.extent[axes_[i]] - 1) * array.stride[axes_[i]];
    return place;
  }
  /// From the number of a column to the distance of its first item from the first one.
  index_map columns_of(const array_axes& array) const { return index_map(not_empty(merged(listed_axes(array)))); }
  /// The same of all items, column by column.
  index_map items_of(const array_axes& array) const {
    axis_list all = listed_axes(array);
    if (array.extent[along_] != 1) all.push({array.extent[along_], array.stride[along_], 0});
    return index_map(not_empty(merged(all)));
  }

 private:
  axis_list listed_axes(const array_axes& array) const {
    axis_list list;
    for (int i = 0; i < rank_; ++i) {
      const std::int64_t stride = array.stride[axes_[i]];
      list.push({array.extent[axes_[i]], is_turned_[axes_[i]] ? -stride : stride, 0});
    }
    return list;
  }
  static axis_list not_empty(axis_list list) {
    if (list.rank == 0) list.push({1, 0, 0});
    return list;
  }

  int along_, rank_ = 0;
  int axes_[max_axes] = {};
  bool is_turned_[max_axes] = {};
};

/// Columns as a form of segments (segments/spans.cuh): segment s has `length` items, and begins places.in(s) places
/// behind the first one.
struct column_spans {
  static constexpr bool has_gaps = true, is_fixed_length = true;
  using index = std::int64_t;
  index_map places;
  std::int64_t length;
  std::int64_t count;

  __device__ segment::segment_span span(std::int64_t segment) const {
    const std::int64_t begin = places.in(segment);
    return {begin, begin + length};
  }
  __device__ std::int64_t entries() const { return 0; }
  __device__ void require_in_order(const char*, std::int64_t, std::int64_t) const {}
};

/// The lists of all columns, one after another: item `i` of `out` in the order of columns.
template <class Out> struct column_lists {
  Out out;
  std::int64_t first;  ///< the place of item 0
  index_map places;    ///< of the others, from there

  __device__ decltype(auto) operator[](std::ptrdiff_t i) const {
    return out[static_cast<std::ptrdiff_t>(first + places.in(i))];
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
