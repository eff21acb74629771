// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races with relaxed accesses, atomics, volatile and constants.
#include "emulated.hpp"

namespace {

using namespace emulated;

struct alignas(16) message {
  int words[4];
};
// A value and its flag in 16 bytes, which one access writes and one reads, need no order.
__global__ void send_message(message* place, int* out, int fault) {
  if (blockIdx.x == 0) {
    if (fault == 0) em::store_whole(place, message{{1, 2, 3, 4}});
    else *place = message{{1, 2, 3, 4}};
  } else {
    message received = em::load_whole(place);
    for (; received.words[0] == 0; received = em::load_whole(place)) __nanosleep(20);
    out[0] = received.words[3];
  }
}
// Strong accesses that overlap in part are no better than plain ones.
__global__ void mix_sizes(unsigned long long* place, unsigned* out, int fault) {
  if (blockIdx.x == 0) atomicExch(place, 1ull);
  else *out = fault == 0 ? static_cast<unsigned>(em::load(place)) : em::load(reinterpret_cast<unsigned*>(place));
}
__global__ void clear_counter(unsigned* counter, int fault) {
  if (threadIdx.x == 0 && fault != 0) *counter = 0;
  else atomicAdd(counter, 1);
}
__global__ void read_volatile(volatile int* flag, int* out, int fault) {
  if (threadIdx.x == 0) {
    if (fault == 0) *flag = 1;
    else const_cast<int&>(*flag) = 1;
  } else {
    *(out + threadIdx.x) = *flag;
  }
}
// ld.global.nc takes for granted that nobody writes: a barrier does not help.
__global__ void read_constant(int* items, int fault) {
  items[threadIdx.x] = 1;
  __syncthreads();
  const int other = fault == 0 ? items[threadIdx.x ^ 1] : __ldg(items + (threadIdx.x ^ 1));
  __syncthreads();
  items[threadIdx.x] = other;
}
// The scratch of one kernel is read plainly, and cleared by the next one.
__global__ void read_scratch(int* scratch, int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = scratch[threadIdx.x % 2];
  atomicAdd(out + 127, 1);
}
__global__ void clear_scratch(int* scratch) { scratch[threadIdx.x] = 0; }

template <class Kernel, class... A>
void expect_mix(const std::vector<std::string>& texts, Kernel kernel, const cudaLaunchConfig_t& config, A... args) {
  for_each_seed(5, [&] {
    expect_fault(em::fault::race, texts, kernel, config, args..., 1);
    EXPECT_EQ(em::launch(kernel, config, args..., 0), cudaSuccess);
  });
}

TEST(races, strong_accesses_must_agree) {
  device_array<message> place(1);
  device_array<unsigned long long> word(1);
  device_array<unsigned> counter(1);
  device_array<int> out(128), flag(1);
  for_each_seed(5, [&] {
    place[0] = {};
    expect_fault(em::fault::race, {"16 bytes", "send_message"}, send_message, shape(2, 1), place.get(), out.get(), 1);
    place[0] = {};
    EXPECT_EQ(em::launch(send_message, shape(2, 1), place.get(), out.get(), 0), cudaSuccess);
    EXPECT_EQ(out[0], 4);
  });
  expect_mix({"which is not one strong access with", "mix_sizes"}, mix_sizes, shape(2, 1), word.get(), counter.get());
  expect_mix({"atomic", "clear_counter"}, clear_counter, shape(1, 64), counter.get());
  expect_mix({"strong read", "read_volatile"}, read_volatile, shape(1, 64), static_cast<volatile int*>(flag.get()),
             out.get());
}

// A word that one block sets and another one clears: without order, either may be the last.
__global__ void set_and_clear(unsigned* word, unsigned* flag, int fault) {
  const auto order = fault == 0 ? std::memory_order_release : std::memory_order_relaxed;
  if (blockIdx.x == 0) {
    em::store(word, 0);
    em::store(flag, 1, order);
  } else {
    while (em::load(flag, std::memory_order_acquire) == 0) __nanosleep(20);
    em::store(word, 1);
  }
}

TEST(races, strong_writes_may_need_order) {
  em::scoped_settings settings;
  device_array<unsigned> word(1), flag(1);
  EXPECT_EQ(em::launch(set_and_clear, shape(2, 1), word.get(), flag.get(), 1), cudaSuccess);
  settings->strong_writes_need_order = true;
  for_each_seed(5, [&] {
    flag[0] = 0;
    expect_fault(em::fault::race, {"strong write", "which may come before or after", "set_and_clear"}, set_and_clear,
                 shape(2, 1), word.get(), flag.get(), 1);
    flag[0] = 0;
    EXPECT_EQ(em::launch(set_and_clear, shape(2, 1), word.get(), flag.get(), 0), cudaSuccess);
  });
}

// Blocks add to a sum after block 0 has, which takes it when they have arrived: all of it, if arrivals are ordered.
__global__ void add_and_take(unsigned* sum, unsigned* arrived, int fault) {
  const bool takes = blockIdx.x == 0;
  while (!takes && em::load(sum) == 0) __nanosleep(20);
  atomicAdd(sum, 1u);
  if (fault == 0) __threadfence();
  if (!takes) atomicAdd(arrived, 1u);
  while (takes && em::load(arrived) + 1 != gridDim.x) __nanosleep(20);
  if (fault == 0) __threadfence();
  if (takes) atomicExch(sum, 0u);
}

TEST(races, exchanges_may_need_order_with_atomics_that_add) {
  em::scoped_settings settings;
  device_array<unsigned> sum(1), arrived(1);
  const auto clear = [&] { sum[0] = arrived[0] = 0; };
  clear();
  EXPECT_EQ(em::launch(add_and_take, shape(3, 1), sum.get(), arrived.get(), 1), cudaSuccess);
  settings->strong_writes_need_order = true;
  for_each_seed(5, [&] {
    clear();
    expect_fault(em::fault::race, {"atomic", "which may come before or after", "add_and_take"}, add_and_take,
                 shape(3, 1), sum.get(), arrived.get(), 1);
    clear();
    EXPECT_EQ(em::launch(add_and_take, shape(3, 1), sum.get(), arrived.get(), 0), cudaSuccess);
  });
}

TEST(races, constants_are_not_written_in_the_same_kernel) {
  device_array<int> items(64), out(128);
  expect_mix({"ld.global.nc", "read_constant"}, read_constant, shape(1, 64), items.get());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(em::launch(read_scratch, shape(3, 32), items.get(), out.get()), cudaSuccess);
    EXPECT_EQ(em::launch(clear_scratch, shape(1, 2), items.get()), cudaSuccess);
  }
}

}  // namespace
