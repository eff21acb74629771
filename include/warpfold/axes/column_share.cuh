// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The share that a thread folds alone, some or all items of neighbouring outputs, where the operator has full nodes: by
// runs. The next rows are then on their way in shared memory, and the first ones of the next share, too.
#pragma once
#include <warpfold/axes/column_batch.cuh>
#include <warpfold/axes/column_runs.cuh>
#include <warpfold/axes/rows_ahead.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Threads of a block of the kernels whose threads fold alone.
template <class Leaves>
inline constexpr int column_share_threads = least_of(column_policy_of<Leaves>.block_threads, most_share_threads);

/// Batches of rows that are under way in shared memory; 0: none.
template <class Leaves> consteval int batches_in_shared_memory() {
  using T = typename Leaves::item;
  constexpr int row_bytes = sizeof(T) * Leaves::chunk_items, threads = column_share_threads<Leaves>;
  constexpr bool is_copied = (row_bytes == 4 || row_bytes == 8 || row_bytes == 16) && alignof(T) == sizeof(T);
  if (!is_copied || !folds_runs<Leaves>) return 0;
  constexpr std::size_t batch_bytes = std::size_t{threads} * row_bytes * column_policy_of<Leaves>.alone_rows,
                        join_bytes = std::size_t{threads} * Leaves::chunk_items * sizeof(typename Leaves::accumulator);
  if (join_bytes + batch_bytes > most_share_bytes) return 0;
  return least_of(static_cast<int>((most_share_bytes - join_bytes) / batch_bytes), most_batches_ahead);
}
template <class Leaves, int Batches = batches_in_shared_memory<Leaves>(),
          int Rows = column_policy_of<Leaves>.alone_rows>
using rows_ahead = std::conditional_t<(Batches > 0), rows_in_shared_memory<Leaves, Rows, greatest_of(Batches, 1)>,
                                      rows_in_registers<Leaves, Rows>>;
/// Bytes of shared memory for the rows of a block of `threads` threads.
template <class Leaves> consteval std::size_t rows_ahead_bytes(int threads) {
  if constexpr (folds_runs<Leaves>) return std::size_t{rows_ahead<Leaves>::warp_bytes} * (threads / warp_lanes);
  else return 0;
}
/// Number of neighbouring lanes that copy rows for one another, if these rows have vectors.
template <class Leaves>
inline constexpr int copying_team = batches_in_shared_memory<Leaves>() > 0
                                        ? 16 / (int{sizeof(typename Leaves::item)} * Leaves::chunk_items)
                                        : 1;

/// Folds the shares of a thread, one after another, by runs. All threads of a block have an object. Operators without
/// runs have an empty one: none of their rows are under way between shares.
template <class Leaves, class Op, class Map> class column_share {
 public:
  __device__ column_share(const Leaves&, const Map&, Op, unsigned char*) {}
  __device__ void begin(std::int64_t, std::int64_t, std::int64_t, unsigned) {}
};
template <class Leaves, class Op, class Map>
  requires(folds_runs<Leaves>)
class column_share<Leaves, Op, Map> {
 public:
  using A = typename Leaves::accumulator;
  static constexpr int vector = Leaves::chunk_items, rows = column_policy_of<Leaves>.alone_rows;

  __device__ column_share(const Leaves& leaves, const Map& reduced, Op op, unsigned char* room)
      : leaves_(leaves), reduced_(reduced), op_(op), ahead_(room) {}

  /// Takes the items [first, end) of outputs whose first items lie together from `origin` on. Lanes `peers` of the warp
  /// have the same items of neighbouring outputs, in vectors of 16 bytes; or it is 0. The first rows are under way from
  /// now on, unless registers would have to hold them.
  __device__ void begin(std::int64_t origin, std::int64_t first, std::int64_t end, unsigned peers) {
    origin_ = origin, first_ = first;
    ahead_.set_peers(peers);
    const std::int64_t items = greatest_of(end - first, std::int64_t{0});
    whole_ = static_cast<unsigned>(items / rows), rest_ = static_cast<int>(items % rows);
    if (!ahead_.are_in_registers) start_first();
  }
  __device__ bool exists() const { return whole_ > 0 || rest_ > 0; }
  /// The roots over all items of the share, which exists.
  __device__ void fold(A (&values)[vector]) {
    if (ahead_.are_in_registers) start_first();
    using nodes_type = run_nodes<vector, rows, Leaves, Map, Op>;
    typename nodes_type::higher_nodes higher;
    nodes_type nodes(leaves_, reduced_, origin_, first_, op_, higher);
    typename Leaves::chunk held[rows];
    WARPFOLD_NO_UNROLL
    for (unsigned batch = 0; batch < whole_; ++batch) {
      ahead_.take(held);
      start(batch + ahead_.batches);
      nodes.push(batch, held);
    }
    if (rest_ > 0) {
      ahead_.take(held);
      fold_rest_by_runs(leaves_, reduced_, origin_, held, first_ + std::int64_t{whole_} * rows, rest_, op_, values);
    }
    nodes.total(whole_, values, rest_ > 0);
  }

 private:
  __device__ void start_first() {
    WARPFOLD_NO_UNROLL
    for (unsigned batch = 0; batch < ahead_.batches; ++batch) start(batch);
  }
  __device__ void start(unsigned batch) {
    ahead_.start(leaves_, reduced_, origin_, first_ + std::int64_t{batch} * rows,
                 batch < whole_    ? rows
                 : batch == whole_ ? rest_
                                   : 0);
  }

  const Leaves& leaves_;
  const Map& reduced_;
  Op op_;
  rows_ahead<Leaves> ahead_;
  std::int64_t origin_ = 0, first_ = 0;
  unsigned whole_ = 0;  // batches
  int rest_ = 0;        // items
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
