// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules: drawn from the seed, fair to those who wait, and reported when nobody can go on.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <set>
#include <stdexcept>
#include <thread>

#include "emulated.hpp"

namespace {

using namespace emulated;

// The order in which the threads pass two points.
__global__ void log_order(unsigned* next, unsigned* order) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  order[(*next)++] = id;
  __syncwarp();
  order[(*next)++] = id;
  __syncthreads();
  order[(*next)++] = id;
}

std::vector<unsigned> order_for(std::uint64_t seed, unsigned blocks) {
  em::scoped_settings settings;
  settings->seed = seed;
  device_array<unsigned> next(1), order(3 * 64 * blocks);
  EXPECT_EQ(em::launch(log_order, shape(blocks, 64), next.get(), order.get()), cudaSuccess);
  EXPECT_EQ(next[0], 3 * 64 * blocks);
  return order.host();
}

TEST(scheduling, the_seed_decides) {
  std::set<std::vector<unsigned>> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto order = order_for(seed, 4);
    EXPECT_EQ(order, order_for(seed, 4)) << "the same seed gave another schedule";
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 10u);
}

TEST(scheduling, blocks_are_interleaved) {
  int interleaved = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto order = order_for(seed, 2);
    int switches = 0;
    for (std::size_t i = 1; i < order.size(); ++i) switches += order[i] / 64 != order[i - 1] / 64;
    interleaved += switches > 1;
  }
  EXPECT_GT(interleaved, 5);
}

__global__ void log_blocks(unsigned* next, unsigned* order) { order[(*next)++] = blockIdx.x; }

TEST(scheduling, blocks_start_in_random_order_or_ascending) {
  em::scoped_settings settings;
  device_array<unsigned> next(1), order(20);
  settings->resident_blocks = 1;
  for (const auto kind : {em::block_order::ascending, em::block_order::random}) {
    settings->order = kind;
    next[0] = 0;
    ASSERT_EQ(em::launch(log_blocks, shape(20, 1), next.get(), order.get()), cudaSuccess);
    const auto seen = order.host();
    EXPECT_EQ(std::set<unsigned>(seen.begin(), seen.end()).size(), 20u);
    EXPECT_EQ(std::is_sorted(seen.begin(), seen.end()), kind == em::block_order::ascending);
  }
}

// Each block waits for its predecessor by ticket, as a look-back scan does.
__global__ void hand_over(unsigned* ticket, unsigned* flags, unsigned* out) {
  auto& mine = *static_cast<unsigned*>(em::dynamic_shared(sizeof(unsigned), 4));
  if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
  __syncthreads();
  const unsigned place = mine;
  if (threadIdx.x == 0) {
    while (place > 0 && __ldcg(&flags[place - 1]) == 0) em::yield();
    out[place] = place == 0 ? 1 : out[place - 1] + 1;
    __threadfence();
    atomicExch(&flags[place], 1u);
  }
  __syncthreads();
}

TEST(scheduling, spinning_blocks_get_what_they_wait_for) {
  for_each_seed(10, [] {
    device_array<unsigned> ticket(1), flags(100), out(100);
    ASSERT_EQ(em::launch(hand_over, shape(100, 64, sizeof(unsigned)), ticket.get(), flags.get(), out.get()),
              cudaSuccess);
    EXPECT_EQ(out[99], 100u);
  });
}

