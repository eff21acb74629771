// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches folded by runs: the canonical tree again, whether all items exist, and whether all of them count.
#include <warpfold/warp/fold_runs.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/statistics.hpp>

#include "common/count_and_hash.hpp"
#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using wf_test::counted_hash;
using count_and_hash = wf_test::count_and_hash<true>;
using hash = wf_test::tree_hash<8>;

template <int Rows, class Op, class A>
__global__ void batch_kernel(const float* data, int items, int rows, Op op, A* out) {
  const auto leaves =
      wf::thread::lifted_leaves<A>(op, wf::thread::pointer_source<float>{data, items}, wf::thread::no_transform{});
  using storage = wf::warp::runs_storage<std::remove_cv_t<decltype(leaves)>, Rows>;
  auto& own = wf::arch::dynamic_shared<storage>();
  const A result = wf::warp::fold_batch_by_runs<Rows>(leaves, 0, op, own, rows);
  if (wf::arch::lane_id() == 0) *out = result;
}

/// Calls expect(result, items, their number) for batches of up to `Rows` rows.
template <int Rows, class Op, class Expect>
void check_batches(const Op& op, const std::vector<float>& items, int offset, Expect expect) {
  using A = wf::accumulator_t<Op, float>;
  const wf_test::device_array<float> in(items, offset);
  const wf_test::device_array<A> out(1);
  wf::check(cudaMemset(out.data(), 0, sizeof(A)), "cudaMemset");  // also the padding, which is read back
  for (int rows = Rows; rows >= 1; rows /= 2)
    for (const int count : {1, 100, 128 * rows - 1, 128 * rows, 128 * rows + 1}) {
      wf_test::launch_and_wait(&batch_kernel<Rows, Op, A>, 1, wf::warp_lanes, 512 * Rows, in.data(), count, rows, op,
                               out.data());
      expect(out.value(), items.data(), std::min(count, 128 * rows));
    }
}
template <int Rows> void check_items() {
  std::vector<float> items(1100);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i);
  const auto all = wf::fuse(wf::with(wf_test::to_hash<hash>{}, wf_test::hash_pair{}), count_and_hash{},
                            wf::with(wf_test::to_interval<>{}, wf_test::join{}), wf::nan_counter{});
  for (const int offset : {0, 1})
    check_batches<Rows>(all, items, offset, [&](const auto& result, const float* from, int count) {
      EXPECT_EQ(get<0>(result), wf::canonical_tree::replay(from, count, all.template part<0>())) << count;
      EXPECT_EQ(get<1>(result), wf::canonical_tree::replay(from, count, all.template part<1>())) << count;
      EXPECT_EQ(get<2>(result), wf::canonical_tree::replay(from, count, all.template part<2>())) << count;
      EXPECT_EQ(get<3>(result), 0);
    });
  for (std::size_t i = 3; i < items.size(); i += 67) items[i] = std::numeric_limits<float>::quiet_NaN();
  items[1] = std::numeric_limits<float>::infinity();
  items[2] = -items[1];
  const auto counts = wf::fuse(wf::nan_counter{}, wf::minimum_number{});
  check_batches<Rows>(counts, items, 0, [&](const auto& result, const float* from, int count) {
    EXPECT_EQ(get<0>(result), wf::canonical_tree::replay(from, count, wf::nan_counter{})) << count;
    EXPECT_EQ(get<1>(result), wf::canonical_tree::replay(from, count, wf::minimum_number{})) << count;
  });
  items[1] = items[2] = 1;
  check_batches<Rows>(count_and_hash{}, items, 0, [&](const auto& result, const float* from, int count) {
    EXPECT_EQ(result, wf::canonical_tree::replay(from, count, count_and_hash{})) << count;
  });
}

TEST(fold_runs, is_the_canonical_tree) {
  check_items<8>();
  check_items<4>();
  check_items<1>();
}

}  // namespace
