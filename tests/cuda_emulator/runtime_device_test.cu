// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device that the settings describe, and the errors that the runtime remembers.
#include <string>
#include <thread>

#include "emulated.hpp"

namespace {

using namespace emulated;

TEST(runtime_device, there_is_one) {
  int count = 0, device = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST(runtime_device, attributes_and_properties_follow_the_settings) {
  em::scoped_settings settings;
  settings->multiprocessors = 17;
  settings->compute_capability_major = 10;
  settings->compute_capability_minor = 3;
  const auto ask = [](cudaDeviceAttr attribute) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, attribute, 0), cudaSuccess);
    return value;
  };
  EXPECT_EQ(ask(cudaDevAttrMultiProcessorCount), 17);
  EXPECT_EQ(ask(cudaDevAttrComputeCapabilityMajor), 10);
  EXPECT_EQ(ask(cudaDevAttrComputeCapabilityMinor), 3);
  EXPECT_EQ(ask(cudaDevAttrWarpSize), 32);
  EXPECT_EQ(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin), 227 * 1024);
  EXPECT_EQ(ask(cudaDevAttrClusterLaunch), 1);
  EXPECT_EQ(ask(cudaDevAttrPageableMemoryAccess), 0);
  settings->pageable_memory = true;
  EXPECT_EQ(ask(cudaDevAttrPageableMemoryAccess), 1);
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.multiProcessorCount, 17);
  EXPECT_EQ(properties.major, 10);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_NE(std::string(properties.name), "");
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(runtime_device, versions) {
  int runtime = 0, driver = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&runtime), cudaSuccess);
  EXPECT_EQ(cudaDriverGetVersion(&driver), cudaSuccess);
  EXPECT_EQ(runtime, CUDART_VERSION);
  EXPECT_GE(driver, runtime);
}

TEST(runtime_errors, are_remembered_by_host_thread) {
  EXPECT_EQ(cudaSetDevice(5), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST(runtime_errors, have_names_and_texts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "cudaErrorUnknown");
}

TEST(runtime_errors, are_named_where_a_kernel_fails) {
  for (int kind = 0; kind <= static_cast<int>(em::fault::usage); ++kind)
    EXPECT_NE(std::string(em::fault_name(static_cast<em::fault>(kind))), "unknown");
}

}  // namespace