__global__ void last_block_sums(const int* in, int* partial, unsigned* arrived, int* out, unsigned* last_count) {
  auto& is_last = *static_cast<bool*>(em::dynamic_shared(sizeof(bool), 1));
  const int sum = __reduce_add_sync(0xFFFFFFFFu, in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
  *out = total;
  ++*last_count;
}

TEST(scheduling, one_block_is_the_last) {
  device_array<int> in(320, 2), partial(10), out(1);
  for_each_seed(20, [&] {
    device_array<unsigned> arrived(1), last_count(1);
    out[0] = 0;
    ASSERT_EQ(em::launch(last_block_sums, shape(10, 32, 1), in.get(), partial.get(), arrived.get(), out.get(),
                         last_count.get()),
              cudaSuccess);
    EXPECT_EQ(out[0], 640);
    EXPECT_EQ(last_count[0], 1u);
  });
}

// A barrier of the whole grid: works if all blocks fit on the device at once, and only then.
__global__ void grid_barrier(unsigned* arrived) {
  atomicAdd(arrived, 1u);
  while (__ldcg(arrived) < gridDim.x) em::yield();
}

TEST(scheduling, as_many_blocks_as_the_device_holds_can_wait_for_one_another) {
  em::scoped_settings settings;
  settings->spin_limit = 1 << 16;
  settings->multiprocessors = 5;
  settings->blocks_per_multiprocessor = 2;
  device_array<unsigned> arrived(1);
  EXPECT_EQ(em::launch(grid_barrier, shape(10, 1), arrived.get()), cudaSuccess);
}

TEST(scheduling, more_blocks_than_the_device_holds_cannot) {
  em::scoped_settings settings;
  settings->spin_limit = 1 << 16;
  device_array<unsigned> arrived(1);
  expect_fault(em::fault::deadlock, {"only spins", "grid_barrier", "no further block fits"}, grid_barrier, shape(9, 1),
               arrived.get());
}

__global__ void waits_for_nothing(const int* flag) {
  while (*static_cast<const volatile int*>(flag) == 0) __nanosleep(20);
}

TEST(scheduling, waiting_for_a_write_that_never_comes_is_a_deadlock) {
  device_array<int> flag(1);
  expect_fault(em::fault::deadlock, {"only spins", "waits_for_nothing"}, waits_for_nothing, shape(1, 33), flag.get());
}

__global__ void spins_with_votes(const int* flag) {
  while (!__any_sync(0xFFFFFFFFu, *static_cast<const volatile int*>(flag))) em::yield();
}

TEST(scheduling, votes_while_spinning_do_not_hide_a_deadlock) {
  em::scoped_settings settings;
  settings->spin_limit = 1 << 16;
  device_array<int> flag(1);
  expect_fault(em::fault::deadlock, {"only spins"}, spins_with_votes, shape(2, 64), flag.get());
}

struct user_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct counted {
  explicit counted(int* live) : live(live) { ++*live; }
  ~counted() {
    if (std::uncaught_exceptions() > 0) __syncwarp();  // nobody is there to meet: it must not hang
    --*live;
  }
  int* live;
};

__global__ void throws_in_one_thread(int* live) {
  const counted here(live);
  __syncthreads();
  if (threadIdx.x == 40 && blockIdx.x == 1) throw user_error("from a functor");
  __syncthreads();
}

TEST(scheduling, an_exception_unwinds_every_thread) {
  for_each_seed(10, [] {
    device_array<int> live(1);
    EXPECT_THROW((void)em::launch(throws_in_one_thread, shape(5, 64), live.get()), user_error);
    EXPECT_EQ(live[0], 0);
  });
  EXPECT_EQ(order_for(1, 4), order_for(1, 4));  // and the emulator goes on
}

__global__ void swallows() {
  try {
    __syncwarp(0);
  } catch (const em::error&) {}
}

TEST(scheduling, a_fault_cannot_be_swallowed_by_the_kernel) {
  expect_fault(em::fault::lane_not_in_mask, {"__syncwarp"}, swallows, shape(1, 32));
}

__global__ void launches() { (void)em::launch(swallows, shape(1, 1)); }

TEST(scheduling, kernels_do_not_launch_kernels) {
  expect_fault(em::fault::usage, {"inside a kernel"}, launches, shape(1, 1));
}

__global__ void does_nothing(int* ran) { atomicAdd(ran, 1); }

TEST(scheduling, many_blocks_and_many_threads) {
  device_array<int> ran(1);
  ASSERT_EQ(em::launch(does_nothing, shape(dim3(50, 4, 2), 1024), ran.get()), cudaSuccess);
  EXPECT_EQ(ran[0], 50 * 4 * 2 * 1024);
}

TEST(scheduling, settings_are_restored) {
  const auto before = em::settings().seed;
  {
    em::scoped_settings settings;
    settings->seed = before + 1;
    EXPECT_EQ(em::settings().seed, before + 1);
  }
  EXPECT_EQ(em::settings().seed, before);
}

TEST(scheduling, the_environment_can_give_the_seed) {
  ASSERT_EQ(setenv("CUDA_EMULATOR_SEED", "0x1234", 1), 0);
  std::uint64_t seed = 0;
  std::thread([&] { seed = em::settings().seed; }).join();  // read once per host thread
  EXPECT_EQ(seed, 0x1234u);
  unsetenv("CUDA_EMULATOR_SEED");
}

}  // namespace
