// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A communicator tells the functions over ranks which rank this is, and of how many, and gathers bytes of all.
//
//   struct my_ranks : wf::communicator_base {
//     int rank() const;
//     int size() const;
//     void all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream);
//   };
//
// all_gather enqueues on `stream`, or does at once in the stream's order, that `all`, in device memory, gets `bytes`
// bytes of each rank, in the order of ranks; `mine` has those of the caller. `bytes` is a multiple of 8 and the same on
// all ranks. It throws wf::rank_error if ranks do not answer; if it can wait, for timeout() at most.
//
// The device that is current in the first call on a communicator must be current in all. A constructor that calls
// prepare(size) allocates then what most calls need: CUDA may not allocate while a kernel waits for another rank.
#pragma once
#include <chrono>
#include <thread>
#include <vector>
#include <warpfold/host/device.cuh>
#include <warpfold/host/relaxed_capture.cuh>
#include <warpfold/ranks/report.hpp>

namespace warpfold {

/// Kept from call to call: memory for messages, and the report of the last exchange.
class communicator_base {
 public:
  communicator_base() = default;
  communicator_base(const communicator_base&) = delete;
  ~communicator_base() {
    const host_side::relaxed_capture relaxed;
    for (void* each : memory_) (void)cudaFree(each);
    if (report_ != nullptr) (void)cudaFreeHost(report_);
  }

  /// Throws what an exchange has found wrong that has ended by now, once.
  void check(const char* function = "communicator::check") {
    if (report_ == nullptr) return;
    const std::atomic_ref<unsigned> is_there(report_->is_there);
    if (is_there.load(std::memory_order_acquire) == 0) return;
    const ranks::report found = *report_;
    is_there.store(0, std::memory_order_release);
    ranks::throw_report(function, found);
  }
  /// Waits for the exchanges on `stream`, and throws what they have found wrong. Throws rank_error if the stream takes
  /// longer than the last call's time-out.
  void wait(cudaStream_t stream, const char* function = "communicator::wait") {
    const auto start = std::chrono::steady_clock::now();
    const host_side::relaxed_capture relaxed;
    for (;;) {
      const cudaError_t state = cudaStreamQuery(stream);
      if (state == cudaSuccess) break;
      if (state != cudaErrorNotReady) require_success(state, "cudaStreamQuery");
      (void)cudaGetLastError();  // not ready is no error
      if (std::chrono::steady_clock::now() - start > timeout_)
        throw rank_error(std::string("warpfold::") + function + ": the stream has not come to its end in time; " +
                         "ranks may be missing");
      std::this_thread::yield();
    }
    check(function);
  }
  /// The time-out of the call that runs.
  std::chrono::nanoseconds timeout() const { return timeout_; }

  // For the functions over ranks.
  /// Begins a call of `function`, and throws what has gone wrong before.
  void begin_call(const char* function, std::chrono::nanoseconds timeout) {
    timeout_ = timeout;
    check(function);
  }
  /// Pinned memory in which kernels report errors.
  ranks::report* report_place() {
    if (report_ == nullptr) {
      const host_side::relaxed_capture relaxed;
      void* place = nullptr;
      warpfold::require_success(cudaHostAlloc(&place, pinned_bytes, cudaHostAllocPortable | cudaHostAllocMapped),
                                "cudaHostAlloc");
      report_ = new (place) ranks::report;
    }
    return report_;
  }
  /// Pinned memory for a result that is returned.
  template <class R> R* value_place() {
    static_assert(sizeof(R) <= pinned_bytes / 2 && sizeof(ranks::report) <= pinned_bytes / 2);
    return reinterpret_cast<R*>(reinterpret_cast<std::byte*>(report_place()) + pinned_bytes / 2);
  }
  /// Device memory of `bytes` bytes at least, the same for each call that needs no more. Memory of earlier calls stays,
  /// since graphs may use it.
  std::byte* reserve(std::size_t bytes) {
    if (bytes > bytes_) {
      const host_side::relaxed_capture relaxed;
      memory_.reserve(memory_.size() + 1);
      void* larger = nullptr;
      warpfold::require_success(cudaMalloc(&larger, bytes), "cudaMalloc");
      memory_.push_back(larger);
      bytes_ = bytes;
    }
    return memory_.empty() ? nullptr : static_cast<std::byte*>(memory_.back());
  }

 protected:
  /// Leaves the memory of messages to whoever may still read and write it.
  void keep_memory() noexcept { memory_.clear(), bytes_ = 0; }
  /// Allocates what calls need whose messages fit one all-gather. The current device is that of all calls.
  void prepare(int size) {
    const auto count = static_cast<std::size_t>(size);
    (void)reserve((count + 1) * ranks::first_gather_bytes + count * sizeof(int) + 128);
    (void)report_place();
  }

 private:
  static constexpr std::size_t pinned_bytes = 4096;

  std::vector<void*> memory_;
  std::size_t bytes_ = 0;
  ranks::report* report_ = nullptr;
  std::chrono::nanoseconds timeout_ = std::chrono::seconds(30);
};

/// What functions over ranks take: a class derived from communicator_base with these members.
template <class C>
concept communicator = std::derived_from<C, communicator_base> &&
    requires(C& ranks, const void* mine, void* all, std::size_t bytes, cudaStream_t stream) {
  { ranks.rank() } -> std::convertible_to<int>;
  { ranks.size() } -> std::convertible_to<int>;
  ranks.all_gather(mine, all, bytes, stream);
  ranks.wait(stream, "function");
};

}  // namespace warpfold
