// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the types of a call say of its shape. What cannot happen is not compiled.
#pragma once
#include <type_traits>
#include <warpfold/axes/choice.hpp>
#include <warpfold/axes/index_map.cuh>
#include <warpfold/axes/leaves.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// How kernels find places, and in which order the items lie.
template <class Map, item_order Order> struct known_shape {
  using map = Map;
  static constexpr item_order order = Order;
};
using any_shape = known_shape<index_map, item_order::by_strides>;

namespace detail {
template <class M> inline constexpr bool is_contiguous_strided = false;
template <class T> inline constexpr bool is_contiguous_strided<strided<T, 2, true>> = true;

/// Whether the layout of `M`, which has two axes, is that of C++'s own arrays, whatever the extents. A mapping that
/// holds more than these might have another layout at another time.
template <class M> consteval bool has_adjacent_rows() {
  if constexpr (requires {
                  typename M::mapping_type;
                  requires M::mapping_type::is_always_exhaustive() &&
                      sizeof(typename M::mapping_type) == sizeof(typename M::extents_type);
                }) {
    using extents = typename M::extents_type;
    constexpr auto extent_of = [](std::size_t axis, int any) {
      return M::static_extent(axis) > 1024 ? any : static_cast<int>(M::static_extent(axis));
    };
    const typename M::mapping_type sample(extents(extent_of(0, 2), extent_of(1, 3)));
    return sample.stride(1) == 1 && sample.stride(0) == sample.extents().extent(1);
  } else return false;
}
}  // namespace detail

/// A matrix `M` of which axis `Reduced` is reduced: there is one axis of either kind. Kernels for columns fold any
/// strides, those for rows only adjacent items: a `strided`, whose strides its user may change, has the former at most.
template <class M, int Reduced>
using matrix_shape = known_shape<axis_map, detail::is_contiguous_strided<M> && Reduced == 0 ? item_order::columns
                                           : !detail::has_adjacent_rows<M>()                ? item_order::by_strides
                                           : Reduced == 1                                   ? item_order::rows
                                                                                            : item_order::columns>;

/// The order of `Known` as far as kernels go by it: only the narrow one reads a single column as fast as rows.
template <class Known, class Leaves>
inline constexpr item_order order_of =
    Known::order == item_order::columns && !takes_narrow(sizeof(typename Leaves::item), leaf_bytes<Leaves>())
        ? item_order::by_strides
        : Known::order;

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
