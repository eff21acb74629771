// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels under plans that the host would choose on larger devices: two levels of joins, and single rows a thread.
#include "axes/arrays.cuh"

#include "common/interval.hpp"

namespace axes_kernels {

namespace wf = warpfold;
namespace ax = warpfold::axis_reduction;
using interval = wf_test::interval<>;
using wf_test::device_array;

/// Whether a kernel, under a plan with that many splits, folds each output in order, and leaves its counters zero.
template <class Kernel, class Leaves, class... More>
testing::AssertionResult folds_in_order(Kernel kernel, const ax::shape& shape, const Leaves& leaves, int vector,
                                        ax::schedule plan, int block_threads, std::size_t shared_bytes, int blocks,
                                        More... more) {
  const device_array<interval> out(std::vector<interval>(static_cast<std::size_t>(shape.outputs), interval::of(9)));
  const std::int64_t places = plan.work_items() * plan.lanes() * vector;
  const device_array<interval> partials(std::vector<interval>(static_cast<std::size_t>(places), interval::poison()));
  const std::vector<unsigned> zeros(static_cast<std::size_t>(plan.tiles * plan.counters_per_tile()));
  const device_array<unsigned> counters(zeros);
  plan.blocks = blocks;
  auto arguments = ax::arguments_of(shape, leaves, wf_test::join{}, out.data(), {}, vector);
  arguments.plan = plan;
  arguments.partials = partials.data();
  arguments.counters = counters.data();
  wf_test::launch_and_wait(kernel, blocks, block_threads, shared_bytes, arguments, more...);
  if (counters.to_host() != zeros) return testing::AssertionFailure() << "counters are not zero";
  for (const interval& result : out.to_host())
    if (!(result == interval::of(0, shape.reduced_items - 1))) return testing::AssertionFailure() << result;
  return testing::AssertionSuccess();
}

/// A matrix whose item (r, c) is the interval of r, or of c.
std::vector<interval> numbered(std::int64_t rows, std::int64_t columns, bool by_rows) {
  std::vector<interval> items;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) items.push_back(interval::of(by_rows ? r : c));
  return items;
}

constexpr std::int64_t group = ax::splits_per_group;

TEST(axis_kernels, columns_join_groups_of_splits) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, 2>;
  constexpr auto policy = ax::column_policy_of<leaves>;
  for (const int columns : {2, 16, 64})
    for (const std::int64_t splits : {std::int64_t{2}, group, group + 1, 2 * group + 3})
      for (const int log_rows : {0, 1, 4}) {
        const int lanes = columns / 2, groups = policy.block_threads / lanes;
        const std::int64_t split_rows = std::int64_t{groups} << log_rows;
        const std::int64_t rows = (splits - 1) * split_rows + 1 + split_rows / 3;
        if (wf_test::emulated && rows * columns > 200'000) continue;
        const device_array<interval> in(numbered(rows, columns, true));
        const ax::shape shape = ax::shape_of({2, {rows, columns}, {columns, 1}}, 0b01, {1, {columns}, {1}});
        for (const int blocks : {3, static_cast<int>(splits)})
          EXPECT_TRUE(folds_in_order(&ax::column_kernel<leaves, wf_test::join, interval*>, shape,
                                     leaves{in.data(), {}, {0, rows * columns - 1}}, 2,
                                     {ax::ceil_log2(lanes), groups, log_rows, 1, splits, 0}, policy.block_threads,
                                     sizeof(ax::column_storage<leaves>), blocks))
              << columns << " columns, " << rows << " rows, " << splits << " splits, " << blocks << " blocks";
      }
}

