// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device, pinned and managed memory.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "emulated.hpp"

namespace {

using namespace emulated;

struct runtime_memory : testing::Test {
  ~runtime_memory() override { EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "left behind"; }
};

TEST_F(runtime_memory, fresh_memory_is_aligned_and_poisoned) {
  float* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 10 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(std::isnan(p[i]));
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&p, 10 * sizeof(float), nullptr), cudaSuccess);
  EXPECT_TRUE(std::isnan(p[9]));
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
}

TEST_F(runtime_memory, nothing_and_too_much) {
  void* p = &p;
  EXPECT_EQ(cudaMalloc(&p, 0), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(static_cast<void**>(nullptr), 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(runtime_memory, the_device_has_as_much_as_the_settings_say) {
  std::size_t free_bytes = 0, total_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  em::scoped_settings settings;
  settings->device_bytes = total_bytes - free_bytes + 1000;
  device_array<char> most(1000);
  void* p = nullptr;
  EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  EXPECT_EQ(free_bytes, 0u);
  EXPECT_EQ(cudaMalloc(&p, 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocManaged(&p, 1, cudaMemAttachGlobal), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocAsync(&p, 1, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocHost(&p, 1000), cudaSuccess) << "the host has its own";
  EXPECT_EQ(cudaFreeHost(p), cudaSuccess);
}

TEST_F(runtime_memory, freeing_what_is_not_allocated) {
  int local = 0;
  EXPECT_EQ(cudaFree(&local), cudaErrorInvalidValue);
  int* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 16), cudaSuccess);
  EXPECT_EQ(cudaFree(p + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(runtime_memory, copy_and_set) {
  std::vector<int> host(100);
  for (int i = 0; i < 100; ++i) host[static_cast<std::size_t>(i)] = i;
  device_array<int> a(100), b(100);
  EXPECT_EQ(cudaMemcpy(a.get(), host.data(), 400, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(b.get(), a.get(), 400, cudaMemcpyDeviceToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(b.host(), host);
  EXPECT_EQ(cudaMemset(b.get(), 0xFF, 200), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host.data(), b.get(), 400, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(host[49], -1);
  EXPECT_EQ(host[50], 50);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaSuccess);
}

TEST_F(runtime_memory, copies_that_would_fail_on_a_device) {
  std::vector<int> host(100);
  device_array<int> a(10);
  EXPECT_EQ(cudaMemcpy(a.get(), host.data(), 44, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), a.get() + 1, 40, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(a.get(), 0, 41), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(a.get(), nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), a.get(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(a.get(), host.data(), 4, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(a.get(), host.data(), 4, static_cast<cudaMemcpyKind>(17)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
}

TEST_F(runtime_memory, attributes_tell_what_a_pointer_is) {
  int *device = nullptr, *pinned = nullptr, *managed = nullptr, plain = 0;
  ASSERT_EQ(cudaMalloc(&device, 40), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), 40), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&managed), 40, cudaMemAttachGlobal), cudaSuccess);
  const auto type = [](const void* p) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, p), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type(device), cudaMemoryTypeDevice);
  EXPECT_EQ(type(device + 9), cudaMemoryTypeDevice);
  EXPECT_EQ(type(device + 10), cudaMemoryTypeUnregistered);
  EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(type(&plain), cudaMemoryTypeUnregistered);
  EXPECT_EQ(type(nullptr), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(type(device), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(runtime_memory, info_counts_what_is_allocated) {
  std::size_t before = 0, during = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  void* p = nullptr;
  ASSERT_EQ(cudaMalloc(&p, 1000), cudaSuccess);
  EXPECT_EQ(cudaMemGetInfo(&during, &total), cudaSuccess);
  EXPECT_EQ(before - during, 1000u);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
}

#if defined(CUDA_EMULATOR_ASAN)
__global__ void read_item(const int* in, int i, int* out) { *out = in[i]; }

TEST(runtime_memory_death_test, kernels_that_read_past_an_allocation_are_found) {
  device_array<int> in(10), out(1);
  EXPECT_EQ(em::launch(read_item, shape(1, 1), in.get(), 9, out.get()), cudaSuccess);
  EXPECT_DEATH((void)em::launch(read_item, shape(1, 1), in.get(), 10, out.get()), "heap-buffer-overflow");
  EXPECT_DEATH((void)em::launch(read_item, shape(1, 1), in.get(), -1, out.get()), "heap-buffer-overflow");
}

TEST(runtime_memory_death_test, kernels_that_read_freed_memory_are_found) {
  device_array<int> out(1);
  int* freed = nullptr;
  ASSERT_EQ(cudaMalloc(&freed, 4), cudaSuccess);
  ASSERT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_DEATH((void)em::launch(read_item, shape(1, 1), freed, 0, out.get()), "heap-use-after-free");
}
#endif

}  // namespace
