// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of a running grid: threads, warps, blocks, clusters. The scheduler decides who runs next.
#pragma once

#include <cuda_emulator/fiber.hpp>
#include <cuda_emulator/races/state.hpp>
#include <cuda_emulator/shared_block.hpp>
#include <cuda_emulator/static_shared.hpp>

#include <cuda_runtime.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <source_location>
#include <vector>

// CUDA's built-in variables. The scheduler sets them whenever it switches to a thread.
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
  context idle;  // where it continues when it is given a thread
  bool quit = false;
  bool abandoned = false;  // its thread stands at a place that it cannot leave
};

struct own_copy {  // an asynchronous copy that its thread has not waited for yet
  void* target;
  const void* source;
  std::size_t bytes;  // still to be copied: none if that happened at once
  unsigned group;
};

// The first members share cache lines because every switch touches them.
struct alignas(64) thread {
  context suspended{};
  warp* home = nullptr;
  worker* on = nullptr;  // null until the thread first runs
  uint3 index{};
  unsigned lane = 0;
  block* parent = nullptr;
  // Where the thread waits. Reports print it, and __syncthreads compares it between threads.
  const char* waits_at = nullptr;
  std::source_location site{};
  unsigned waits_mask = 0;
  unsigned rank = 0;  // within the block
  bool exited = false;
  bool arrived_at_cluster = false;
  unsigned cluster_phase = 0;      // of its last arrival
  thread* next_waiting = nullptr;  // the list of threads that wait at one barrier
  std::vector<own_copy> copies;
  unsigned closed_groups = 0;  // of its copies
  // The address that it last read past the first-level cache or changed atomically: by now, and when last interrupted.
  const void* read = nullptr;
  const void* read_at_interrupt = nullptr;
  [[no_unique_address]] races::thread_state race{};
};

// A warp intrinsic. `complete` runs once all lanes have arrived: it reads warp::value and warp::source, and writes each
// lane's result to warp::value.
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
  unsigned existing = 0;  // lanes that exist in the block
  unsigned exited = 0;
  unsigned ready = 0;       // can run, but does not run now
  unsigned at_barrier = 0;  // lanes that wait in __syncthreads
  int ready_position = -1;  // index in scheduler::ready_warps_, or -1
  unsigned priority = 0;
  thread* lanes = nullptr;  // 32 of them
  block* parent = nullptr;
  unsigned steps = 0;  // how often its lanes met, or read new memory, since one of them polled
  int open_count = 0;
  rendezvous open[32];
  std::uint64_t value[32];
  unsigned char source[32];  // the lane that each lane's shuffle reads
};

enum class barrier_kind : std::uint8_t { plain, any, all, count };

struct block_barrier {
  unsigned arrived = 0;
  barrier_kind kind = barrier_kind::plain;
  std::source_location site{};
  unsigned true_count = 0;
  int result = 0;
};

struct barrier_object_record {  // an initialised mbarrier
  void* address = nullptr;
  thread* waiting = nullptr;
  [[no_unique_address]] races::barrier_state race{};
};

struct named_barrier_state {
  unsigned arrived = 0;
  unsigned threads = 0;
  thread* waiting = nullptr;
  [[no_unique_address]] races::barrier_state race{};
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
  [[no_unique_address]] races::block_state race{};
};

struct cluster {  // a block without a cluster is a cluster of one
  std::vector<std::unique_ptr<block>> blocks;
  unsigned blocks_done = 0;
  unsigned thread_count = 0;
  unsigned arrived = 0;           // threads that have arrived at the cluster barrier in this phase
  unsigned exited_unarrived = 0;  // threads that exited before they arrived in this phase
  unsigned phase = 0;
  [[no_unique_address]] races::barrier_state race{};
};

struct late_copy {  // a bulk copy that has started and has not happened yet
  void* target;
  const void* source;
  std::size_t bytes;
  void* barrier;
  block* owner;
  [[no_unique_address]] races::copy_state race{};
};

inline constinit thread_local thread* current_thread = nullptr;
inline constinit thread_local scheduler* current_scheduler = nullptr;

}  // namespace cuda_emulator
