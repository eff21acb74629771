// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of as many items as the device knows (device_count.cuh):
//
//   wf::inclusive_scan(first, wf::device_count(count, most), out, [op], [options]);
//   wf::exclusive_scan(first, wf::device_count(count, most), out, [op], [options]);
//   wf::transform_inclusive_scan(first, wf::device_count(count, most), out, op, transform, [options]);
//   wf::transform_exclusive_scan(first, wf::device_count(count, most), out, op, transform, [options]);
//
// Prefixes have the bits that a call with that count gives (scan.cuh). Nothing is written behind them. `out` may be the
// input; if it is a range, it must have room for `most` items.
#pragma once
#include <warpfold/device_count.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/scan/counted_dispatch.cuh>

namespace warpfold::detail {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class N> struct counted_scan<device_count<N>> {
  static constexpr bool exists = std::integral<N>;

  template <scan::scan_kind Kind, class It, class Out, class Op, class Transform, class A>
  static void scan(const char* function, const It& given, const device_count<N>& given_count, const output<Out>& out,
                   const Op& op, const Transform& transform, const reduce_options<A>& options) {
    using T = iterator_item_t<It>;
    if constexpr (check_types<Op, Transform, A, Out, T>()) {
      const auto count = given_count.checked(function);
      const auto first = to_kernel_iterator(given);
      host_side::check_output_sizes(function, out, count.most);
      if (count.most > 0) {
        host_side::check_pointer(function, "first", first);
        host_side::check_output_pointers(function, "out", out);
      }
      constexpr int items = warp::chunk_items_of<T, Out>();
      const auto leaves = make_leaves<A>(op, make_source_in_chunks<items>(first, count.most), transform);
      const auto to = lower_into<A>(op, out.first);
      constexpr auto policy = scan::policy_of<std::remove_cv_t<decltype(leaves)>, Op, std::remove_cv_t<decltype(to)>>();
      scan::enqueue_counted<Kind, policy>(function, leaves, scan::counted_output{to, count}, op, options);
    }
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::detail
