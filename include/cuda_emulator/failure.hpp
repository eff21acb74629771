// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface for libraries that have checks of their own in kernels, or state in device memory that must survive a
// kernel that fails.
#pragma once

#include <cuda_emulator/warp_collective.hpp>

#include <exception>
#include <string>
#include <utility>

namespace cuda_emulator {

/// Stops the kernel. Call it in a kernel whose own check has failed. All threads are unwound, and the launch throws an
/// `error` of kind fault::precondition whose text holds `message`, the kernel, the block and the thread.
[[noreturn]] inline void stop_kernel(const std::string& message) {
  running_thread("stop_kernel");
  current_scheduler->fail(fault::precondition, message);
}

/// Calls `restore` at the end of the scope if an exception leaves it, as it does when a launch throws. On a GPU a
/// kernel that fails takes the CUDA context with it; here the program goes on, and device memory is as the failed
/// kernel left it. `restore` puts right what later launches rely on. It must not throw.
template <class Restore> class on_kernel_failure {
 public:
  explicit on_kernel_failure(Restore restore) : restore_(std::move(restore)) {}
  on_kernel_failure(const on_kernel_failure&) = delete;
  on_kernel_failure& operator=(const on_kernel_failure&) = delete;
  ~on_kernel_failure() {
    if (std::uncaught_exceptions() > exceptions_at_entry_) restore_();
  }

 private:
  Restore restore_;
  int exceptions_at_entry_ = std::uncaught_exceptions();
};

}  // namespace cuda_emulator
