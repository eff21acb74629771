// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polls go on while they wait for a thread that still computes. Polls that nobody will answer are a deadlock.
#include "emulated.hpp"

namespace {

using namespace emulated;

constexpr std::uint64_t many_polls = 1 << 16;  // far fewer than the kernels that end make
constexpr std::uint64_t few_polls = 1 << 12;

template <class Kernel, class... A> void expect_end(Kernel kernel, dim3 grid, dim3 block, A... args) {
  for_each_seed(4, [&] {
    em::settings().spin_limit = many_polls;
    try {
      EXPECT_EQ(em::launch(kernel, shape(grid, block), args...), cudaSuccess);
    } catch (const em::error& e) {
      ADD_FAILURE() << e.what();
    }
  });
}

template <class Kernel, class... A> void expect_deadlock(Kernel kernel, dim3 grid, dim3 block, A... args) {
  for_each_seed(4, [&] {
    em::settings().spin_limit = few_polls;
    expect_fault(em::fault::deadlock, {"only spins"}, kernel, shape(grid, block), args...);
  });
}

// ---- one block polls, another one computes --------------------------------------------------------------------------

constexpr int rounds = 10'000;

// Block 0 waits for a sum that others keep in registers until it is done.
__global__ void waits_for_shuffles(unsigned* flag, unsigned* sum) {
  if (blockIdx.x == 0) {
    while (__ldcg(flag) == 0) em::yield();
    return;
  }
  unsigned value = threadIdx.x;
  for (int i = 0; i < rounds; ++i) value += __shfl_xor_sync(0xFFFFFFFFu, value, 1 << i % 5);
  *sum = value;
  atomicExch(flag, 1u);
}
TEST(polling, while_another_block_shuffles_is_no_deadlock) {
  device_array<unsigned> flag(1), sum(1);
  for_each_seed(2, [&] {
    flag[0] = 0;
    expect_end(waits_for_shuffles, 2, 32, flag.get(), sum.get());
  });
}

__global__ void waits_for_barriers(unsigned* flag) {
  if (blockIdx.x == 0) {
    while (__ldcg(flag) == 0) em::yield();
    return;
  }
  for (int i = 0; i < rounds; ++i) __syncthreads();
  atomicExch(flag, 1u);
}
TEST(polling, while_another_block_meets_is_no_deadlock) {
  device_array<unsigned> flag(1);
  expect_end(waits_for_barriers, 2, 64, flag.get());
}

// The warps of one block: the last one waits for the others, which meet at a named barrier.
__global__ void waits_for_other_warps(unsigned* flag) {
  if (threadIdx.x >= 64) {
    while (__ldcg(flag) == 0) __nanosleep(10);
    return;
  }
  for (int i = 0; i < rounds; ++i) em::named_barrier_sync(1, 64);
  atomicExch(flag, 1u);
}
TEST(polling, while_other_warps_meet_is_no_deadlock) {
  device_array<unsigned> flag(1);
  expect_end(waits_for_other_warps, 1, 96, flag.get());
}

// A persistent kernel: one thread draws work, adds and stores; nobody meets.
__global__ void waits_for_drawn_work(unsigned* next, unsigned* done, unsigned items) {
  if (blockIdx.x == 0) {
    while (__ldcg(done) < items) em::yield();
    return;
  }
  while (atomicAdd(next, 1u) < items) atomicAdd(done, 1u);
}
TEST(polling, while_another_block_draws_work_is_no_deadlock) {
  device_array<unsigned> next(1), done(1);
  expect_end(waits_for_drawn_work, 2, 1, next.get(), done.get(), 1'000'000u);
  EXPECT_EQ(done[0], 1'000'000u);
}

// One thread alone counts; every atomic is a place at which others could run.
__global__ void counts_alone(unsigned* count) {
  for (int i = 0; i < 2'000'000; ++i) atomicAdd(count, 1u);
}
TEST(polling, an_atomic_that_changes_memory_is_no_poll) {
  device_array<unsigned> count(1);
  expect_end(counts_alone, 1, 1, count.get());
  EXPECT_EQ(count[0], 4 * 2'000'000u);
}

// Reads each item once, past the first-level cache, and keeps the sum to itself.
__global__ void reads_alone(const unsigned* in, unsigned items, unsigned* sum) {
  unsigned total = 0;
  for (unsigned i = 0; i < items; ++i) total += __ldcg(in + i);
  *sum = total;
}
TEST(polling, an_uncached_load_of_new_memory_is_no_poll) {
  device_array<unsigned> in(2'000'000, 1), sum(1);
  expect_end(reads_alone, 1, 1, in.get(), 2'000'000u, sum.get());
  EXPECT_EQ(sum[0], 2'000'000u);
}

// Plain stores, which the emulator does not see: two threads answer one another.
constexpr int turns = 100'000;
__global__ void plays(volatile int* ball) {
  for (int i = 0; i < turns; ++i) {
    while (*ball % 2 != static_cast<int>(blockIdx.x)) em::yield();
    *ball = *ball + 1;
  }
}
TEST(polling, those_who_answer_one_another_by_stores_are_no_deadlock) {
  device_array<int> ball(1);
  expect_end(plays, 2, 1, ball.get());
  EXPECT_EQ(ball[0], 4 * 2 * turns);
}

__device__ volatile int ball_of_the_program;
__global__ void plays_with_the_programs_ball() { plays(&ball_of_the_program); }
TEST(polling, variables_of_the_program_are_memory_too) { expect_end(plays_with_the_programs_ball, 2, 1); }

__global__ void plays_in_shared_memory() {
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  for (int i = 0; i < 3'000; ++i) {
    while (turn % 2 != static_cast<int>(threadIdx.x / 32)) em::yield();
    __syncwarp();
    if (threadIdx.x % 32 == 0) turn = turn + 1;
    __syncwarp();
  }
}
TEST(polling, so_are_static_shared_ones) { expect_end(plays_in_shared_memory, 2, 64); }

// ---- nobody will answer ---------------------------------------------------------------------------------------------

__global__ void polls_between_barriers(unsigned* flag) {
  __shared__ unsigned seen;
  for (bool done = false; !done;) {
    if (threadIdx.x == 0) {
      seen = __ldcg(flag);
      em::yield();
    }
    __syncthreads();
    done = seen != 0;
    unsigned sum = seen;  // what others do between two polls of one thread
    for (int i = 0; i < 5; ++i) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1 << i);
    __syncthreads();
  }
}
TEST(polling, meeting_between_polls_does_not_hide_a_deadlock) {
  device_array<unsigned> flag(1);
  expect_deadlock(polls_between_barriers, 1, 64, flag.get());
}

