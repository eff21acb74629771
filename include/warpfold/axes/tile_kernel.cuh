// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for small matrices of few columns of bytes: tiles of whole matrices are read as they lie in memory, and
// taken apart in shared memory. While a block folds a tile, its next one is under way.
#pragma once
#include <warpfold/arch/async_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/arguments.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/plan.hpp>
#include <warpfold/thread/fold.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Adjacent items in shared memory. 16 bytes are unused behind each 128, so that threads whose items lie a power of
/// two apart seldom meet in a bank.
template <class T, int MaxItems> struct padded_items {
  __host__ __device__ static constexpr int padded(int byte) { return byte + (byte >> 7) * 16; }
  static constexpr int piece = alignof(T) < 16 ? int{alignof(T)} : 16;  ///< bytes that no boundary cuts

  alignas(16) unsigned char bytes[padded(MaxItems * int{sizeof(T)} + 31) + 16];

  /// Starts to copy `count` > 0 items. All threads of the block call it. Nothing else is read.
  template <int BlockThreads> __device__ void start_copy(const T* items, int count) {
    const auto address = reinterpret_cast<std::uintptr_t>(items);
    const auto* from = reinterpret_cast<const unsigned char*>(address & ~std::uintptr_t{15});
    const int begin = static_cast<int>(address & 15), end = begin + count * int{sizeof(T)};
    const int whole = begin > 0 ? 16 : 0, whole_end = greatest_of(end & ~15, whole), thread = arch::flat_thread();
    for (int byte = whole + 16 * thread; byte < whole_end; byte += 16 * BlockThreads)
      arch::async_copy_to_shared(bytes + padded(byte), from + byte);
    copy_piece(from, begin + thread * piece, least_of(whole, end));
    copy_piece(from, whole_end + thread * piece, end);
  }
  /// Item `i` of those copied from `items`.
  __device__ T item(const T* items, int i) const {
    const int begin = static_cast<int>(reinterpret_cast<std::uintptr_t>(items) & 15) + i * int{sizeof(T)};
    return thread::copied<T>([&](unsigned char* to) {
      WARPFOLD_UNROLL
      for (int byte = 0; byte < int{sizeof(T)}; byte += piece)
        arch::load_shared<piece>(bytes + padded(begin + byte), to + byte);
    });
  }

 private:
  __device__ void copy_piece(const unsigned char* from, int byte, int end) {
    if (byte >= end) return;
    unsigned char held[piece];
    arch::load<piece>(from + byte, held);
    arch::store_shared<piece>(bytes + padded(byte), held);
  }
};

template <class Leaves>
inline constexpr tile_policy tile_policy_of = tile_policy_for(sizeof(typename Leaves::item),
                                                              sizeof(typename Leaves::accumulator));

template <class Leaves> struct tile_storage {
  using A = typename Leaves::accumulator;
  static constexpr tile_policy policy = tile_policy_of<Leaves>;
  padded_items<typename Leaves::item, policy.tile_items> staged[2];
  thread::array<A, policy.tile_items / 4> nodes;
};

/// A tile as it lies in memory.
template <class T> struct tile_span {
  const T* items;
  int matrices;
  std::int64_t matrix;  ///< the first matrix
};

