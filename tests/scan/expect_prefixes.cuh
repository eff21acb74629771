// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every output of a scan, in tiles of any shape, too.
#pragma once
#include <gtest/gtest.h>

#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/scan.cuh>

#include "common/device.cuh"
#include "common/same_bits.hpp"

namespace wf_test {

using warpfold::scan::scan_kind;

/// Which kernel scans tiles of one shape, if there is more than one tile.
enum class tile_kernel { full, low_occupancy, quick };

/// A scan with tiles of `Rows` rows for each of `Warps` warps, so that a few items make many tiles.
template <scan_kind Kind, int Rows, int Warps, tile_kernel Kernel = tile_kernel::full, class T, class Op,
          class A = warpfold::accumulator_t<Op, T>>
void scan_in_tiles(std::span<const T> in, A* out, Op op, const warpfold::reduce_options<A>& options = {}) {
  constexpr warpfold::scan::tile_shape shape{Rows, Warps, 1};
  constexpr int all = 1 << 20;
  constexpr warpfold::scan::tile_shape least{1, 1, 1}, quick = Kernel == tile_kernel::quick ? shape : least;
  constexpr warpfold::scan::kernel_policy policy{shape, quick, Kernel == tile_kernel::quick ? all : 0,
                                                 Kernel == tile_kernel::low_occupancy ? all : 0};
  constexpr int items = warpfold::warp::chunk_items_of<T, A*>();
  const auto leaves = warpfold::detail::make_leaves<A>(
      op, warpfold::detail::make_source_in_chunks<items>(in.data(), std::ssize(in)), warpfold::thread::no_transform{});
  warpfold::scan::enqueue<Kind, policy>("scan_in_tiles", leaves, out, op, options);
}

/// A scan in stages, at any size of more than one tile: `Rows` rows for each of `Warps` warps, and so on
/// (scan/policy.hpp).
template <scan_kind Kind, int Rows, int Warps, int Stages, int Folders, class T, class Op,
          class A = warpfold::accumulator_t<Op, T>>
void scan_in_stages(std::span<const T> in, A* out, Op op, const warpfold::reduce_options<A>& options = {}) {
  constexpr warpfold::scan::tile_shape shape{1, 1, 1};
  constexpr warpfold::scan::kernel_policy policy{shape, shape, 1,     0,
                                                 {},    0,     false, {{Rows, Warps, Stages, Folders}, 0, 0}};
  constexpr int items = warpfold::warp::chunk_items_of<T, A*>();
  const auto leaves = warpfold::detail::make_leaves<A>(
      op, warpfold::detail::make_source_in_chunks<items>(in.data(), std::ssize(in)), warpfold::thread::no_transform{});
  warpfold::scan::enqueue<Kind, policy>("scan_in_stages", leaves, out, op, options);
}

/// The inclusive prefixes of `items`, by the canonical tree over each.
template <class Op, class T, class A = warpfold::accumulator_t<Op, T>>
std::vector<A> canonical_prefixes(const std::vector<T>& items, Op op) {
  warpfold::canonical_tree::counter<A, Op> tree(op);
  std::vector<A> prefixes;
  for (const T& item : items) {
    tree.push(warpfold::detail::convert<A>(item));
    prefixes.push_back(tree.root());
  }
  return prefixes;
}

/// Whether `actual` has the bits of `expected`; says where it first has not.
template <class A>
testing::AssertionResult all_same_bits(const std::vector<A>& actual, const std::vector<A>& expected) {
  if (actual.size() != expected.size()) return testing::AssertionFailure() << "of " << actual.size() << " items";
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (const auto same = same_bits(actual[i], expected[i]); !same)
      return testing::AssertionFailure() << "item " << i << " of " << actual.size() << ": " << same.message();
  return testing::AssertionSuccess();
}

}  // namespace wf_test
