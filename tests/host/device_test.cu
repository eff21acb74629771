// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes are asked of CUDA once, and kept for each device and kernel.
#include <warpfold/host/device.cuh>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>
#include <warpfold/arch/shared_memory.cuh>

#include "common/device.cuh"

namespace {

namespace host_side = warpfold::host_side;

TEST(per_device, computes_once_a_device) {
  host_side::per_device<int> cache;
  int computed = 0;
  for (int round = 0; round < 3; ++round)
    for (const int device : {0, 1, host_side::max_devices - 1})
      EXPECT_EQ(cache.get(device, [&] { return ++computed, 100 + device; }), 100 + device);
  EXPECT_EQ(computed, 3);
}

TEST(per_device, works_without_remembering_for_devices_beyond_its_table) {
  host_side::per_device<int> cache;
  int computed = 0;
  for (const int device : {-1, host_side::max_devices, host_side::max_devices})
    EXPECT_EQ(cache.get(device, [&] { return ++computed, device; }), device);
  EXPECT_EQ(computed, 3);
}

TEST(per_device, keeps_nothing_when_the_computation_throws) {
  host_side::per_device<int> cache;
  EXPECT_THROW(cache.get(0, []() -> int { throw std::runtime_error("not now"); }), std::runtime_error);
  EXPECT_EQ(cache.get(0, [] { return 5; }), 5);
}

TEST(per_device, can_be_used_by_many_threads) {
  host_side::per_device<host_side::device_limits> cache;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int device = 0; device < host_side::max_devices; ++device) {
        const auto limits = cache.get(device, [=] { return host_side::device_limits{device + 1, 10 * device}; });
        wrong += limits.multiprocessors != device + 1 || limits.compute_capability != 10 * device;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(device_limits, are_those_of_the_device) {
  const int device = host_side::current_device();
  cudaDeviceProp properties{};
  warpfold::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  const auto limits = host_side::limits_of(device);
  EXPECT_EQ(limits.multiprocessors, properties.multiProcessorCount);
  EXPECT_EQ(limits.compute_capability, 10 * properties.major + properties.minor);
}

TEST(device_attribute, throws_for_a_device_that_is_not_there) {
  EXPECT_THROW(host_side::device_attribute(cudaDevAttrMultiProcessorCount, 1000), warpfold::cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

template <int Id> __global__ void shared_kernel(int* out) {
  auto& shared = warpfold::arch::dynamic_shared<int>();
  shared = Id;
  *out = shared;
}

TEST(occupancy, is_asked_of_the_kernel) {
  constexpr auto* kernel = &shared_kernel<0>;
  int expected = 0;
  warpfold::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&expected, kernel, 256, 1024), "occupancy");
  const int device = host_side::current_device();
  EXPECT_EQ(host_side::blocks_per_multiprocessor<kernel>(device, 256, 1024), expected);
  EXPECT_EQ(host_side::blocks_per_multiprocessor<kernel>(device, 1024, 40000), expected) << "one answer a kernel, kept";
}

TEST(occupancy, that_is_none_is_an_error) {
  constexpr auto* kernel = &shared_kernel<1>;
  EXPECT_THROW(host_side::blocks_per_multiprocessor<kernel>(host_side::current_device(), 256, std::size_t{1} << 30),
               warpfold::cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

__global__ void cluster_kernel(int* out) { atomicAdd(out, 1); }

TEST(cluster_blocks, of_what_is_promised_a_launch_succeeds) {
  const int device = host_side::current_device();
  const int blocks = host_side::cluster_blocks<&cluster_kernel>(device, 512, 0);
  if (host_side::limits_of(device).compute_capability < 90) EXPECT_EQ(blocks, 1);
  else EXPECT_TRUE(blocks == 16 || blocks == 8) << blocks;

  const wf_test::device_array<int> out(std::vector<int>{0});
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(512);
  config.attrs = &attribute;
  config.numAttrs = 1;
  warpfold::launch(&cluster_kernel, config, out.data());
  warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  EXPECT_EQ(out.value(), 512 * blocks);
}

}  // namespace
