// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several devices: memory, streams and events belong to one; kernels use another's memory with peer access only.
#include <thread>

#include "emulated.hpp"

namespace {

using namespace emulated;

struct three_devices {
  em::scoped_settings settings;
  three_devices() { settings->devices = 3; }
  ~three_devices() { cudaSetDevice(0); }
};

struct source_and_target {
  const int* from;
  int* to;
};
__global__ void add_one(source_and_target of) { *of.to = *of.from + 1; }

int* allocated_on(int device, int value) {
  int* memory = nullptr;
  EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, sizeof(int)), cudaSuccess);
  *memory = value;
  return memory;
}

TEST(runtime_devices, each_thread_has_a_current_one) {
  const three_devices devices;
  int count = 0, device = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 2);
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  std::thread([] {
    int other = -1;
    EXPECT_EQ(cudaGetDevice(&other), cudaSuccess);
    EXPECT_EQ(other, 0);
  }).join();
  int warps = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&warps, cudaDevAttrWarpSize, 2), cudaSuccess);
  EXPECT_EQ(warps, 32);
}

TEST(runtime_devices, memory_belongs_to_one) {
  const three_devices devices;
  int* const memory = allocated_on(1, 5);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, memory), cudaSuccess);
  EXPECT_EQ(attributes.device, 1);
  std::size_t free_here = 0, free_there = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_here, &total), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaMemGetInfo(&free_there, &total), cudaSuccess);
  EXPECT_EQ(free_there, free_here + sizeof(int));
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(runtime_devices, kernels_use_the_memory_of_others_with_peer_access_only) {
  const three_devices devices;
  int *const there = allocated_on(1, 5), *const here = allocated_on(0, 0);
  expect_fault(em::fault::foreign_memory, {"add_one", "on device 0", "memory of device 1", "without peer access"},
               add_one, shape(1, 1), source_and_target{there, here});
  EXPECT_EQ(*here, 0);
  int can = 0;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(em::launch(add_one, shape(1, 1), source_and_target{there, here}), cudaSuccess);
  EXPECT_EQ(*here, 6);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  expect_fault(em::fault::foreign_memory, {"device 1"}, add_one, shape(1, 1), source_and_target{here, there});
  int* managed = nullptr;
  EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&managed), sizeof(int), cudaMemAttachGlobal), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(em::launch(add_one, shape(1, 1), source_and_target{there, managed}), cudaSuccess);
  EXPECT_EQ(*managed, 6);
  for (int* each : {there, here, managed}) EXPECT_EQ(cudaFree(each), cudaSuccess);
  (void)cudaGetLastError();
}

TEST(runtime_devices, copies_go_between_any_two) {
  const three_devices devices;
  int *const first = allocated_on(1, 5), *const second = allocated_on(2, 0);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeer(second, 2, first, 1, sizeof(int)), cudaSuccess);
  EXPECT_EQ(*second, 5);
  *first = 7;
  EXPECT_EQ(cudaMemcpy(second, first, sizeof(int), cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(*second, 7);
  EXPECT_EQ(cudaMemcpyPeer(second, 4, first, 1, sizeof(int)), cudaErrorInvalidDevice);
  (void)cudaGetLastError();
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(cudaFree(second), cudaSuccess);
}

TEST(runtime_devices, streams_and_events_belong_to_one) {
  const three_devices devices;
  int* const memory = allocated_on(1, 5);
  cudaStream_t stream{};
  cudaEvent_t event{}, foreign{};
  EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaEventCreate(&foreign), cudaSuccess);
  int device = -1;
  EXPECT_EQ(cudaStreamGetDevice(stream, &device), cudaSuccess);
  EXPECT_EQ(device, 1);
  cudaLaunchConfig_t config = shape(1, 1);
  config.stream = stream;
  EXPECT_EQ(em::launch(add_one, config, source_and_target{memory, memory}), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(foreign, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 0), cudaSuccess);  // of device 0: waits across devices are allowed
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(em::launch(add_one, config, source_and_target{memory, memory}), cudaSuccess);
  EXPECT_EQ(*memory, 6);
  (void)cudaGetLastError();
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(foreign), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
