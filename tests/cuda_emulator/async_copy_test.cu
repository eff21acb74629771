// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that a thread starts and waits for: the bytes that they bring, and the mistakes that corrupt data on a GPU.
#include <algorithm>
#include <cmath>

#include "emulated.hpp"

namespace {

using namespace emulated;

struct room {
  alignas(128) float items[32 * 4];
};

/// Each thread copies four items and gives them back; without waiting, or while its neighbour still reads, as asked.
__global__ void give_back(const float* in, float* out, int turns, bool waits, bool meets) {
  room& shared = dynamic_shared<room>();
  const unsigned thread = threadIdx.x, other = thread ^ 1;
  for (int turn = 0; turn < turns; ++turn) {
    em::async_copy_to_shared(shared.items + 4 * thread, in + 128 * turn + 4 * thread);
    if (waits) em::wait_async_copies();
    __syncwarp();
    for (int k = 0; k < 4; ++k) {
      out[128 * turn + 4 * other + k] = shared.items[4 * other + k];
      if (k == 0 && thread % 2) __nanosleep(100);
    }
    if (meets) __syncwarp();
    if (!waits) em::wait_async_copies();
  }
}

constexpr int turns = 4;

int wrong_items(bool waits, bool meets) {
  device_array<float> in(turns * 128), out(turns * 128);
  for (int i = 0; i < turns * 128; ++i) in[i] = static_cast<float>(i);
  int wrong = 0;
  for_each_seed(10, [&] {
    std::fill(out.get(), out.get() + turns * 128, -1.0f);
    EXPECT_EQ(em::launch(give_back, shape(1, 32, sizeof(room)), in.get(), out.get(), turns, waits, meets), cudaSuccess);
    for (int i = 0; i < turns * 128; ++i) wrong += out[i] != in[i];
  });
  return wrong;
}

TEST(async_copy, brings_what_was_asked_for) { EXPECT_EQ(wrong_items(true, true), 0); }
TEST(async_copy, is_not_there_before_the_wait) { EXPECT_GT(wrong_items(false, true), 0); }
TEST(async_copy, may_be_there_before_others_have_read) { EXPECT_GT(wrong_items(true, false), 0); }

/// Each thread has two groups of copies under way, of 4 and of 8 bytes, and waits for all but the last `pending`.
__global__ void copy_in_groups(const float* in, float* out, int turns, unsigned pending) {
  room& shared = dynamic_shared<room>();
  const unsigned thread = threadIdx.x;
  const auto start = [&](int turn) {
    float* const to = shared.items + 4 * thread + 2 * (turn % 2);
    if (turn < turns && turn % 2 == 0) em::async_copy_to_shared(to, in + 64 * turn + 2 * thread, 8);
    if (turn < turns && turn % 2 == 1)
      for (int k = 0; k < 2; ++k) em::async_copy_to_shared(to + k, in + 64 * turn + 2 * thread + k, 4);
    em::close_async_copies();
  };
  start(0);
  for (int turn = 0; turn < turns; ++turn) {
    start(turn + 1);
    em::wait_async_copies(pending);
    for (int k = 0; k < 2; ++k) out[64 * turn + 2 * thread + k] = shared.items[4 * thread + 2 * (turn % 2) + k];
  }
  em::wait_async_copies();
}

TEST(async_copy, groups_are_waited_for_in_their_order) {
  device_array<float> in(turns * 64), out(turns * 64);
  for (int i = 0; i < turns * 64; ++i) in[i] = static_cast<float>(i + 1);
  int wrong = 0;
  for (const unsigned pending : {1u, 2u})
    for_each_seed(10, [&] {
      std::fill(out.get(), out.get() + turns * 64, -1.0f);
      EXPECT_EQ(em::launch(copy_in_groups, shape(1, 32, sizeof(room)), in.get(), out.get(), turns, pending),
                cudaSuccess);
      int now = 0;
      for (int i = 0; i < turns * 64; ++i) now += out[i] != in[i];
      if (pending == 1) EXPECT_EQ(now, 0);
      else wrong += now;
    });
  EXPECT_GT(wrong, 0);  // the last group but one was not there
}

__global__ void copies(const float* in, int target_offset, int source_offset, bool waits) {
  em::async_copy_to_shared(dynamic_shared<room>().items + target_offset, in + source_offset);
  if (waits) em::wait_async_copies();
}

TEST(async_copy, mistakes) {
  device_array<float> in(62);
  const auto config = shape(1, 1, sizeof(room));
  expect_fault(em::fault::async_copy, {"shared address", "16 bytes"}, copies, config, in.get(), 1, 0, true);
  expect_fault(em::fault::async_copy, {"global address", "16 bytes"}, copies, config, in.get(), 0, 1, true);
  expect_fault(em::fault::async_copy, {"past the end"}, copies, config, in.get(), 0, 60, true);
  expect_fault(em::fault::async_copy, {"does not lie in the block's dynamic shared memory"}, copies, config, in.get(),
               128, 0, true);
  expect_fault(em::fault::async_copy, {"without having waited"}, copies, config, in.get(), 0, 0, false);
}

}  // namespace
