// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface for libraries that have checks of their own in kernels, or state in device memory that must survive a
// kernel that fails.
#pragma once

#include <cuda_emulator/warp_collective.hpp>

#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace cuda_emulator {

/// Stops the kernel. Call it in a kernel whose own check has failed. All threads are unwound, and the launch throws an
/// `error` of kind fault::precondition whose text holds `message`, the kernel, the block and the thread.
[[noreturn]] inline void stop_kernel(const std::string& message) {
  running_thread("stop_kernel");
  current_scheduler->fail(fault::precondition, message);
}

namespace detail {

// The scopes of on_kernel_failure that the host thread is in, from the innermost outwards.
class failure_scope {
 public:
  failure_scope() : outer_(std::exchange(innermost(), this)) {}
  failure_scope(const failure_scope&) = delete;
  failure_scope& operator=(const failure_scope&) = delete;

  // Calls take(copy of the restoring function) for each scope that has not been recorded for `graph` yet.
  template <class Take> static void record_all(const void* graph, Take take) {
    for (failure_scope* scope = innermost(); scope != nullptr; scope = scope->outer_)
      if (std::exchange(scope->recorded_for_, graph) != graph) take(scope->copy());
  }

 protected:
  ~failure_scope() {
    failure_scope** link = &innermost();
    while (*link != this) link = &(*link)->outer_;
    *link = outer_;
  }

 private:
  static failure_scope*& innermost() {
    static thread_local failure_scope* scope = nullptr;
    return scope;
  }
  virtual std::function<void()> copy() const = 0;

  failure_scope* outer_;
  const void* recorded_for_ = nullptr;
};

}  // namespace detail

/// Calls `restore` at the end of the scope if an exception leaves it, as it does when a launch throws. On a GPU a
/// kernel that fails takes the CUDA context with it; here the program goes on, and device memory is as the failed
/// kernel left it. `restore` repairs the memory that later launches rely on. It must not throw.
///
/// Work that is captured in the scope runs later. Therefore the graph keeps a copy of `restore`, and calls it whenever
/// a launch of the graph throws: `restore` must refer to nothing that ends before the graph's last launch.
template <class Restore> class on_kernel_failure : detail::failure_scope {
 public:
  explicit on_kernel_failure(Restore restore) : restore_(std::move(restore)) {}
  ~on_kernel_failure() {
    if (std::uncaught_exceptions() > exceptions_at_entry_) restore_();
  }

 private:
  std::function<void()> copy() const override { return restore_; }

  Restore restore_;
  int exceptions_at_entry_ = std::uncaught_exceptions();
};

}  // namespace cuda_emulator
