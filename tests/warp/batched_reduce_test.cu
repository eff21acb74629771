// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several rows at once: each row by the canonical tree over the lanes, all rows by the canonical tree over their
// values.
#include <warpfold/warp/batched_reduce.cuh>

#include <gtest/gtest.h>

#include <set>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;

/// One warp: rows[lane] and results[lane], the row that batched_reduce leaves there and its result.
template <int Rows, class T, class Op> __global__ void batch_kernel(const T* values, Op op, int* rows, T* results) {
  const int lane = static_cast<int>(threadIdx.x);
  T batch[Rows];
  for (int row = 0; row < Rows; ++row) batch[row] = values[row * wf::warp_lanes + lane];
  results[lane] = wf::warp::batched_reduce(batch, op);
  rows[lane] = wf::warp::row_of_lane<Rows>();
}

/// Block b folds the first b + 1 values, the last block all of them by the form without a count. `wrong` counts lanes
/// whose result is not expected[b].
template <int Rows, class T, class Op>
__global__ void fold_kernel(const T* values, const T* expected, T absent, Op op, int* wrong) {
  const int lane = static_cast<int>(threadIdx.x), count = static_cast<int>(blockIdx.x) + 1;
  T batch[Rows];
  for (int row = 0; row < Rows; ++row) {
    const int place = row * wf::warp_lanes + lane;
    batch[row] = place < count ? values[place] : absent;
  }
  const bool whole = blockIdx.x == gridDim.x - 1;
  const T result = whole ? wf::warp::fold_rows(batch, op) : wf::warp::fold_rows(batch, op, count);
  if (!(result == expected[whole ? count - 2 : count - 1])) atomicAdd(wrong, 1);
}

template <int Rows, class T, class Op> void check(const std::vector<T>& items, T absent, Op op) {
  constexpr int values = Rows * wf::warp_lanes;
  std::vector<T> expected;
  for (int count = 1; count <= values; ++count) expected.push_back(wf::canonical_tree::replay(items.data(), count, op));
  std::vector<T> padded(items.begin(), items.begin() + values);
  padded.push_back(absent);  // the last block counts one more than there are
  const wf_test::device_array<T> on_device(padded), expected_on_device(expected), results(wf::warp_lanes);
  const wf_test::device_array<int> rows(wf::warp_lanes), wrong(std::vector<int>{0});

  wf_test::launch_and_wait(&batch_kernel<Rows, T, Op>, 1, wf::warp_lanes, 0, on_device.data(), op, rows.data(),
                           results.data());
  const std::vector<int> row = rows.to_host();
  for (int lane = 0; lane < wf::warp_lanes; ++lane) {
    const int of_lane = row[static_cast<std::size_t>(lane)];
    EXPECT_TRUE(results.value(lane) ==
                wf::canonical_tree::replay(items.data() + of_lane * wf::warp_lanes, wf::warp_lanes, op))
        << "row " << of_lane << " of " << Rows << ", lane " << lane;
  }
  EXPECT_EQ(std::set<int>(row.begin(), row.end()).size(), std::size_t{Rows}) << "every row is in some lane";
  EXPECT_EQ(std::set<int>(row.begin(), row.begin() + Rows).size(), std::size_t{Rows})
      << "and in one of the first lanes";

  wf_test::launch_and_wait(&fold_kernel<Rows, T, Op>, values + 1, wf::warp_lanes, 0, on_device.data(),
                           expected_on_device.data(), absent, op, wrong.data());
  EXPECT_EQ(wrong.value(), 0) << Rows << " rows";
}

template <int Rows, int Bytes> void check_hashes() {
  using hash = wf_test::tree_hash<Bytes, Bytes % 4 == 0 ? 4 : 1>;
  check<Rows>(wf_test::hash_items<hash>(Rows * wf::warp_lanes), hash::absent(), wf_test::hash_pair{});
}

TEST(batched_reduce, is_the_canonical_tree_for_every_number_of_rows_and_values) {
  check_hashes<1, 8>();
  check_hashes<2, 8>();
  check_hashes<4, 8>();
  check_hashes<8, 8>();
  check_hashes<16, 8>();
  check_hashes<32, 8>();
}

TEST(batched_reduce, takes_values_of_any_size) {
  check_hashes<4, 3>();
  check_hashes<2, 20>();
}

TEST(batched_reduce, keeps_order) {
  using interval = wf_test::interval<>;
  check<8>(wf_test::interval_items<interval>(8 * wf::warp_lanes), interval::poison(), wf_test::join{});
}

}  // namespace
