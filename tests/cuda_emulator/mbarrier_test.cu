// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barrier objects and bulk copies: phases, bytes, and the mistakes that hang or corrupt on a GPU.
#include <algorithm>
#include <cmath>

#include "emulated.hpp"

namespace {

using namespace emulated;

// ---- phases ------------------------------------------------------------------------------------------------------

struct relay {
  mbarrier filled, emptied;
  int box;
};

// One producer thread hands numbers to the consumer warps through a single box.
__global__ void produce_and_consume(int rounds, int* sums) {
  relay& shared = dynamic_shared<relay>();
  const unsigned consumers = blockDim.x - 32;
  if (threadIdx.x == 0) {
    shared.filled.init(1);
    shared.emptied.init(consumers);
  }
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned parity = round & 1;
    if (threadIdx.x == 0) {
      if (round > 0) shared.emptied.wait_parity(parity ^ 1);
      shared.box = round * round;
      shared.filled.arrive();
    } else if (threadIdx.x >= 32) {
      while (!shared.filled.try_wait_parity(parity)) {}
      sum += shared.box;
      shared.emptied.arrive();
    }
  }
  if (threadIdx.x >= 32) sums[threadIdx.x - 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    shared.filled.invalidate();
    shared.emptied.invalidate();
    shared.filled.init(1);  // the memory may be a barrier again
  }
}

TEST(mbarrier, producer_and_consumers) {
  device_array<int> sums(96);
  for_each_seed(10, [&] {
    ASSERT_EQ(em::launch(produce_and_consume, shape(2, 128, sizeof(relay)), 9, sums.get()), cudaSuccess);
    for (int i = 0; i < 96; ++i) EXPECT_EQ(sums[i], 204);
  });
}

// ---- bulk copies -------------------------------------------------------------------------------------------------

constexpr int stage_items = 64, stages = 3;

struct ring {
  alignas(128) float items[stages][stage_items];
  mbarrier filled[stages];
};

// A pipeline of bulk copies, `ahead` stages deep; with `waits` false it reads without waiting.
__global__ void stream_through(const float* in, float* out, int tiles, bool waits) {
  ring& shared = dynamic_shared<ring>();
  if (threadIdx.x == 0) {
    for (auto& barrier : shared.filled) barrier.init(1);
  }
  __syncthreads();
  const auto start = [&](int tile) {
    mbarrier& barrier = shared.filled[tile % stages];
    barrier.arrive_expect_tx(stage_items * sizeof(float));
    for (int half = 0; half < 2; ++half)
      em::bulk_copy_to_shared(&shared.items[tile % stages][half * stage_items / 2],
                              in + tile * stage_items + half * stage_items / 2, stage_items / 2 * sizeof(float),
                              barrier.word());
  };
  if (threadIdx.x == 0)
    for (int tile = 0; tile < stages && tile < tiles; ++tile) start(tile);
  for (int tile = 0; tile < tiles; ++tile) {
    if (waits) shared.filled[tile % stages].wait_parity(tile / stages & 1);
    out[tile * stage_items + threadIdx.x] = shared.items[tile % stages][threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0 && waits && tile + stages < tiles) start(tile + stages);
  }
  if (!waits)
    for (auto& barrier : shared.filled) barrier.wait_parity(0);
}

TEST(bulk_copy, pipeline) {
  constexpr int tiles = 10;
  device_array<float> in(tiles * stage_items), out(tiles * stage_items);
  for (int i = 0; i < tiles * stage_items; ++i) in[i] = static_cast<float>(i);
  for_each_seed(20, [&] {
    std::fill(out.get(), out.get() + tiles * stage_items, -1.0f);
    ASSERT_EQ(em::launch(stream_through, shape(2, stage_items, sizeof(ring)), in.get(), out.get(), tiles, true),
              cudaSuccess);
    EXPECT_EQ(out.host(), in.host());
  });
}

TEST(bulk_copy, reading_without_waiting_meets_poison) {
  constexpr int tiles = 3;
  device_array<float> in(tiles * stage_items, 1.0f), out(tiles * stage_items);
  int poisoned = 0;
  for_each_seed(10, [&] {
    ASSERT_EQ(em::launch(stream_through, shape(1, stage_items, sizeof(ring)), in.get(), out.get(), tiles, false),
              cudaSuccess);
    for (const float x : out.host()) poisoned += std::isnan(x);
  });
  EXPECT_GT(poisoned, 0);
}

// ---- mistakes ----------------------------------------------------------------------------------------------------

struct box {
  alignas(128) float items[64];
  mbarrier barrier;
};

