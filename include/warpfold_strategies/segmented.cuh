// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segmented block algorithms of Martín 2012: tree.cuh, warp_tree.cuh and matrix.cuh over pieces of segments
// (piece.cuh) instead of items. For segmented_reduce with owners, on grid::multi_pass, grid::persistent or
// grid::producer_consumer.
//
// All keep order, for any associative operator. In shared memory an item and its owner share a slot, without bank
// conflicts. Where a segment ends, a thread reads and writes `out`: the source's irregular accesses.
#pragma once
#include <warpfold_strategies/matrix.cuh>
#include <warpfold_strategies/piece.cuh>
#include <warpfold_strategies/tree.cuh>
#include <warpfold_strategies/warp_tree.cuh>

namespace warpfold::block {

namespace segmented {

/// Pairs at doubling stride. If the owners differ, out[right owner] = op(out[right owner], right value). The
/// data-block's first segment remains. D = 2 B. Source: segmented TB2. Cost: as block::tree.
template <int BlockThreads = 256> struct tree {
  using unsegmented = block::tree<BlockThreads>;
  template <class A, class Key, class Op> using pairs = thread::left_storing<A, Key, Op>;
};

/// The same rule within data-warps, then between their results. D = 4 B. Source: segmented TB4-warp. Cost: as
/// block::warp_tree.
template <int BlockThreads = 256> struct warp_tree {
  using unsegmented = block::warp_tree<BlockThreads>;
  template <class A, class Key, class Op> using pairs = thread::left_storing<A, Key, Op>;
};

/// A thread walks a row of W items. If the owner changes, out[owner] = op(run, out[owner]), where `run` is the value of
/// the items that end there. A right-storing tree reduces the last runs of the rows. The data-block's last segment
/// remains. D = H W. Source: segmented Matrix. Cost: as block::matrix.
template <int H = 32, int W = 32, int BlockThreads = 256> struct matrix {
  using unsegmented = block::matrix<H, W, BlockThreads>;
  template <class A, class Key, class Op> using pairs = thread::right_storing<A, Key, Op>;
};

}  // namespace segmented

template <class Algorithm> inline constexpr bool is_segmented = requires { typename Algorithm::unsegmented; };

}  // namespace warpfold::block
