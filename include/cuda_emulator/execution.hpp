// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a running grid: threads, warps, blocks, clusters. Who runs next is the scheduler's matter.
#pragma once

#include <cuda_emulator/fiber.hpp>
#include <cuda_emulator/shared_block.hpp>
#include <cuda_emulator/static_shared.hpp>

#include <cuda_runtime.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <source_location>
#include <vector>

// CUDA's built-in variables: set for each thread as it gets to run.
inline constinit thread_local uint3 threadIdx{};
inline constinit thread_local uint3 blockIdx{};
inline constinit thread_local dim3 blockDim{};
inline constinit thread_local dim3 gridDim{};
inline constexpr int warpSize = 32;

namespace cuda_emulator {

class scheduler;
struct warp;
struct block;
struct cluster;

struct worker {  // a stack that runs one CUDA thread after another
  explicit worker(void (*run)(), unsigned colour) : body(run, colour), idle(body.start) {}
  stack body;
  context idle;  // where it goes on when it is given a thread
  bool quit = false;
};

struct own_copy {  // 16 bytes that a thread has asked for and not waited for
  void* target;
  const void* source;
};

// The first cache lines are what a switch touches.
struct alignas(64) thread {
  context suspended{};
  warp* home = nullptr;
  worker* on = nullptr;  // null until the thread first runs
  uint3 index{};
  unsigned lane = 0;
  block* parent = nullptr;
  // Where the thread waits, for reports and for calls that must agree.
  const char* waits_at = nullptr;
  std::source_location site{};
  unsigned waits_mask = 0;
  unsigned rank = 0;  // within the block
  bool exited = false;
  bool arrived_at_cluster = false;
  unsigned cluster_phase = 0;      // in which it arrived
  thread* next_waiting = nullptr;  // list of an mbarrier
  std::vector<own_copy> copies;
};

// What a warp intrinsic does once all its lanes have arrived: reads warp::value and ::source, leaves results in
// ::value.
struct collective {
  const char* name;
  void (*complete)(warp&, unsigned lanes);
};

struct rendezvous {
  unsigned mask = 0;
  unsigned arrived = 0;
  const collective* operation = nullptr;
};

struct alignas(64) warp {
  unsigned existing = 0;  // lanes that the block has here
  unsigned exited = 0;
  unsigned ready = 0;       // may run, and does not run now
  unsigned at_barrier = 0;  // waits in __syncthreads
  int ready_position = -1;  // in scheduler::ready_warps_, or -1
  unsigned priority = 0;
  thread* lanes = nullptr;  // of 32
  block* parent = nullptr;
  int open_count = 0;
  rendezvous open[32];
  std::uint64_t value[32];
  unsigned char source[32];  // lanes that shuffles read
};

enum class barrier_kind : std::uint8_t { plain, any, all, count };

struct block_barrier {
  unsigned arrived = 0;
  barrier_kind kind = barrier_kind::plain;
  std::source_location site{};
  unsigned true_count = 0;
  int result = 0;
};

struct barrier_object_record {  // an mbarrier that has been initialised
  void* address = nullptr;
  thread* waiting = nullptr;
};

struct named_barrier_state {
  unsigned arrived = 0;
  unsigned threads = 0;
  thread* waiting = nullptr;
};

struct block {
  uint3 index{};
  unsigned cluster_rank = 0;
  unsigned thread_count = 0;
  unsigned exited = 0;
  cluster* parent = nullptr;
  block_barrier barrier;
  std::vector<warp> warps;
  std::vector<thread> threads;
  shared_block dynamic_shared;
  static_images images;
  std::vector<barrier_object_record> barrier_objects;
  std::array<named_barrier_state, 16> named_barriers{};
};

struct cluster {  // blocks without a cluster are clusters of one
  std::vector<std::unique_ptr<block>> blocks;
  unsigned blocks_done = 0;
  unsigned thread_count = 0;
  unsigned arrived = 0;           // at the cluster barrier, in this phase
  unsigned exited_unarrived = 0;  // threads that left without arriving in this phase count as arrived
  unsigned phase = 0;
};

struct late_copy {  // a bulk copy that is still on its way
  void* target;
  const void* source;
  std::size_t bytes;
  void* barrier;
  block* owner;
};

inline constinit thread_local thread* current_thread = nullptr;
inline constinit thread_local scheduler* current_scheduler = nullptr;

}  // namespace cuda_emulator
