// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where races are looked for, each planted fault is found, with both accesses, and its right twin stays silent.
#include "emulated.hpp"

namespace {

using namespace emulated;

/// `kernel(arguments..., fault)` races if `fault` is 1, under any schedule, and does not if it is 0.
template <class Kernel, class... A>
void expect_race(const std::vector<std::string>& texts, Kernel kernel, const cudaLaunchConfig_t& config, A... args) {
  for_each_seed(5, [&] {
    std::vector<std::string> all = texts;
    all.push_back("not ordered after an earlier");
    all.push_back("races.cu");
    expect_fault(em::fault::race, all, kernel, config, args..., 1);
    EXPECT_EQ(em::launch(kernel, config, args..., 0), cudaSuccess);
  });
}

// ---- within a block --------------------------------------------------------------------------------------------------

__global__ void reverse_block(int* out, int fault) {
  __shared__ int items[64];
  items[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (fault == 0) __syncthreads();
  out[threadIdx.x] = items[63 - threadIdx.x];
}
__global__ void reverse_dynamic(int* out, int fault) {
  int* const items = static_cast<int*>(em::dynamic_shared());
  items[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (fault == 0) __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = items[63 - threadIdx.x];
}
__global__ void reverse_warp(int* out, int fault) {
  __shared__ int items[32];
  items[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (fault == 0) __syncwarp();
  else __shfl_sync(~0u, 0, 0);  // the lanes meet, but nothing orders memory
  out[threadIdx.x] = items[31 - threadIdx.x];
}
__global__ void reverse_quads(int* out, int fault) {
  __shared__ int items[32];
  items[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp(0xFu << (threadIdx.x & 28u));
  out[threadIdx.x] = items[threadIdx.x ^ (fault == 0 ? 3 : 4)];
}
__global__ void overwrite_too_early(int* out, int fault) {
  __shared__ int item;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) item = i;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = item;
    if (fault == 0) __syncthreads();
  }
}
__global__ void hand_over_by_named_barrier(int* out, int fault) {
  __shared__ int items[32];
  if (threadIdx.x < 32) {
    items[threadIdx.x] = 1;
    em::named_barrier_arrive(1, 64);
  } else {
    if (fault == 0) em::named_barrier_sync(1, 64);
    out[threadIdx.x] = items[threadIdx.x - 32];
    if (fault != 0) em::named_barrier_sync(1, 64);
  }
}
__device__ int variable_of_program;
__global__ void count_in_variable(int* out, int fault) {
  if (fault != 0) ++variable_of_program;
  else atomicAdd(&variable_of_program, 1);
  __syncthreads();
  *(out + threadIdx.x) = variable_of_program;
}
__global__ void write_bytes(int* out, int fault) {
  auto* const bytes = reinterpret_cast<unsigned char*>(out);
  bytes[threadIdx.x / (fault == 0 ? 1 : 2)] = static_cast<unsigned char>(threadIdx.x);
}
__global__ void copy_block(int* out, int fault) {
  __shared__ int items[64];
  if (threadIdx.x == 0) std::memcpy(items, out, sizeof items);
  if (fault == 0) __syncthreads();
  out[64 + threadIdx.x] = items[threadIdx.x];
}

TEST(races, missing_barriers_of_a_block_are_found) {
  device_array<int> out(128);
  expect_race({"of 4 bytes of a __shared__ variable", "of 4 bytes by block (0, 0, 0), thread ("}, reverse_block,
              shape(1, 64), out.get());
  expect_race({"dynamic shared memory, at byte "}, reverse_dynamic, shape(2, 64, 256), out.get());
  expect_race({"reverse_warp"}, reverse_warp, shape(1, 32), out.get());
  expect_race({"reverse_quads"}, reverse_quads, shape(1, 32), out.get());
  expect_race({"overwrite_too_early"}, overwrite_too_early, shape(2, 64), out.get());
  expect_race({"hand_over_by_named_barrier"}, hand_over_by_named_barrier, shape(1, 64), out.get());
  expect_race({"count_in_variable"}, count_in_variable, shape(1, 64), out.get());
  expect_race({"an allocation of 512 bytes, at byte"}, write_bytes, shape(1, 64), out.get());
  expect_race({"copy_block"}, copy_block, shape(1, 64), out.get());
}

// ---- between blocks --------------------------------------------------------------------------------------------------

__global__ void write_overlapping(int* out, int fault) {
  if (threadIdx.x < (fault == 0 ? 32 : 33)) out[blockIdx.x * 32 + threadIdx.x] = 1;
}

// Block 0 publishes a value, and block 1 waits for it.
__global__ void publish_value(int* value, unsigned* flag, int fault) {
  if (blockIdx.x == 0) {
    *value = 7;
    if (fault == 0) __threadfence();
    em::store(flag, 1);
  } else {
    while (em::load(flag) == 0) __nanosleep(20);
    __threadfence();
    *value = *value + 1;
    em::store(flag, 0);
  }
}
__global__ void receive_value(int* value, unsigned* flag, int fault) {
  if (blockIdx.x == 0) {
    *value = 7;
    em::store(flag, 1, std::memory_order_release);
  } else {
    while (em::load(flag, fault == 0 ? std::memory_order_acquire : std::memory_order_relaxed) == 0) __nanosleep(20);
    *value = *value + 1;
    *flag = 0;
  }
}
__global__ void fence_of_block(int* value, unsigned* flag, int fault) {
  if (blockIdx.x == 0) {
    *value = 7;
    if (fault == 0) __threadfence();
    else __threadfence_block();
    em::store(flag, 1);
  } else {
    while (em::load(flag, std::memory_order_acquire) == 0) __nanosleep(20);
    *value = *value + 1;
    em::store(flag, 0);
  }
}
__global__ void take_ticket(int* values, unsigned* ticket, int fault) {
  values[blockIdx.x] = 1;
  const auto order = fault == 0 ? std::memory_order_acq_rel : std::memory_order_relaxed;
  if (em::atomic_inc(ticket, gridDim.x - 1, order) == gridDim.x - 1)
    for (unsigned i = 0; i < gridDim.x; ++i) values[i] = values[i] + 1;
}
// A ring of one place: the flag is cleared before the value has been read.
__global__ void clear_flag(int* value, unsigned* flag, int fault) {
  for (int round = 0; round < 3; ++round)
    if (blockIdx.x == 0) {
      while (em::load(flag, std::memory_order_acquire) != 0) __nanosleep(20);
      *value = round;
      em::store(flag, 1, std::memory_order_release);
    } else {
      while (em::load(flag, std::memory_order_acquire) == 0) __nanosleep(20);
      if (fault != 0) em::store(flag, 0, std::memory_order_release);
      value[1 + round] = *value;
      if (fault == 0) em::store(flag, 0, std::memory_order_release);
    }
}
// The barrier hands on what the thread that fences has not written itself.
__global__ void fence_after_barrier(int* values, unsigned* ticket, int fault) {
  __shared__ bool is_last;
  values[blockIdx.x * 64 + threadIdx.x] = 1;
  if (fault == 0) __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
    if (is_last) *ticket = 0;
  }
  __syncthreads();
  if (is_last)
    for (unsigned b = 0; b < gridDim.x; ++b) values[b * 64 + threadIdx.x] += 1;
}

TEST(races, missing_order_between_blocks_is_found) {
  device_array<int> values(256);
  device_array<unsigned> word(1);
  const auto between = [&](auto kernel, dim3 grid, dim3 block, const std::string& name) {
    SCOPED_TRACE(name);
    for_each_seed(5, [&] {
      word[0] = 0;
      expect_fault(em::fault::race,
                   {name, "block (0, 0, 0)", "of an allocation of 1024 bytes, at byte ", "earlier: races.cu"}, kernel,
                   shape(grid, block), values.get(), word.get(), 1);
      word[0] = 0;
      EXPECT_EQ(em::launch(kernel, shape(grid, block), values.get(), word.get(), 0), cudaSuccess);
    });
  };
  expect_race({"write_overlapping"}, write_overlapping, shape(3, 64), values.get());
  between(publish_value, 2, 1, "publish_value");
  between(receive_value, 2, 1, "receive_value");
  between(fence_of_block, 2, 1, "fence_of_block");
  between(take_ticket, 2, 1, "take_ticket");
  between(clear_flag, 2, 1, "clear_flag");
  between(fence_after_barrier, 2, 64, "fence_after_barrier");
}

}  // namespace
