// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segmented block algorithms of the paper on reductions on CUDA: those of tree.cuh, warp_tree.cuh and matrix.cuh over
// pieces of segments (thread/piece.cuh) instead of items. For segmented_reduce with owners, on grid::multi_pass,
// grid::persistent or grid::producer_consumer; see strategies.cuh.
//
// All keep order, for any associative operator. Shared memory: an item and its owner side by side, in one slot without bank
// conflicts. Where a segment ends, `out` is read and written ("irregular accesses").
#pragma once
#include <warpfold/strategies/matrix.cuh>
#include <warpfold/strategies/piece.cuh>
#include <warpfold/strategies/tree.cuh>
#include <warpfold/strategies/warp_tree.cuh>

namespace warpfold::block {

namespace segmented {

/// Pairs at doubling stride; where the owners differ, out[right owner] = op(out[right owner], right value); the first
/// segment of the data-block is left. D = 2 B. Source: segmented TB2 (after Zhou et al.). Cost: as block::tree.
template <int BlockThreads = 256> struct tree {
  using unsegmented = block::tree<BlockThreads>;
  template <class A, class Key, class Op> using pairs = thread::left_storing<A, Key, Op>;
};

/// The same rule within data-warps, then among their results. D = 4 B. Source: segmented TB4-warp. Cost: as
/// block::warp_tree.
template <int BlockThreads = 256> struct warp_tree {
  using unsegmented = block::warp_tree<BlockThreads>;
  template <class A, class Key, class Op> using pairs = thread::left_storing<A, Key, Op>;
};

/// One thread walks a row of W items; where the owner changes, out[owner] = op(run, out[owner]); what runs at the end of
/// the rows is reduced by a right-storing tree; the last segment of the data-block is left. D = H W. Source: segmented
/// Matrix. Cost: as block::matrix.
template <int H = 32, int W = 32, int BlockThreads = 256> struct matrix {
  using unsegmented = block::matrix<H, W, BlockThreads>;
  template <class A, class Key, class Op> using pairs = thread::right_storing<A, Key, Op>;
};

}  // namespace segmented

template <class Algorithm> inline constexpr bool is_segmented = requires { typename Algorithm::unsegmented; };

}  // namespace warpfold::block
