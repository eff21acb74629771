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
  int found = 0;
  for_each_seed(10, [&] {
    try {
      EXPECT_EQ(em::launch(copies, config, in.get(), 0, 0, false), cudaSuccess);  // it may have been made at once
    } catch (const em::error& e) {
      EXPECT_EQ(e.kind(), em::fault::async_copy);
      ++found;
    }
  });
  EXPECT_GT(found, 0);
}

}  // namespace
