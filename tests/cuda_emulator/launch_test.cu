// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches: shapes, arguments, attributes, and launches that the device refuses before anything runs.
#include <cstdint>
#include <memory>
#include <string>

#include "emulated.hpp"

namespace {

using namespace emulated;

struct identity {
  uint3 thread, block;
  dim3 block_shape, grid_shape;
};

__global__ void __launch_bounds__(1024)
tell_identity(identity* out) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  __syncthreads();
  out[block * threads + thread] = {threadIdx, blockIdx, blockDim, gridDim};
}

TEST(launch, kernels_have_the_names_of_their_symbols) {
  const char* name = nullptr;
  ASSERT_EQ(cudaFuncGetName(&name, reinterpret_cast<const void*>(&tell_identity)), cudaSuccess);
  EXPECT_NE(std::string(name).find("tell_identity"), std::string::npos) << name;
  EXPECT_EQ(cudaFuncGetName(&name, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaFuncGetName(nullptr, reinterpret_cast<const void*>(&tell_identity)), cudaErrorInvalidValue);
  (void)cudaGetLastError();
}

TEST(launch, threads_know_who_they_are) {
  const dim3 grid(3, 2, 2), block(5, 3, 4);
  device_array<identity> out(12 * 60);
  for_each_seed(3, [&] {
    ASSERT_EQ(em::launch(tell_identity, shape(grid, block), out.get()), cudaSuccess);
    unsigned i = 0;
    for (unsigned bz = 0; bz < 2; ++bz)
      for (unsigned by = 0; by < 2; ++by)
        for (unsigned bx = 0; bx < 3; ++bx)
          for (unsigned tz = 0; tz < 4; ++tz)
            for (unsigned ty = 0; ty < 3; ++ty)
              for (unsigned tx = 0; tx < 5; ++tx, ++i) {
                const identity& got = out[i];
                ASSERT_TRUE(got.thread.x == tx && got.thread.y == ty && got.thread.z == tz);
                ASSERT_TRUE(got.block.x == bx && got.block.y == by && got.block.z == bz);
                ASSERT_TRUE(got.block_shape.z == 4 && got.grid_shape.z == 2);
              }
  });
}

struct large {
  int values[50];
};

__global__ void take_arguments(double* out, const float scale, large table, std::uint8_t narrow) {
  *out = static_cast<double>(scale) * table.values[49] + narrow;
}

TEST(launch, arguments_are_converted_to_the_parameters) {
  device_array<double> out(1);
  large table{};
  table.values[49] = 3;
  cudaLaunchConfig_t config = shape(1, 1);
  ASSERT_EQ(cudaLaunchKernelEx(&config, take_arguments, out.get(), 2, table, 7), cudaSuccess);
  EXPECT_EQ(out[0], 13.0);
}

template <class T> __global__ void store(T* out, T value) { *out = value; }

TEST(launch, templates_through_cuda_launch_kernel_ex) {
  device_array<long long> out(1);
  cudaLaunchConfig_t config = shape(1, 1);
  ASSERT_EQ(cudaLaunchKernelEx(&config, store<long long>, out.get(), 5), cudaSuccess);
  EXPECT_EQ(out[0], 5);
}

__global__ void count(int* ran) { atomicAdd(ran, 1); }

// The emulator knows kernels from other functions on x86-64, in programs that ask for it.
#if defined(CUDA_EMULATOR_MARKS_KERNELS)
void host_function(int* ran) { atomicAdd(ran, 1); }
template <class T> void host_template(T* ran) { atomicAdd(ran, T{1}); }

// Identical bodies must not become one function.
__global__ void same_as_host_function(int* ran) { atomicAdd(ran, 1); }
struct holder {
  static __global__ void member(int* ran) { atomicAdd(ran, 1); }
};
template <class T> __global__ void __launch_bounds__(64)
bounded(T* ran) { atomicAdd(ran, T{1}); }
template __global__ void bounded<unsigned>(unsigned*);

TEST(launch, functions_without_global_are_refused) {
  device_array<int> ran(1);
  expect_fault(em::fault::usage, {"host_function", "not declared __global__"}, host_function, shape(1, 1), ran.get());
  expect_fault(em::fault::usage, {"host_template<int>", "not declared __global__"}, host_template<int>, shape(1, 1),
               ran.get());
  EXPECT_EQ(ran[0], 0);
  EXPECT_EQ(em::launch(same_as_host_function, shape(1, 1), ran.get()), cudaSuccess);
  EXPECT_EQ(em::launch(holder::member, shape(1, 1), ran.get()), cudaSuccess);
  EXPECT_EQ(em::launch(bounded<int>, shape(1, 1), ran.get()), cudaSuccess);
  EXPECT_EQ(ran[0], 3);
  device_array<unsigned> others(1);
  EXPECT_EQ(em::launch(bounded<unsigned>, shape(1, 1), others.get()), cudaSuccess);
  EXPECT_EQ(others[0], 1u);
}
#endif

TEST(launch, shapes_out_of_range_are_refused) {
  device_array<int> ran(1);
  const auto verdict = [&](dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
    const cudaError_t code = em::launch(count, shape(grid, block, shared_bytes), ran.get());
    EXPECT_EQ(cudaGetLastError(), code);
    return code;
  };
  EXPECT_EQ(verdict(0, 32), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(dim3(1, 0, 1), 32), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(1, 1025), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(1, dim3(32, 33)), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(1, dim3(1, 1, 65)), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(0x80000000u, 1), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(dim3(1, 65536), 1), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(dim3(1, 1, 65536), 1), cudaErrorInvalidValue);
  EXPECT_EQ(verdict(1, 1, 48 * 1024 + 1), cudaErrorInvalidValue);
  EXPECT_EQ(ran[0], 0);
  EXPECT_EQ(verdict(1, dim3(16, 1, 64), 48 * 1024), cudaSuccess);
  EXPECT_EQ(ran[0], 1024);
}

TEST(launch, no_kernel_no_configuration) {
  void (*none)(int*) = nullptr;
  cudaLaunchConfig_t config = shape(1, 1);
  EXPECT_EQ(cudaLaunchKernelEx(&config, none, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernelEx(static_cast<cudaLaunchConfig_t*>(nullptr), count, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

__global__ void touch_end(char* out, int shared_bytes) {
  auto* memory = static_cast<char*>(em::dynamic_shared(static_cast<std::size_t>(shared_bytes), 1));
  memory[shared_bytes - 1] = 7;
  *out = memory[shared_bytes - 1];
}

TEST(launch, more_shared_memory_by_function_attribute) {
  device_array<char> out(1);
  constexpr int bytes = 227 * 1024;
  const auto kernel = &touch_end;
  EXPECT_EQ(em::launch(touch_end, shape(1, 1, bytes), out.get(), bytes), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes + 1),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), cudaSuccess);
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, bytes);
  ASSERT_EQ(em::launch(touch_end, shape(1, 1, bytes), out.get(), bytes), cudaSuccess);
  EXPECT_EQ(out[0], 7);
  cudaGetLastError();
}

TEST(launch, attributes_that_change_nothing_are_accepted) {
  device_array<int> ran(1);
  cudaLaunchConfig_t config = shape(1, 1);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, count, ran.get()), cudaSuccess);
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, count, ran.get()), cudaErrorNotSupported);
  EXPECT_EQ(ran[0], 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST(launch, occupancy_follows_the_settings) {
  em::scoped_settings settings;
  settings->blocks_per_multiprocessor = 16;
  const auto kernel = &count;
  const auto blocks = [&](int threads, std::size_t shared_bytes) {
    int n = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared_bytes), cudaSuccess);
    return n;
  };
  EXPECT_EQ(blocks(32, 0), 16);
  EXPECT_EQ(blocks(1024, 0), 2);
  EXPECT_EQ(blocks(129, 0), 12);
  EXPECT_EQ(blocks(32, 47 * 1024), 4);
  EXPECT_EQ(blocks(1025, 0), 0);
  EXPECT_EQ(blocks(32, 49 * 1024), 0);  // needs the function attribute
}

}  // namespace
