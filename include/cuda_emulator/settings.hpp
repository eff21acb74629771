// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings: the schedules, the emulated device, the checks.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// 1: kernels may use memory that the host allocated by itself, as on devices with pageable memory access. The same in
/// all translation units of a program.
#if !defined(CUDA_EMULATOR_PAGEABLE_MEMORY)
#define CUDA_EMULATOR_PAGEABLE_MEMORY 0
#endif

namespace cuda_emulator {

enum class block_order { random, ascending };

struct options {
  // Schedules. The same seed gives the same schedule. The environment variable CUDA_EMULATOR_SEED overrides the
  // default.
  std::uint64_t seed = 1;
  block_order order = block_order::random;
  // Blocks that are interleaved. If all of them poll memory, more are started, up to the occupancy.
  int resident_blocks = 3;
  // A deadlock is reported after this many polls that show no progress; polling.hpp says what that is.
  std::uint64_t spin_limit = std::uint64_t{1} << 23;

  // A thread that computes for so many seconds of processor time, without a call of the emulator, is in an endless
  // loop. 0 lets it go on.
  int endless_seconds = 30;

  // The devices, which are all alike.
  int devices = 1;  // CUDA_EMULATOR_DEVICES in the environment overrides it
  int multiprocessors = 4;
  int blocks_per_multiprocessor = 2;
  int compute_capability_major = 9;
  int compute_capability_minor = 0;
  std::size_t shared_bytes_per_block = 48 * 1024;  // more needs cudaFuncSetAttribute
  std::size_t shared_bytes_per_block_optin = 227 * 1024;
  std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
  std::size_t device_bytes = std::size_t{80} << 30;  // of each device: allocations beyond this fail
  bool pageable_memory = CUDA_EMULATOR_PAGEABLE_MEMORY;

  // Checks.
  bool poison = true;                  // fill fresh device and shared memory with NaN-like bytes
  bool check_barrier_sites = true;     // all threads of a block must meet at the same __syncthreads of the source
  bool allow_exited_lanes = false;     // a mask may name lanes that have exited (CUDA lets it pass)
  bool allow_inactive_source = false;  // a shuffle may read an inactive lane, and gets poison

  // Where races are looked for: a launch made while this is set may read shared memory that nobody has written.
  bool allow_unwritten_reads = false;
  // Where races are looked for: prints each place or pair of places at fault, and goes on.
  // CUDA_EMULATOR_CONTINUE_AFTER_RACES in the environment sets it.
  bool continue_after_races = false;
  // Whether a bulk copy may overwrite what was read before only behind a proxy fence, as the letter of PTX says.
  // NVIDIA's own libraries do without: what has been read cannot change any more.
  bool reads_need_proxy_fences = false;
  // Whether strong writes of a word by two blocks must be ordered, too, unless both are atomics that read it, and both
  // or neither an exchange: a flag that is cleared for the next round, and set in it; a sum that is taken and added to.
  // CUDA_EMULATOR_ORDERED_STRONG_WRITES in the environment sets it.
  bool strong_writes_need_order = false;
  // "kernel.cuh:59": threads meet in this __syncthreads or __syncwarp, and it orders nothing. If no race is found then,
  // the run does not need the barrier's order. CUDA_EMULATOR_WITHOUT_BARRIER in the environment sets it.
  const char* without_barrier = nullptr;
  // The same for the loads, stores, atomics, fences and other barriers of a line, and of what it calls: they are
  // relaxed, or order nothing. "kernel.cuh:59:acquire" or ":release" takes one of both orders.
  // CUDA_EMULATOR_WITHOUT_ORDER sets it.
  const char* without_order = nullptr;

  // Faults, to test how a program handles them.
  cudaError_t launch_error = cudaSuccess;  // what launches return instead of running
  std::int64_t failing_thread = -1;        // the thread of each grid that fails when it starts
};

// Each host thread has its own, so that parallel tests do not disturb one another.
inline options& settings() {
  static thread_local options instance = [] {
    options initial;
    if (const char* seed = std::getenv("CUDA_EMULATOR_SEED")) initial.seed = std::strtoull(seed, nullptr, 0);
    if (const char* devices = std::getenv("CUDA_EMULATOR_DEVICES")) initial.devices = std::atoi(devices);
    initial.continue_after_races = std::getenv("CUDA_EMULATOR_CONTINUE_AFTER_RACES") != nullptr;
    initial.without_barrier = std::getenv("CUDA_EMULATOR_WITHOUT_BARRIER");
    initial.without_order = std::getenv("CUDA_EMULATOR_WITHOUT_ORDER");
    initial.strong_writes_need_order = std::getenv("CUDA_EMULATOR_ORDERED_STRONG_WRITES") != nullptr;
    return initial;
  }();
  return instance;
}

// Restores the settings of this host thread at the end of the scope.
class scoped_settings {
 public:
  scoped_settings() : saved_(settings()) {}
  explicit scoped_settings(const options& replacement) : scoped_settings() { settings() = replacement; }
  ~scoped_settings() { settings() = saved_; }
  scoped_settings(const scoped_settings&) = delete;
  scoped_settings& operator=(const scoped_settings&) = delete;

  options* operator->() const { return &settings(); }

 private:
  options saved_;
};

// SplitMix64 (Steele, Lea, Flood 2014), which is good enough to draw schedules.
class random_source {
 public:
  explicit random_source(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((*this)() >> 32) * bound >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace cuda_emulator
