// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic and static shared memory: one per block, poisoned, bounded.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "emulated.hpp"

namespace {

using namespace emulated;

struct storage {
  alignas(128) float values[64];
};

__global__ void read_fresh(float* floats, double* doubles) {
  floats[threadIdx.x] = dynamic_shared<storage>().values[threadIdx.x];
  if (threadIdx.x < 32) std::memcpy(&doubles[threadIdx.x], &dynamic_shared<storage>().values[2 * threadIdx.x], 8);
}

TEST(dynamic_shared, is_poisoned_for_every_block) {
  device_array<float> floats(64);
  device_array<double> doubles(32);
  ASSERT_EQ(em::launch(read_fresh, shape(10, 64, sizeof(storage)), floats.get(), doubles.get()), cudaSuccess);
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(std::isnan(floats[i]));
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(std::isnan(doubles[i]));
}

// Interleaved blocks, each of which leaves its own number in its memory for a while.
__global__ void keep_own_number(int* wrong) {
  auto* box = static_cast<unsigned*>(em::dynamic_shared(64 * sizeof(unsigned), 128));
  for (int round = 0; round < 10; ++round) {
    box[threadIdx.x] = blockIdx.x;
    __syncthreads();
    if (box[63 - threadIdx.x] != blockIdx.x) atomicAdd(wrong, 1);
    __syncthreads();
  }
}

TEST(dynamic_shared, belongs_to_one_block) {
  device_array<int> wrong(1);
  for_each_seed(5, [&] {
    ASSERT_EQ(em::launch(keep_own_number, shape(12, 64, 64 * sizeof(unsigned)), wrong.get()), cudaSuccess);
    EXPECT_EQ(wrong[0], 0);
  });
}

__global__ void tell_address(std::uintptr_t* address) {
  *address = reinterpret_cast<std::uintptr_t>(em::dynamic_shared(1, 128));
}

TEST(dynamic_shared, is_aligned) {
  device_array<std::uintptr_t> address(1);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{77}, std::size_t{4096}}) {
    ASSERT_EQ(em::launch(tell_address, shape(1, 1, bytes), address.get()), cudaSuccess);
    EXPECT_EQ(address[0] % 128, 0u);
  }
}

__global__ void find_without_size(bool* same) { *same = em::dynamic_shared() == em::dynamic_shared(100, 128); }

TEST(dynamic_shared, is_found_without_a_size) {
  device_array<bool> same(1);
  ASSERT_EQ(em::launch(find_without_size, shape(1, 1, 100), same.get()), cudaSuccess);
  EXPECT_TRUE(same[0]);
}

TEST(dynamic_shared, less_than_the_kernel_uses) {
  device_array<float> floats(64);
  device_array<double> doubles(32);
  expect_fault(em::fault::shared_memory, {"uses 256 bytes", "asked for 255", "read_fresh"}, read_fresh,
               shape(1, 64, sizeof(storage) - 1), floats.get(), doubles.get());
}

__global__ void write_at(int offset_bytes) {
  volatile char* memory = static_cast<char*>(em::dynamic_shared(100, 1));
  memory[offset_bytes] = 1;
}

TEST(dynamic_shared, in_bounds_is_fine) {
  EXPECT_EQ(em::launch(write_at, shape(1, 1, 100), 0), cudaSuccess);
  EXPECT_EQ(em::launch(write_at, shape(1, 1, 100), 99), cudaSuccess);
}

TEST(dynamic_shared, writes_past_either_end_are_found) {
  for (const int offset_bytes : {100, 107, -1}) {
#if defined(CUDA_EMULATOR_ASAN)
    EXPECT_DEATH((void)em::launch(write_at, shape(1, 1, 100), offset_bytes), "heap-buffer-overflow");
#else
    expect_fault(em::fault::shared_memory, {"outside its 100 bytes", "write_at"}, write_at, shape(1, 1, 100),
                 offset_bytes);
#endif
  }
}

// ---- static ----------------------------------------------------------------------------------------------------

template <class T> __device__ T block_sum(T value) {
  __shared__ T partial[32];
  __shared__ T total;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) total += partial[w];
  }
  __syncthreads();
  return total;
}

template <class T> __global__ void sum_blocks(T* out) {
  __shared__ __align__(16) T reversed[64];
  reversed[63 - threadIdx.x] = static_cast<T>(threadIdx.x + 100 * blockIdx.x);
  __syncthreads();
  const T sum = block_sum(reversed[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class T> void check_sum_blocks() {
  device_array<T> out(9);
  for_each_seed(10, [&] {
    ASSERT_EQ(em::launch(sum_blocks<T>, shape(9, 64), out.get()), cudaSuccess);
    for (int b = 0; b < 9; ++b) EXPECT_EQ(out[b], static_cast<T>(63 * 32 + 6400 * b));
  });
}

TEST(static_shared, of_templates_and_device_functions_is_one_a_block) {
  check_sum_blocks<int>();
  check_sum_blocks<float>();
}

template <class T> __device__ void fill_and_sum(T* out) {
  __shared__ T box[64];
  if (threadIdx.x < 63) box[threadIdx.x] = 1;
  __syncthreads();
  T sum = 0;
  for (const T x : box) sum += x;
  out[threadIdx.x] = sum;
}

struct scope {
  static __global__ void in_class(float* out) {
    __shared__ float box[2];
    if (threadIdx.x == 0) box[0] = 2;
    __syncthreads();
    out[threadIdx.x] = box[0];
  }
};

extern "C" __global__ void emulator_test_c_kernel(float* out) {
  __shared__ float box[2];
  if (threadIdx.x == 0) box[0] = 2;
  __syncthreads();
  out[threadIdx.x] = box[0];
}

static __global__ void local_kernel(float* out) {
  __shared__ float box[2];
  if (threadIdx.x == 0) box[0] = 2;
  __syncthreads();
  out[threadIdx.x] = box[0];
}

TEST(static_shared, of_any_kind_of_function) {
  device_array<float> out(32);
  for (const auto kernel : {&scope::in_class, &emulator_test_c_kernel, &local_kernel}) {
    out[31] = 0;
    ASSERT_EQ(em::launch(kernel, shape(4, 32), out.get()), cudaSuccess);
    EXPECT_EQ(out[31], 2);
  }
}

template <class T> __global__ void forget_one(T* out) { fill_and_sum(out); }

TEST(static_shared, is_poisoned_for_every_block) {
  device_array<float> out(64);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(em::launch(forget_one<float>, shape(3, 64), out.get()), cudaSuccess);
    for (int t = 0; t < 64; ++t) EXPECT_TRUE(std::isnan(out[t]));
  }
}

}  // namespace
