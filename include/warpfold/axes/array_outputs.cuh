// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where results along axes go: an array, a contiguous range, an iterator of unknown size, or one of these for each
// result of a fused reduction.
#pragma once
#include <warpfold/axes/shape.hpp>
#include <warpfold/host/output_checks.cuh>
#include <warpfold/outputs.hpp>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `Count` outputs as kernels write them, and the axes of each.
template <class Out, int Count> struct array_outputs {
  using place = Out;

  output<Out> to;
  array_axes axes[Count];
  bool are_ranges = false;  ///< of one dimension each, whatever the number of axes kept; -1 items if unknown

  constexpr const output<Out>& to_output() const { return to; }
};

template <class Out> inline constexpr bool is_array_outputs = false;
template <class Out, int Count> inline constexpr bool is_array_outputs<array_outputs<Out, Count>> = true;

/// The outputs that an array, a contiguous range, or what `outputs` makes of several stands for.
template <class Out> constexpr auto place_outputs(Out& out) {
  if constexpr (is_array_outputs<std::remove_const_t<Out>>) return out;
  else if constexpr (array_view<Out>) {
    const auto first = to_pointer(out.data_handle());
    return array_outputs<std::remove_const_t<decltype(first)>, 1>{{first}, {axes_of(out)}};
  } else {
    const auto all = warpfold::to_output(out);
    constexpr int count = [] {
      if constexpr (requires { all.sizes; }) return int{sizeof(all.sizes) / sizeof(all.sizes[0])};
      else return 1;
    }();
    array_outputs<std::remove_const_t<decltype(all.first)>, count> placed{{all.first}, {}, true};
    int next = 0;
    host_side::for_each_output("", all, [&](const char*, const auto&, std::int64_t size) {
      placed.axes[next++] = {1, {size < 0 ? all.size : size}, {1}};
    });
    return placed;
  }
}

/// Whether the items of both have the same places, from a common first one on.
inline bool are_same_places(const array_axes& a, const array_axes& b) {
  bool same = a.rank == b.rank;
  for (int i = 0; same && i < a.rank; ++i)
    same = a.extent[i] == b.extent[i] && (a.extent[i] == 1 || a.stride[i] == b.stride[i]);
  return same;
}

/// The axes of a range that holds as many items as there are results, or of unknown size: the kept axes of `in`, in
/// row-major order. Else its own one.
inline array_axes axes_of_range(const array_axes& in, unsigned reduced, const array_axes& range) {
  array_axes kept;
  for (int i = 0; i < in.rank; ++i)
    if (!(reduced >> i & 1)) kept.extent[kept.rank++] = in.extent[i];
  std::int64_t items = 1;
  for (int i = kept.rank; i-- > 0;) {
    kept.stride[i] = items;
    if (__builtin_mul_overflow(items, kept.extent[i], &items)) return range;
  }
  return range.extent[0] < 0 || items == range.extent[0] ? kept : range;
}

/// kept_strides of all outputs, which must be the same.
template <class Out, int Count>
array_axes kept_strides(const char* function, const array_axes& in, unsigned reduced,
                        const array_outputs<Out, Count>& out) {
  const auto name = [](int k) {
    return Count == 1 ? "out" : "out " + std::to_string(k + 1) + " of " + std::to_string(Count);
  };
  array_axes kept;
  for (int k = 0; k < Count; ++k) {
    const array_axes placed = out.are_ranges ? axes_of_range(in, reduced, out.axes[k]) : out.axes[k];
    checked_items(function, name(k).c_str(), placed);
    const array_axes own = kept_strides(function, name(k), in, reduced, placed);
    if (k > 0 && !are_same_places(kept, own))
      reject(function, {name(k), " has the strides ", listed(own.stride, own.rank), ", ", name(0), " has ",
                        listed(kept.stride, kept.rank), "; they must be the same"});
    kept = own;
  }
  return kept;
}

/// The same outputs from their items number `first` on.
template <class It> output<It> from_item(output<It> out, std::int64_t first) {
  out.first = out.first + first;
  return out;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
