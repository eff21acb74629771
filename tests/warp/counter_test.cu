// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The binary counter whose digits are lanes.
#include <warpfold/warp/counter.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<12, 4>;

/// waiting[n * 32 + lane]: what a lane holds after n + 1 pushes.
__global__ void push_kernel(int pushes, hash* waiting) {
  wf::warp::counter<hash> tree;
  for (int n = 0; n < pushes; ++n) {
    tree.push(static_cast<unsigned>(n), hash::of(n), wf_test::hash_pair{});
    waiting[n * wf::warp_lanes + static_cast<int>(threadIdx.x)] = tree.waiting();
  }
}

TEST(warp_counter, holds_a_node_for_every_bit_of_the_count) {
  constexpr int pushes = 300;
  const wf_test::device_array<hash> waiting(pushes * wf::warp_lanes);
  wf_test::launch_and_wait(&push_kernel, 1, wf::warp_lanes, 0, pushes, waiting.data());
  const auto held = waiting.to_host(), items = wf_test::hash_items<hash>(pushes);
  for (int count = 1; count <= pushes; ++count) {
    int first = 0;
    for (int level = 8; level >= 0; --level)
      if (count >> level & 1) {
        EXPECT_EQ(held[static_cast<std::size_t>((count - 1) * wf::warp_lanes + level)],
                  wf::canonical_tree::replay(items.data() + first, 1 << level, wf_test::hash_pair{}))
            << "level " << level << " of " << count;
        first += 1 << level;
      }
  }
}

__global__ void total_kernel(hash* totals) {
  wf::warp::counter<hash> tree;
  for (unsigned n = 0; n < gridDim.x; ++n) {
    tree.push(n, hash::of(n), wf_test::hash_pair{});
    const hash total = tree.total(n + 1, wf_test::hash_pair{});
    if (n == blockIdx.x) totals[n * wf::warp_lanes + threadIdx.x] = total;
  }
}

TEST(warp_counter, totals_in_every_lane) {
  constexpr int most = 140;
  const wf_test::device_array<hash> totals(most * wf::warp_lanes);
  wf_test::launch_and_wait(&total_kernel, most, wf::warp_lanes, 0, totals.data());
  const auto all = totals.to_host(), items = wf_test::hash_items<hash>(most);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto count = static_cast<std::int64_t>(i) / wf::warp_lanes + 1;
    EXPECT_EQ(all[i], wf::canonical_tree::replay(items.data(), count, wf_test::hash_pair{})) << count << " values";
  }
}

/// Pushes numbers first, first + 1, …; then the first node of high numbers waits.
__global__ void high_kernel(unsigned first, hash* result) {
  wf::warp::counter<hash> tree;
  for (unsigned n = 0; n < 4; ++n) tree.push(first + n, hash::of(n), wf_test::hash_pair{});
  if (threadIdx.x == 2) *result = tree.waiting();
}

TEST(warp_counter, counts_to_31_bits) {
  const wf_test::device_array<hash> result(1);
  wf_test::launch_and_wait(&high_kernel, 1, wf::warp_lanes, 0, 0x7ffffff8u, result.data());
  EXPECT_EQ(result.value(), wf::canonical_tree::replay(wf_test::hash_items<hash>(4).data(), 4, wf_test::hash_pair{}));
}

}  // namespace