__global__ void arrives_without_init() { dynamic_shared<box>().barrier.arrive(); }
__global__ void inits_twice() {
  dynamic_shared<box>().barrier.init(1);
  dynamic_shared<box>().barrier.init(1);
}
__global__ void inits_for_nobody() { dynamic_shared<box>().barrier.init(0); }
__global__ void uses_after_invalidate() {
  mbarrier& barrier = dynamic_shared<box>().barrier;
  barrier.init(1);
  barrier.invalidate();
  barrier.arrive();
}
__global__ void waits_in_vain() {
  mbarrier& barrier = dynamic_shared<box>().barrier;
  if (threadIdx.x == 0) barrier.init(2);
  __syncthreads();
  if (threadIdx.x == 0) barrier.arrive();
  barrier.wait_parity(0);
}
__global__ void announces_too_much(const float* in) {
  box& shared = dynamic_shared<box>();
  shared.barrier.init(1);
  shared.barrier.arrive_expect_tx(512);
  em::bulk_copy_to_shared(shared.items, in, 256, shared.barrier.word());
  shared.barrier.wait_parity(0);
}
__global__ void overflows_bytes() {
  mbarrier& barrier = dynamic_shared<box>().barrier;
  barrier.init(1);
  barrier.arrive_expect_tx(1u << 20);
}
__global__ void arrives_too_often(const float* in) {
  box& shared = dynamic_shared<box>();
  shared.barrier.init(1);
  shared.barrier.arrive_expect_tx(256);  // the copy never starts, so the phase stays open
  shared.barrier.arrive();
  em::bulk_copy_to_shared(shared.items, in, 256, shared.barrier.word());
}

TEST(mbarrier, mistakes_are_found) {
  device_array<float> in(64);
  const auto config = shape(1, 1, sizeof(box));
  expect_fault(em::fault::barrier_object, {"has not been initialised"}, arrives_without_init, config);
  expect_fault(em::fault::barrier_object, {"in use"}, inits_twice, config);
  expect_fault(em::fault::barrier_object, {"0 arrivals"}, inits_for_nobody, config);
  expect_fault(em::fault::barrier_object, {"has not been initialised"}, uses_after_invalidate, config);
  expect_fault(em::fault::deadlock, {"threads 0-63: wait at mbarrier wait"}, waits_in_vain, shape(1, 64, sizeof(box)));
  expect_fault(em::fault::deadlock, {"wait at mbarrier wait"}, announces_too_much, config, in.get());
  expect_fault(em::fault::barrier_object, {"2^20 - 1"}, overflows_bytes, config);
  expect_fault(em::fault::barrier_object, {"more arrivals"}, arrives_too_often, config, in.get());
}

__global__ void copies(const float* in, int target_offset, int source_offset, unsigned bytes) {
  box& shared = dynamic_shared<box>();
  shared.barrier.init(1);
  shared.barrier.arrive_expect_tx(bytes);
  em::bulk_copy_to_shared(shared.items + target_offset, in + source_offset, bytes, shared.barrier.word());
  shared.barrier.wait_parity(0);
}
__global__ void copies_outside_shared(const float* in, float* target) {
  box& shared = dynamic_shared<box>();
  shared.barrier.init(1);
  em::bulk_copy_to_shared(target, in, 16, shared.barrier.word());
}
__global__ void leaves_before_the_copy_arrives(const float* in) {
  box& shared = dynamic_shared<box>();
  shared.barrier.init(1);
  shared.barrier.arrive_expect_tx(16);
  em::bulk_copy_to_shared(shared.items, in, 16, shared.barrier.word());
}

TEST(bulk_copy, mistakes_are_found) {
  device_array<float> in(64);
  const auto config = shape(1, 1, sizeof(box));
  EXPECT_EQ(em::launch(copies, config, in.get(), 0, 0, 256u), cudaSuccess);
  expect_fault(em::fault::bulk_copy, {"shared address", "16 bytes"}, copies, config, in.get(), 1, 0, 16u);
  expect_fault(em::fault::bulk_copy, {"global address", "16 bytes"}, copies, config, in.get(), 0, 1, 16u);
  expect_fault(em::fault::bulk_copy, {"24 bytes: not a positive multiple of 16"}, copies, config, in.get(), 0, 0, 24u);
  expect_fault(em::fault::bulk_copy, {"0 bytes"}, copies, config, in.get(), 0, 0, 0u);
  expect_fault(em::fault::bulk_copy, {"past the end"}, copies, config, in.get(), 0, 4, 256u);
  expect_fault(em::fault::bulk_copy, {"does not lie in the block's dynamic shared memory"}, copies, config, in.get(), 0,
               0, 512u);
  expect_fault(em::fault::bulk_copy, {"does not lie in the block's dynamic shared memory"}, copies_outside_shared,
               config, in.get(), in.get());
  expect_fault(em::fault::bulk_copy, {"on its way"}, leaves_before_the_copy_arrives, config, in.get());
}

TEST(bulk_copy, needs_the_architecture) {
  em::scoped_settings settings;
  settings->compute_capability_major = 8;
  device_array<float> in(64);
  expect_fault(em::fault::usage, {"needs compute capability 9"}, copies, shape(1, 1, sizeof(box)), in.get(), 0, 0, 16u);
}

}  // namespace
