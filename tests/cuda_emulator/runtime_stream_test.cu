// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events.
#include <set>
#include <thread>

#include "streams.hpp"

namespace {

using namespace emulated;

using runtime_stream = two_streams;

TEST_F(runtime_stream, work_is_done_in_order) {
  launch_log l;
  l.add(1, stream);
  l.add(2, nullptr);
  l.add(3, cudaStreamPerThread);
  l.add(4, cudaStreamLegacy);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(l.values(), (std::vector<int>{1, 2, 3, 4}));
}

TEST_F(runtime_stream, host_functions_run_in_the_stream) {
  int calls = 0;
  EXPECT_EQ(cudaLaunchHostFunc(
                stream, [](void* p) { ++*static_cast<int*>(p); }, &calls),
            cudaSuccess);
  EXPECT_EQ(calls, 1);
}

TEST_F(runtime_stream, identifiers_are_never_reused) {
  std::set<unsigned long long> seen;
  const auto id = [](cudaStream_t s) {
    unsigned long long value = 0;
    EXPECT_EQ(cudaStreamGetId(s, &value), cudaSuccess);
    return value;
  };
  for (const cudaStream_t s : {cudaStream_t{}, cudaStreamPerThread, stream, other})
    EXPECT_TRUE(seen.insert(id(s)).second);
  for (int i = 0; i < 20; ++i) {
    cudaStream_t fresh{};
    ASSERT_EQ(cudaStreamCreate(&fresh), cudaSuccess);
    EXPECT_TRUE(seen.insert(id(fresh)).second);
    EXPECT_EQ(cudaStreamDestroy(fresh), cudaSuccess);
  }
  unsigned long long elsewhere = 0;
  std::thread([&] { elsewhere = id(cudaStreamPerThread); }).join();
  EXPECT_TRUE(seen.insert(elsewhere).second);
  EXPECT_EQ(id(nullptr), id(cudaStreamLegacy));
}

TEST_F(runtime_stream, flags_priority_device) {
  cudaStream_t urgent{};
  int least = 1, greatest = 1, priority = 0, device = -1;
  unsigned flags = 0;
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(urgent, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamGetFlags(urgent, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  EXPECT_EQ(cudaStreamGetDevice(urgent, &device), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaStreamDestroy(urgent), cudaSuccess);
}

TEST_F(runtime_stream, handles_that_are_none) {
  cudaStream_t gone{};
  ASSERT_EQ(cudaStreamCreate(&gone), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemsetAsync(&gone, 0, 1, gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(reinterpret_cast<cudaEvent_t>(&gone), stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamCreateWithFlags(&gone, 99), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(runtime_stream, events_tell_time) {
  cudaEvent_t first{}, last{};
  ASSERT_EQ(cudaEventCreate(&first), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&last), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first, last), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(first, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(last, stream), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(last), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(last), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, last, 0), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first, last), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first, event), cudaErrorInvalidResourceHandle);  // made without timing
  EXPECT_EQ(cudaEventDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(last), cudaSuccess);
}

}  // namespace