__global__ void polls_by_atomics(unsigned* lock) {
  while (atomicCAS(lock, 0u, 1u) != 0) {}
}
TEST(polling, a_lock_that_nobody_gives_back_is_a_deadlock) {
  device_array<unsigned> lock(1);
  expect_deadlock(polls_by_atomics, 2, 1, lock.get());
}

// Each poll takes and gives back a lock: memory changes, and is as before.
__global__ void polls_under_a_lock(unsigned* lock, unsigned* flag) {
  for (bool done = false; !done;) {
    while (atomicCAS(lock, 0u, 1u) != 0) em::yield();
    done = *flag != 0;
    atomicExch(lock, 0u);
    em::yield();
  }
}
TEST(polling, polls_under_a_lock_are_a_deadlock) {
  device_array<unsigned> lock(1), flag(1);
  expect_deadlock(polls_under_a_lock, 3, 1, lock.get(), flag.get());
}

__global__ void fences_while_it_polls(volatile unsigned* flag) {
  while (*flag == 0) __threadfence();
}
TEST(polling, a_fence_between_polls_does_not_hide_a_deadlock) {
  device_array<unsigned> flag(1);
  expect_deadlock(fences_while_it_polls, 2, 1, flag.get());
}

__global__ void polls_several(unsigned* flags) {
  for (unsigned i = 0; __ldcg(flags + i % 4) == 0; ++i) {}
}
TEST(polling, several_flags_in_turn_are_a_deadlock) {
  device_array<unsigned> flags(4);
  expect_deadlock(polls_several, 2, 1, flags.get());
}

// Memory changes at every poll, for ever: reported late, but reported.
__global__ void counts_its_polls(unsigned* flag, unsigned* polls) {
  while (__ldcg(flag) == 0) {
    atomicAdd(polls, 1u);
    em::yield();
  }
}
TEST(polling, counted_polls_are_a_deadlock_in_the_end) {
  device_array<unsigned> flag(1), polls(1);
  expect_deadlock(counts_its_polls, 2, 1, flag.get(), polls.get());
  EXPECT_GT(polls[0], 16 * few_polls);
}

}  // namespace
