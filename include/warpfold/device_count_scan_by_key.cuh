// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key of as many items as the device knows (device_count.cuh):
//
//   wf::inclusive_scan_by_key(keys, values, wf::device_count(count, most), out, [op[, equal]], [options]);
//   wf::exclusive_scan_by_key(keys, values, wf::device_count(count, most), out, [op[, equal]], [options]);
//
// `keys` and `values` are pointers or iterators, and need not hold more items than the count says. Results have the
// bits that a call with that count gives (scan_by_key.cuh, which says all else). Nothing is written behind them. `out`
// may be the values. It must have room for `most` items, and be apart from the count.
#pragma once
#include <warpfold/device_count.cuh>
#include <warpfold/scan/counted_dispatch.cuh>
#include <warpfold/scan_by_key.cuh>

namespace warpfold::detail {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Enqueues a scan of as many items as the device knows.
template <scan::scan_kind Kind, class N> struct enqueue_counted_runs {
  static constexpr bool knows_count = false;
  grid::device_items<N> count;

  template <scan::kernel_policy Policy>
  void operator()(const char* function, const auto& parts, const auto& to, const auto& op, const auto& options) const {
    scan::enqueue_counted<Kind, Policy>(function, parts, scan::counted_output{to, count}, op, options);
  }
};

template <class N> struct counted_keyed_scan<device_count<N>> {
  static constexpr bool exists = std::integral<N>;

  template <scan::scan_kind Kind, class Op, class A>
  static void scan(const char* function, const auto& keys, const auto& values, const device_count<N>& count,
                   const auto& out, Op op, auto equal, const reduce_options<A>& options) {
    const auto number = count.checked(function);
    host_side::check_outputs_apart_from(function, "device_count", number.pointer, 1, "out", out,
                                        out.size >= 0 ? out.size : number.most);
    scan_runs(function, keys, values, number.most, out, op, equal, options, enqueue_counted_runs<Kind, N>{number});
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::detail
