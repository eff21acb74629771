// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters: ranks, the split barrier, one another's shared memory.
#include <set>

#include "emulated.hpp"

namespace {

using namespace emulated;

struct clustered {
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config{};
  clustered(dim3 grid, dim3 block, dim3 cluster, std::size_t shared_bytes = 0)
      : config(shape(grid, block, shared_bytes)) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  clustered(const clustered&) = delete;
};

struct place {
  unsigned rank, size;
};
__global__ void tell_place(place* out) {
  out[blockIdx.x + gridDim.x * blockIdx.y] = {em::cluster_rank(), em::cluster_size()};
}

TEST(cluster, rank_and_size) {
  device_array<place> out(4 * 6);
  const clustered launch(dim3(4, 6), 1, dim3(2, 3));
  ASSERT_EQ(em::launch(tell_place, launch.config, out.get()), cudaSuccess);
  for (unsigned y = 0; y < 6; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      EXPECT_EQ(out[x + 4 * y].rank, x % 2 + 2 * (y % 3));
      EXPECT_EQ(out[x + 4 * y].size, 6u);
    }
}

TEST(cluster, without_one_a_block_stands_alone) {
  device_array<place> out(3);
  ASSERT_EQ(em::launch(tell_place, shape(3, 1), out.get()), cudaSuccess);
  EXPECT_EQ(out[2].rank, 0u);
  EXPECT_EQ(out[2].size, 1u);
}

// Every block reads the next one's number from its shared memory, again and again.
__global__ void read_neighbour(int* wrong, int rounds) {
  int& mine = dynamic_shared<int>();
  const unsigned next = (em::cluster_rank() + 1) % em::cluster_size();
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) mine = round * 100 + static_cast<int>(em::cluster_rank());
    em::cluster_arrive();
    em::cluster_wait();
    if (*static_cast<int*>(em::map_shared_rank(&mine, next)) != round * 100 + static_cast<int>(next))
      atomicAdd(wrong, 1);
    em::cluster_arrive();
    em::cluster_wait();
  }
}

TEST(cluster, barrier_and_shared_memory_of_others) {
  device_array<int> wrong(1);
  for (const unsigned blocks : {2u, 4u, 8u}) {
    const clustered launch(16, 40, blocks, sizeof(int));
    for_each_seed(5, [&] {
      ASSERT_EQ(em::launch(read_neighbour, launch.config, wrong.get(), 5), cudaSuccess);
      EXPECT_EQ(wrong[0], 0);
    });
  }
}

__global__ void some_leave() {
  em::cluster_arrive();
  if (threadIdx.x % 2 == 1) return;  // after arriving: counts
  em::cluster_wait();
  if (threadIdx.x % 4 == 0) return;  // before arriving: counts too
  em::cluster_arrive();
  em::cluster_wait();
}

TEST(cluster, threads_that_leave_count_as_arrived) {
  const clustered launch(8, 64, 4);
  for_each_seed(10, [&] { EXPECT_EQ(em::launch(some_leave, launch.config), cudaSuccess); });
}

__global__ void arrives_twice() {
  em::cluster_arrive();
  em::cluster_arrive();
}
__global__ void waits_only() { em::cluster_wait(); }
__global__ void one_does_not_arrive() {
  if (threadIdx.x == 3) __syncwarp(0x18);
  else if (threadIdx.x != 4) em::cluster_arrive(), em::cluster_wait();
  else em::cluster_arrive(), em::cluster_wait(), __syncwarp(0x18);
}
__global__ void reads_beyond() { em::map_shared_rank(&dynamic_shared<int>(), 2); }
__global__ void maps_a_local() {
  int local = 0;
  em::map_shared_rank(&local, 1);
}
__global__ void reads_block_that_left(int* out) {
  int& mine = dynamic_shared<int>();
  if (em::cluster_rank() == 1) return;
  for (int i = 0; i < 100; ++i) em::yield();
  *out = *static_cast<int*>(em::map_shared_rank(&mine, 1));
}

TEST(cluster, mistakes_are_found) {
  const clustered launch(2, 32, 2, sizeof(int));
  device_array<int> out(1);
  expect_fault(em::fault::cluster_barrier, {"arrives twice"}, arrives_twice, launch.config);
  expect_fault(em::fault::cluster_barrier, {"without having arrived"}, waits_only, launch.config);
  expect_fault(em::fault::deadlock, {"wait at cluster_wait", "threads 3: wait at __syncwarp, mask 0x00000018"},
               one_does_not_arrive, launch.config);
  expect_fault(em::fault::usage, {"no block of rank 2"}, reads_beyond, launch.config);
  expect_fault(em::fault::usage, {"not in this block's dynamic shared memory"}, maps_a_local, launch.config);
  expect_fault(em::fault::shared_memory, {"the block has left"}, reads_block_that_left, launch.config, out.get());
}

TEST(cluster, shapes_out_of_range_are_refused) {
  device_array<place> out(32);
  const clustered uneven(5, 1, 2), large(32, 1, 16), fine(32, 1, 8);
  EXPECT_EQ(em::launch(tell_place, uneven.config, out.get()), cudaErrorInvalidClusterSize);
  EXPECT_EQ(em::launch(tell_place, large.config, out.get()), cudaErrorInvalidClusterSize);
  EXPECT_EQ(em::launch(tell_place, fine.config, out.get()), cudaSuccess);
  ASSERT_EQ(cudaFuncSetAttribute(reinterpret_cast<const void*>(&tell_place),
                                 cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(em::launch(tell_place, large.config, out.get()), cudaSuccess);
  EXPECT_EQ(out[0].size, 16u);
  em::scoped_settings settings;
  settings->compute_capability_major = 8;
  EXPECT_EQ(em::launch(tell_place, fine.config, out.get()), cudaErrorInvalidClusterSize);
  expect_fault(em::fault::usage, {"needs compute capability 9"}, tell_place, shape(1, 1), out.get());
  cudaGetLastError();
}

TEST(cluster, occupancy_counts_clusters) {
  em::scoped_settings settings;
  settings->multiprocessors = 6;
  settings->blocks_per_multiprocessor = 2;
  const clustered launch(8, 64, 4);
  int clusters = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveClusters(&clusters, reinterpret_cast<const void*>(&waits_only), &launch.config),
            cudaSuccess);
  EXPECT_EQ(clusters, 3);
}

}  // namespace
