// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dynamic shared memory of the running block.
#pragma once

#include <cuda_emulator/warp_collective.hpp>

namespace cuda_emulator {

// Replaces `extern __shared__`: the memory that the launch asked for. Stops the kernel if it has fewer than `bytes`, or
// if that alignment is not possible.
inline void* dynamic_shared(std::size_t bytes = 0, std::size_t alignment_bytes = 1) {
  const thread& t = running_thread("dynamic_shared");
  const shared_block& memory = t.parent->dynamic_shared;
  if (bytes > memory.bytes())
    current_scheduler->fail(fault::shared_memory, "the kernel uses ", bytes,
                            " bytes of dynamic shared memory; the launch asked for ", memory.bytes());
  if (alignment_bytes > shared_block::alignment_bytes)
    current_scheduler->fail(fault::shared_memory, "dynamic shared memory is aligned to 128 bytes, not to ",
                            alignment_bytes);
  return memory.data();
}

}  // namespace cuda_emulator
