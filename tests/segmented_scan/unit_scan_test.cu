// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of a whole unit of a long segment: every prefix has the bits of the canonical tree.
#include <warpfold/segmented_scan/scan_unit.cuh>

#include <gtest/gtest.h>

#include "common/random_items.hpp"
#include "common/tree_hash.hpp"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace segmented_scan = warpfold::segmented_scan;
using wf_test::all_same_bits, wf_test::device_array;

namespace {

/// Scans the items of one warp's rows; `node` is what all lanes are told that they amount to.
template <int Rows, int Items, class A, class Op> __global__ void scan_kernel(const A* in, A* out, A* nodes, Op op) {
  segmented_scan::unit_scan<Rows, Items, A, Op> unit{op};
  const auto place = [](int row, int k) { return (row * 32 + static_cast<int>(threadIdx.x)) * Items + k; };
  for (int row = 0; row < Rows; ++row)
    for (int k = 0; k < Items; ++k) unit.values[row][k] = in[place(row, k)];
  nodes[threadIdx.x] = unit.scan();
  unit.join_before(0, nodes);
  for (int row = 0; row < Rows; ++row)
    for (int k = 0; k < Items; ++k) out[place(row, k)] = unit.values[row][k];
}

template <int Rows, int Items, class A, class Op> void expect_unit(const std::vector<A>& items, Op op) {
  const auto count = static_cast<std::int64_t>(items.size());
  const device_array<A> in(items), out(count), nodes(32);
  wf_test::launch_and_wait(&scan_kernel<Rows, Items, A, Op>, 1, 32, 0, in.data(), out.data(), nodes.data(), op);
  const auto expected = wf_test::canonical_segment_prefixes<false>(items, {"unit", {count}}, op, items[0], items[0]);
  EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << Rows << " rows";
  EXPECT_TRUE(all_same_bits(nodes.to_host(), std::vector<A>(32, expected.back()))) << Rows << " rows";
}

template <int Rows, int Items> void expect_units() {
  constexpr std::int64_t count = Rows * 32 * Items;
  expect_unit<Rows, Items>(wf_test::hash_items<wf_test::tree_hash<8, 8>>(count), wf_test::hash_pair{});
  expect_unit<Rows, Items>(wf_test::random_items<float>(count), warpfold::plus{});
  expect_unit<Rows, Items>(wf_test::random_items<int>(count), warpfold::maximum{});  // exact
}

TEST(unit_scan, of_all_shapes) {
  expect_units<1, 1>();
  expect_units<2, 16>();
  expect_units<4, 8>();
  expect_units<8, 4>();
  expect_units<8, 1>();
}

}  // namespace
