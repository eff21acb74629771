// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every output of a segmented scan, in tiles of few items, too.
#pragma once
#include <gtest/gtest.h>

#include <warpfold/segmented_scan.cuh>

#include "scan/expect_prefixes.cuh"
#include "segmented/layouts.hpp"

namespace wf_test {

/// The expected results of a scan of `where`: prefix(s, i) is that of segment s through item i of the input, and
/// first(s) an exclusive scan's first one. Items in gaps keep `untouched`.
template <bool IsExclusive, class A, class Prefix>
std::vector<A> prefixes_of(const layout& where, const A& untouched, const A& first, Prefix prefix) {
  std::vector<A> results(static_cast<std::size_t>(where.items), untouched);
  for (std::int64_t s = 0; s < where.segments(); ++s) {
    const auto begin = where.begins[static_cast<std::size_t>(s)];
    for (std::int64_t i = 0; i < where.length(s); ++i)
      results[static_cast<std::size_t>(begin + i)] = !IsExclusive ? prefix(begin, begin + i)
                                                     : i == 0     ? first
                                                                  : prefix(begin, begin + i - 1);
  }
  return results;
}

/// Each prefix of each segment by the canonical tree over it, with `init`, if it is not null, on its left.
template <bool IsExclusive, class T, class Op, class A = warpfold::accumulator_t<Op, T>>
std::vector<A> canonical_segment_prefixes(const std::vector<T>& items, const layout& where, Op op, const A& untouched,
                                          const A& first, const A* init = nullptr) {
  std::vector<A> results(items.size(), untouched);
  for (std::int64_t s = 0; s < where.segments(); ++s) {
    warpfold::canonical_tree::counter<A, Op> tree(op);
    A before = first;
    for (std::int64_t i = 0; i < where.length(s); ++i) {
      const auto at = static_cast<std::size_t>(where.begins[static_cast<std::size_t>(s)] + i);
      tree.push(warpfold::detail::convert<A>(items[at]));
      const A through = init ? op(*init, tree.root()) : tree.root();
      results[at] = IsExclusive ? before : through;
      before = through;
    }
  }
  return results;
}

/// A scan with tiles of `Rows` rows, so that a few items make many tiles, by segments as kernels read them.
template <bool IsExclusive, int Rows, int Warps, class Segments, class T, class Op,
          class A = warpfold::accumulator_t<Op, T>>
void scan_in_small_tiles(std::span<const T> in, const Segments& segments, A* out, Op op,
                         const warpfold::reduce_options<A>& options = {}) {
  constexpr warpfold::segmented_scan::kernel_policy policy{Rows, Warps, 1};
  constexpr int items = warpfold::warp::chunk_items_of<T, A*>();
  const auto leaves = warpfold::detail::make_leaves<A>(
      op, warpfold::detail::make_source_in_chunks<items>(in.data(), std::ssize(in)), warpfold::thread::no_transform{});
  warpfold::segmented_scan::enqueue<IsExclusive, policy>("scan_in_small_tiles", segments, leaves, out, op, options);
}

/// Offsets and bounds for scan_in_small_tiles, of which a warp reads `MostWalked` one by one.
template <int MostWalked = warpfold::segmented_scan::most_walked_segments>
auto listed(const device_array<int>& offsets) {
  return warpfold::segmented_scan::listed_segments<warpfold::segment::offset_spans<const int*>, MostWalked>{
      {offsets.data(), offsets.count() - 1}};
}
template <int MostWalked = warpfold::segmented_scan::most_walked_segments>
auto listed(const device_array<int>& begins, const device_array<int>& ends) {
  return warpfold::segmented_scan::listed_segments<warpfold::segment::bounds_spans<const int*, const int*>, MostWalked>{
      {begins.data(), ends.data(), begins.count()}};
}

}  // namespace wf_test
