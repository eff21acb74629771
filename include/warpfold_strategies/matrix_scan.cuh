// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data-block as a matrix in shared memory, whose rows are scanned by one thread each. Source: MatrixScan, Dotsenko,
// Govindaraju, Sloan, Boyd and Manferdelli 2008, which Martín 2012 adapts to reductions (matrix.cuh).
#pragma once
#include <warpfold_strategies/hillis_steele.cuh>

namespace warpfold::block {

/// A block algorithm of scans (see hillis_steele.cuh): a thread folds a row of W items; the H row results are scanned
/// at doubling distance; then the thread scans its row, from the result of the rows above on. D = H W.
/// Cost: log2(H) + 2 barriers; 2 W steps one after another in H threads; 2 D + H log2(H) - 2 H operations. No bank
/// conflicts (matrix_slots). With pieces of segments for items (scan_pieces.cuh) it is the source's segmented scan.
template <int H = 32, int W = 32, int BlockThreads = 256> struct matrix_scan {
  static_assert(H >= 1 && H <= 1024 && W >= 1 && H * W % 16 == 0,
                "warpfold: block::matrix_scan has 1 to 1024 rows, and a multiple of 16 items");
  static_assert(BlockThreads % warp_lanes == 0, "warpfold: block::matrix_scan needs whole warps");
  static constexpr int block_threads = BlockThreads, data_block_items = H * W;

  template <class A> struct storage {
    matrix_slots<A, H, W> data;
    plain_slots<A, H> row_results, other;
  };

  template <class Group, class A, class Op>
  static __device__ auto& scan(const Group& group, storage<A>& shared, int count, Op op) {
    for (int row = group.rank(); row * W < count; row += Group::threads) {
      A value = shared.data.get(row, 0);
      WARPFOLD_NO_UNROLL
      for (int column = 1; column < columns(row, count); ++column) value = op(value, shared.data.get(row, column));
      shared.row_results.set(row, value);
    }
    group.sync();
    auto& through = scan_at_doubling_distance(group, shared.row_results, shared.other, (count + W - 1) / W, op);
    for (int row = group.rank(); row * W < count; row += Group::threads) {
      A value = shared.data.get(row, 0);
      if (row > 0) {
        value = op(through.get(row - 1), value);
        shared.data.set(row * W, value);
      }
      WARPFOLD_NO_UNROLL
      for (int column = 1; column < columns(row, count); ++column) {
        value = op(value, shared.data.get(row, column));
        shared.data.set(row * W + column, value);
      }
    }
    group.sync();
    return shared.data;
  }

  template <class A, class Visit> static void visit_accesses(Visit visit) {
    for (int first = 0; first < H; first += BlockThreads) {
      const auto row_of = [=](int thread) { return first + thread < H ? first + thread : -1; };
      for (int pass = 0; pass < 3; ++pass)  // loads twice, stores once
        for (int column = 0; column < W; ++column)
          visit([=](int thread) {
            const int row = row_of(thread);
            return row < 0 || (pass == 2 && column == 0 && row == 0) ? -1 : matrix_slots<A, H, W>::index(row, column);
          });
      visit(row_of);
      visit([=](int thread) { return row_of(thread) - (row_of(thread) >= 0); });
      for (int distance = 1; distance < H; distance *= 2) {
        visit(row_of);
        visit([=](int thread) { return row_of(thread) < distance ? -1 : row_of(thread) - distance; });
        visit(row_of);
      }
    }
  }

 private:
  __device__ static int columns(int row, int count) { return least_of(count - row * W, W); }
};

}  // namespace warpfold::block