/// Folds tiles. Level by level, a thread folds 8 adjacent nodes of one column.
template <class Arguments, class Leaves = typename Arguments::leaves_type> class tile_folder {
 public:
  using T = typename Leaves::item;
  using A = typename Leaves::accumulator;
  static constexpr int block_threads = tile_policy_of<Leaves>.block_threads;

  __device__ tile_folder(const Arguments& arguments, const tile_shape& shape, tile_storage<Leaves>& shared)
      : arguments_(arguments), shape_(shape), shared_(shared) {}

  /// Tile number `number`; `matrices` is 0 if there is none.
  __device__ tile_span<T> span_of(std::int64_t number) const {
    if (number >= arguments_.plan.tiles) return {nullptr, 0, 0};
    const std::int64_t matrix = number * shape_.matrices, remaining = shape_.total_matrices - matrix;
    return {arguments_.leaves.data + arguments_.kept.place_of(matrix * shape_.columns).in,
            static_cast<int>(least_of(remaining, shape_.matrices)), matrix};
  }
  __device__ void start_copy(const tile_span<T>& tile, int buffer) {
    if (tile.matrices > 0)
      shared_.staged[buffer].template start_copy<block_threads>(
          tile.items, (tile.matrices * shape_.rows - 1) * shape_.pitch + shape_.columns);
  }

  /// Writes the results of the tile's columns. All threads call it. Cost: a barrier a level but one.
  __device__ void fold(const tile_span<T>& tile, int buffer) {
    const int nodes = (shape_.rows + 7) / 8;
    fold_level(tile, 1, nodes, [&](int matrix, int column, int node) {
      A items[8] = {};
      const int row = 8 * node, count = shape_.rows - row;
      const int first = (matrix * shape_.rows + row) * shape_.pitch + column;
      const auto leaf = [&](int k) {
        typename Leaves::chunk one;
        const T item = shared_.staged[buffer].item(tile.items, first + k * shape_.pitch);
        std::memcpy(one.word, &item, sizeof(T));
        return arguments_.leaves.leaf(one, 0, row + k);
      };
      return fold_eight(items, count, leaf);
    });
    for (int step = 1; step < nodes; step *= 8) {
      __syncthreads();
      fold_level(tile, 8 * step, nodes, [&](int matrix, int column, int node) {
        A held[8] = {};
        const auto remaining = [&](int k) { return shared_.nodes[slot(nodes, matrix, column, node + k * step)]; };
        return fold_eight(held, (nodes - node + step - 1) / step, remaining);
      });
    }
  }

 private:
  __device__ int slot(int nodes, int matrix, int column, int node) const {
    return (matrix * nodes + node) * shape_.columns + column;
  }
  template <class Load> __device__ A fold_eight(A (&values)[8], int count, Load load) const {
    if (count >= 8) {
      WARPFOLD_UNROLL
      for (int k = 0; k < 8; ++k) values[k] = load(k);
      return thread::fold(values, arguments_.op);
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < 8; ++k)
      if (k < count) values[k] = load(k);
    return thread::fold(values, arguments_.op, count);
  }
  /// The nodes 0, step, 2 step, … of all columns: node(matrix, column, number) is kept in the node's slot, or is the
  /// column's result if there is one node.
  template <class Node> __device__ void fold_level(const tile_span<T>& tile, int step, int nodes, Node node) {
    const int count = (nodes + step - 1) / step, tasks = tile.matrices * count * shape_.columns;
    for (int task = arch::flat_thread(); task < tasks; task += block_threads) {
      const int row = static_cast<int>(shape_.by_columns.quotient(static_cast<unsigned>(task)));
      const int column = task - row * shape_.columns;
      const int matrix = tile.matrices == 1 ? 0 : count == 1 ? row : row / count;
      const int number = (row - matrix * count) * step;
      const A values[1] = {node(matrix, column, number)};
      if (count == 1) arguments_.template write<1>((tile.matrix + matrix) * shape_.columns + column, values);
      else shared_.nodes[slot(nodes, matrix, column, number)] = values[0];
    }
  }

  const Arguments& arguments_;
  const tile_shape& shape_;
  tile_storage<Leaves>& shared_;
};

/// Each block takes tiles in steps of the grid.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(tile_policy_of<Leaves>.block_threads)
tile_kernel(const __grid_constant__ Arguments arguments, const __grid_constant__ tile_shape shape) {
  auto& shared = arch::dynamic_shared<tile_storage<Leaves>>();
  tile_folder<Arguments> folder(arguments, shape, shared);
  int buffer = 0;
  auto tile = folder.span_of(blockIdx.x);
  folder.start_copy(tile, buffer);
  for (std::int64_t number = blockIdx.x; number < arguments.plan.tiles; number += gridDim.x) {
    arch::wait_async_copies();
    __syncthreads();  // the tile has come, and the other buffer has been read
    const auto next = folder.span_of(number + gridDim.x);
    folder.start_copy(next, 1 - buffer);
    folder.fold(tile, buffer);
    tile = next;
    buffer = 1 - buffer;
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
