// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over a block: the canonical tree over the threads, for every kind of block size and every count.
#include <warpfold/block/reduce.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;

/// Block b reduces its first counts[b] values, twice with the same storage. `wrong` counts threads with a wrong result.
template <int BlockThreads, class T, class Op>
__global__ void reduce_kernel(const T* values, const T* expected, const int* counts, T absent, Op op, int* wrong) {
  __shared__ wf::block::reduce_storage<T, BlockThreads> storage;
  const int thread = wf::arch::thread_rank(), count = counts[blockIdx.x];
  const T own = thread < count ? values[thread] : absent;
  const T reduced = count == BlockThreads ? wf::block::reduce<BlockThreads>(storage, own, op)
                                          : wf::block::reduce<BlockThreads>(storage, own, op, count);
  __syncthreads();
  const T everywhere = wf::block::all_reduce<BlockThreads>(storage, own, op, count);
  if (thread == 0 && !(reduced == expected[count - 1])) atomicAdd(wrong, 1);
  if (!(everywhere == expected[count - 1])) atomicAdd(wrong + 1, 1);
}

template <int BlockThreads, class T, class Op>
std::vector<int> wrong_results(const std::vector<T>& values, T absent, Op op, dim3 shape = dim3(BlockThreads)) {
  std::vector<T> expected;
  for (int count = 1; count <= BlockThreads; ++count)
    expected.push_back(wf::canonical_tree::replay(values.data(), count, op));
  std::vector<int> counts;
  for (int count = 1; count <= BlockThreads; ++count)  // of large blocks those around whole warps
    if (BlockThreads <= 128 || count % 32 <= 1 || count >= BlockThreads - 1) counts.push_back(count);

  const wf_test::device_array<T> on_device(values), results(expected);
  const wf_test::device_array<int> counts_on_device(counts), wrong(std::vector<int>(2, 0));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(counts.size()));
  config.blockDim = shape;
  wf::launch(&reduce_kernel<BlockThreads, T, Op>, config, on_device.data(), results.data(), counts_on_device.data(),
             absent, op, wrong.data());
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return wrong.to_host();
}

const std::vector<int> none(2, 0);

template <int BlockThreads, int Bytes = 8> std::vector<int> wrong_hashes(dim3 shape = dim3(BlockThreads)) {
  using hash = wf_test::tree_hash<Bytes, Bytes % 8 == 0 ? 8 : 1>;
  return wrong_results<BlockThreads>(wf_test::hash_items<hash>(BlockThreads), hash::absent(), wf_test::hash_pair{},
                                     shape);
}

TEST(block_reduce, is_the_canonical_tree_for_every_block_size) {
  EXPECT_EQ(wrong_hashes<1>(), none);
  EXPECT_EQ(wrong_hashes<7>(), none);
  EXPECT_EQ(wrong_hashes<32>(), none);
  EXPECT_EQ(wrong_hashes<33>(), none);
  EXPECT_EQ(wrong_hashes<64>(), none);
  EXPECT_EQ(wrong_hashes<95>(), none);
  EXPECT_EQ(wrong_hashes<128>(), none);
  EXPECT_EQ(wrong_hashes<255>(), none);
  EXPECT_EQ(wrong_hashes<256>(), none);
  EXPECT_EQ(wrong_hashes<513>(), none);
  EXPECT_EQ(wrong_hashes<768>(), none);
  EXPECT_EQ(wrong_hashes<993>(), none);
  EXPECT_EQ(wrong_hashes<1024>(), none);
}

TEST(block_reduce, counts_threads_along_x_first) { EXPECT_EQ(wrong_hashes<96>(dim3(8, 3, 4)), none); }

TEST(block_reduce, takes_values_of_any_size) {
  EXPECT_EQ((wrong_hashes<100, 3>()), none);
  EXPECT_EQ((wrong_hashes<160, 64>()), none);
}

TEST(block_reduce, keeps_order) {
  using interval = wf_test::interval<>;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const wf_test::schedule_seed scheduled(seed);
    EXPECT_EQ(wrong_results<224>(wf_test::interval_items<interval>(224), interval::poison(), wf_test::join{}), none);
  }
}

TEST(block_reduce, of_integers_by_the_instruction) {
  EXPECT_EQ(wrong_results<200>(wf_test::random_items<int>(200), 77, wf::plus{}), none);
  EXPECT_EQ(wrong_results<64>(wf_test::random_items<unsigned>(64), 0u, wf::minimum{}), none);
}

}  // namespace
