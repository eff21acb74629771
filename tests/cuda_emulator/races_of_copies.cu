// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races with asynchronous and bulk copies, and with what mbarriers and cluster barriers do not order.
#include "emulated.hpp"

namespace {

using namespace emulated;

/// `kernel(arguments..., fault)` races for each fault from 1 to `faults`, under any schedule, and not if it is 0.
template <class Kernel, class... A>
void expect_races(int faults, const std::string& text, Kernel kernel, const cudaLaunchConfig_t& config, A... args) {
  for (int fault = 1; fault <= faults; ++fault) {
    SCOPED_TRACE("fault " + std::to_string(fault));
    for_each_seed(5, [&] {
      expect_fault(em::fault::race, {text, "earlier: ", ".cu:"}, kernel, config, args..., fault);
      EXPECT_EQ(em::launch(kernel, config, args..., 0), cudaSuccess);
    });
  }
}

// ---- copies of a thread ----------------------------------------------------------------------------------------------

__global__ void copy_and_reverse(const int* in, int* out, int fault) {
  int* const items = static_cast<int*>(em::dynamic_shared());
  em::async_copy_to_shared(items + 4 * threadIdx.x, in + 4 * threadIdx.x);
  if (fault == 1) out[threadIdx.x] = items[4 * threadIdx.x];  // before its own copy is there
  em::wait_async_copies();
  if (fault != 2) __syncthreads();
  out[threadIdx.x] = items[4 * (31 - threadIdx.x)];
}

TEST(races, asynchronous_copies_are_ordered_by_the_wait_and_a_barrier) {
  device_array<int> in(128, 1), out(32);
  expect_races(2, "by an asynchronous copy", copy_and_reverse, shape(1, 32, 512), static_cast<const int*>(in.get()),
               out.get());
}

__global__ void copy_two_groups(const int* in, int* out, int fault) {
  int* const items = static_cast<int*>(em::dynamic_shared());
  for (int group = 0; group < 2; ++group) {
    em::async_copy_to_shared(items + 32 * group + threadIdx.x, in + threadIdx.x, 4);
    em::close_async_copies();
  }
  em::wait_async_copies(1);
  __syncwarp();
  out[threadIdx.x] = items[31 - threadIdx.x];
  if (fault == 1) out[threadIdx.x] = items[32 + threadIdx.x];  // of the second group
  em::wait_async_copies();
  if (fault != 2) __syncwarp();
  out[threadIdx.x] = items[32 + 31 - threadIdx.x];
}

TEST(races, groups_of_copies_are_ordered_by_their_own_wait) {
  device_array<int> in(32, 1), out(32);
  expect_races(2, "by an asynchronous copy", copy_two_groups, shape(1, 32, 512), static_cast<const int*>(in.get()),
               out.get());
}

// ---- mbarriers and bulk copies ---------------------------------------------------------------------------------------

struct stages {
  alignas(16) int items[32];
  mbarrier filled, emptied;
};
// Thread 32 fills one place three times, and the first warp reads it.
__global__ void read_stages(const int* in, int* out, int fault) {
  auto& shared = dynamic_shared<stages>();
  if (threadIdx.x == 0) shared.filled.init(1), shared.emptied.init(32);
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round)
    if (threadIdx.x == 32) {
      if (round > 0 && fault != 1) shared.emptied.wait_parity((round - 1) % 2);
      shared.filled.arrive_expect_tx(128);
      em::bulk_copy_to_shared(shared.items, in, 128, &shared.filled);
      if (fault == 1) shared.filled.wait_parity(round % 2);
    } else if (threadIdx.x < 32) {
      if (fault != 2 || round > 0) shared.filled.wait_parity(round % 2);
      out[threadIdx.x] = shared.items[31 - threadIdx.x];
      if (fault != 3) em::fence_proxy_async();
      shared.emptied.arrive();
    }
}
__global__ void hand_over_by_mbarrier(const int* in, int* out, int fault) {
  auto& shared = dynamic_shared<stages>();
  if (threadIdx.x == 0) shared.filled.init(32);
  __syncthreads();
  if (threadIdx.x < 32) {
    if (fault == 0) shared.items[threadIdx.x] = in[threadIdx.x];
    shared.filled.arrive();
    if (fault != 0) shared.items[threadIdx.x] = in[threadIdx.x];
  } else {
    while (!shared.filled.try_wait_parity(0)) {}
    out[threadIdx.x - 32] = shared.items[63 - threadIdx.x];
  }
}
// The copy reads what the thread has just written.
__global__ void copy_own_writes(int* in, int* out, int fault) {
  auto& shared = dynamic_shared<stages>();
  shared.filled.init(1);
  in[0] = 7;
  if (fault == 0) em::fence_proxy_async();
  shared.filled.arrive_expect_tx(128);
  em::bulk_copy_to_shared(shared.items, in, 128, &shared.filled);
  shared.filled.wait_parity(0);
  in[1] = 7;
  *out = shared.items[0];
}

TEST(races, mbarriers_order_what_their_phases_do) {
  device_array<int> in(32, 1), out(32);
  const auto* const source = static_cast<const int*>(in.get());
  expect_races(2, "bulk copy", read_stages, shape(1, 64, sizeof(stages)), source, out.get());
  EXPECT_EQ(em::launch(read_stages, shape(1, 64, sizeof(stages)), source, out.get(), 3), cudaSuccess);
  {
    em::scoped_settings settings;
    settings->reads_need_proxy_fences = true;
    expect_races(3, "bulk copy", read_stages, shape(1, 64, sizeof(stages)), source, out.get());
  }
  expect_races(1, "hand_over_by_mbarrier", hand_over_by_mbarrier, shape(1, 64, sizeof(stages)), source, out.get());
  expect_races(1, "read by a bulk copy", copy_own_writes, shape(1, 1, sizeof(stages)), in.get(), out.get());
}

// ---- clusters --------------------------------------------------------------------------------------------------------

__global__ void read_neighbour(int* out, int fault) {
  int* const items = static_cast<int*>(em::dynamic_shared());
  items[threadIdx.x] = static_cast<int>(threadIdx.x);
  em::cluster_arrive(fault == 0);
  em::cluster_wait();
  const int* const other = static_cast<const int*>(em::map_shared_rank(items, em::cluster_rank() ^ 1));
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
  em::cluster_arrive();
  em::cluster_wait();
}

TEST(races, a_relaxed_arrival_at_a_cluster_releases_nothing) {
  device_array<int> out(64);
  cudaLaunchConfig_t config = shape(2, 32, 128);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = 1;
  expect_races(1, "dynamic shared memory", read_neighbour, config, out.get());
}

}  // namespace