TEST(axis_kernels, rows_join_groups_of_splits) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, 2>;
  constexpr auto policy = ax::row_policy_of<leaves>;
  const int log_warps = ax::ceil_log2(policy.block_threads / 32), log_batch = ax::ceil_log2(policy.batch_items());
  for (const int log_lanes : {0, log_warps})
    for (const std::int64_t splits : {std::int64_t{3}, group + 1}) {
      const std::int64_t outputs = (std::int64_t{1} << log_lanes) - (log_lanes > 0);
      const std::int64_t split_items = std::int64_t{1} << (log_batch + log_warps - log_lanes);
      const std::int64_t items = (splits - 1) * split_items + split_items / 2 + 1;
      const device_array<interval> in(numbered(outputs, items, false));
      const ax::shape shape = ax::shape_of({2, {outputs, items}, {items, 1}}, 0b10, {1, {outputs}, {1}});
      EXPECT_TRUE(folds_in_order(&ax::row_kernel<leaves, wf_test::join, interval*>, shape,
                                 leaves{in.data(), {}, {0, outputs * items - 1}}, 1,
                                 {log_lanes, 1 << (log_warps - log_lanes), log_batch, 1, splits, 0},
                                 policy.block_threads, sizeof(ax::row_storage<leaves>), 5, false))
          << outputs << " outputs, " << splits << " splits";
    }
}

// A batch that crosses the end of a run takes its items from two places.
TEST(axis_kernels, batches_of_rows_cross_the_ends_of_runs) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, 2>;
  constexpr auto policy = ax::row_policy_of<leaves>;
  constexpr int batch = static_cast<int>(policy.batch_items()), warps = policy.block_threads / 32, outputs = 2,
                runs = 9;
  for (const int run : {batch - 2, batch, batch + 2, batch + 34, 2 * batch - 2}) {
    const std::int64_t items = std::int64_t{runs} * run;
    std::vector<interval> all;
    for (int r = 0; r < runs; ++r)
      for (int o = 0; o < outputs; ++o)
        for (int k = 0; k < run; ++k) all.push_back(interval::of(r * run + k));
    const device_array<interval> in(all);
    const ax::shape shape =
        ax::shape_of({3, {runs, outputs, run}, {outputs * run, run, 1}}, 0b101, {1, {outputs}, {1}});
    const int log_rows = std::max(ax::ceil_log2((items + warps - 1) / warps), ax::ceil_log2(batch));
    EXPECT_TRUE(folds_in_order(&ax::row_kernel<leaves, wf_test::join, interval*>, shape,
                               leaves{in.data(), {}, {0, outputs * items - 1}}, 1, {0, warps, log_rows, outputs, 1, 0},
                               policy.block_threads, sizeof(ax::row_storage<leaves>), 2, false))
        << "runs of " << run << " items";
  }
}

template <int Columns> void narrow_matrices_join_groups_of_splits() {
  constexpr int chunk_rows = ax::narrow_chunk_rows(sizeof(interval), Columns);
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, Columns * chunk_rows>;
  constexpr auto policy = ax::narrow_policy_of<leaves, Columns>;
  const int log_batch = ax::ceil_log2(policy.batch_rows());
  for (const std::int64_t splits : {std::int64_t{1}, std::int64_t{3}, group + 1})
    for (const int offset : {0, 1}) {
      if (wf_test::emulated && splits > 3 && Columns != 3) continue;
      const std::int64_t split_rows = 2 * policy.batch_rows() * (policy.block_threads / 32);
      const std::int64_t rows = (splits - 1) * split_rows + split_rows / 2 + 3;
      const device_array<interval> in(numbered(rows, Columns, true), offset);
      const ax::shape shape = ax::shape_of({2, {rows, Columns}, {Columns, 1}}, 0b01, {1, {Columns}, {1}});
      EXPECT_TRUE(folds_in_order(&ax::narrow_kernel<Columns, leaves, wf_test::join, interval*>, shape,
                                 leaves{in.data(), {}, {0, rows * Columns - 1}}, 1,
                                 {ax::ceil_log2(Columns), policy.block_threads / 32, log_batch + 1, 1, splits, 0},
                                 policy.block_threads, sizeof(ax::narrow_storage<leaves, Columns>), splits < 3 ? 1 : 3,
                                 offset == 0))
          << Columns << " columns, " << splits << " splits";
    }
}
TEST(axis_kernels, narrow_matrices_join_groups_of_splits) {
  narrow_matrices_join_groups_of_splits<2>();
  narrow_matrices_join_groups_of_splits<3>();
  narrow_matrices_join_groups_of_splits<7>();
}

}  // namespace axes_kernels
