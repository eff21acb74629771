// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exception that the emulator throws when a kernel breaks a rule of CUDA's execution model.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace cuda_emulator {

// Concatenates strings and numbers.
template <class... Parts> std::string text(const Parts&... parts) {
  std::string result;
  const auto append = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>) result += std::to_string(part);
    else result += part;
  };
  (append(parts), ...);
  return result;
}

enum class fault {
  divergent_barrier,  // the threads of a block do not all reach the same __syncthreads
  mask_mismatch,      // lanes name different masks, or different intrinsics, for one rendezvous
  lane_not_in_mask,   // the calling lane is missing from the mask it passes
  exited_lane,        // a lane of the mask has already exited
  inactive_source,    // a shuffle reads a lane that does not take part
  deadlock,           // no thread can run, or all threads that can run only poll memory
  endless_loop,       // a thread computes for ever
  shared_memory,      // dynamic shared memory is too small, misaligned, or written outside its bounds
  cluster_barrier,    // arrive and wait of the cluster barrier do not alternate
  barrier_object,     // an mbarrier is used before init, or its counts are out of range
  async_copy,         // an asynchronous copy is misaligned, out of bounds or never waited for
  race,               // two accesses of the same memory that nothing orders (CUDA_EMULATOR_RACES)
  out_of_bounds,      // an access outside an array or an allocation (CUDA_EMULATOR_RACES)
  uninitialised,      // a read of shared memory that nobody has written (CUDA_EMULATOR_RACES)
  misaligned,         // an access of an address that is no multiple of its size
  bulk_copy,          // a bulk copy is misaligned, has a wrong size or is unfinished when its block ends
  trap,               // the kernel called __trap()
  precondition,       // the kernel's own check failed: stop_kernel()
  foreign_memory,     // a kernel is given memory of another device, without peer access
  usage,              // the emulator does not support this; the message names it
};

inline const char* fault_name(fault kind) {
  switch (kind) {
    case fault::divergent_barrier: return "divergent barrier";
    case fault::mask_mismatch: return "mask mismatch";
    case fault::lane_not_in_mask: return "calling lane not in mask";
    case fault::exited_lane: return "exited lane in mask";
    case fault::inactive_source: return "shuffle from an inactive lane";
    case fault::deadlock: return "deadlock";
    case fault::endless_loop: return "endless loop";
    case fault::shared_memory: return "shared memory";
    case fault::cluster_barrier: return "cluster barrier";
    case fault::barrier_object: return "mbarrier";
    case fault::async_copy: return "asynchronous copy";
    case fault::race: return "data race";
    case fault::out_of_bounds: return "out of bounds";
    case fault::uninitialised: return "uninitialised memory";
    case fault::misaligned: return "misaligned address";
    case fault::bulk_copy: return "bulk copy";
    case fault::trap: return "trap";
    case fault::foreign_memory: return "memory of another device";
    case fault::precondition: return "precondition";
    case fault::usage: return "refused";
  }
  return "unknown";
}

// what() names the fault, the kernel, the block and the thread, and lists where all other threads wait.
class error : public std::runtime_error {
 public:
  error(fault kind, const std::string& message, uint3 block = {}, uint3 thread = {})
      : std::runtime_error(text("cuda_emulator: ", fault_name(kind), ": ", message)),
        kind_(kind),
        block_(block),
        thread_(thread) {}

  fault kind() const noexcept { return kind_; }
  uint3 block() const noexcept { return block_; }
  uint3 thread() const noexcept { return thread_; }

 private:
  fault kind_;
  uint3 block_;
  uint3 thread_;
};

}  // namespace cuda_emulator
