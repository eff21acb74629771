// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last block's fold of all units against the canonical tree over them.
#include <warpfold/reduce/fold_units.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/thread/array.cuh>

#include "common/device.cuh"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;

/// Block b folds counts[b] values.
template <int Warps, class Hash> __global__ void fold_kernel(const int* counts, const Hash* values, Hash* results) {
  auto& shared = wf::arch::dynamic_shared<wf::thread::array<Hash, Warps>>();
  const Hash root = wf::reduction::fold_units<Warps>(shared.data(), values, counts[blockIdx.x], wf_test::hash_pair{});
  if (threadIdx.x == 0) results[blockIdx.x] = root;
}

template <int Warps, class Hash> void check(const std::vector<int>& counts) {
  const auto values = wf_test::hash_items<Hash>(counts.back());
  const wf_test::device_array<int> counts_on_device(counts);
  const wf_test::device_array<Hash> values_on_device(values), results(std::ssize(counts));
  wf_test::launch_and_wait(&fold_kernel<Warps, Hash>, static_cast<int>(counts.size()), Warps * wf::warp_lanes,
                           Warps * sizeof(Hash), counts_on_device.data(), values_on_device.data(), results.data());
  const auto roots = results.to_host();
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_EQ(roots[i], wf::canonical_tree::replay(values.data(), counts[i], wf_test::hash_pair{})) << counts[i];
}

TEST(fold_units, is_the_canonical_tree_over_the_units) {
  check<16, wf_test::tree_hash<8, 8>>({1, 2, 3, 31, 33, 255, 256, 257, 512, 513, 1000, 4095, 4096, 4097, 8191, 8192});
}

TEST(fold_units, of_wide_accumulators_and_few_warps) {
  check<4, wf_test::tree_hash<24, 8>>({1, 64, 65, 256, 257, 511, 512, 513, 1024, 1025, 2000, 2048});
}

}  // namespace
