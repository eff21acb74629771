// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of every call: it checks the options, asks for occupancy, borrows scratch and launches.
//
//   const call_frame frame(function, options, need);  // checks; nothing has been enqueued
//   if (items == 0) return frame.write(out, init);
//   const auto plan = plan_…(frame.resident_blocks<kernel>(threads, shared_bytes), …, frame.max_blocks());
//   frame.launch(kernel, {plan.blocks, threads, shared_bytes}, uses_scratch,
//                [&](const call_scratch& scratch) { return arguments{…, scratch.room<A>(), scratch.ticket()}; });
//
// The launch comes last, so nothing is enqueued before all checks. It keeps the loan of scratch until the kernel is
// enqueued.
#pragma once
#include <utility>
#include <warpfold/call_options.hpp>
#include <warpfold/grid/initial_value.cuh>
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/clear_on_error.cuh>
#include <warpfold/host/default_workspace.cuh>
#include <warpfold/host/launch.cuh>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The shared memory of blocks that hold a `Storage`. Launches get that much without an opt-in.
template <class Storage>
inline constexpr std::size_t shared_bytes_of = [] {
  static_assert(sizeof(Storage) <= plain_shared_bytes,
                "warpfold: the accumulator is too large: what a block keeps of it does not fit shared memory");
  return sizeof(Storage);
}();

/// The scratch of one call: a caller's workspace, or a loan of the pool, which ends with this object. It must be kept
/// until the call's last kernel is enqueued.
class call_scratch {
 public:
  call_scratch() : guard_({}) {}
  explicit call_scratch(std::span<std::byte> callers) : held_{{{callers, control_bytes}}, {}}, guard_(control()) {}
  call_scratch(int device, cudaStream_t stream, const scratch_need& need)
      : held_{workspace_pool::instance().borrow(device, stream, need), stream}, guard_(control()) {}
  call_scratch(const call_scratch&) = delete;

  /// The line of the ticket, as words that are zero. All pointers are null if the call has no scratch.
  unsigned* ticket() const { return reinterpret_cast<unsigned*>(bytes().data()); }
  /// The feature's own control words.
  template <class T> T* control_words() const { return at<T>(workspace_alignment); }
  /// The control words behind those of type `First`.
  template <class First, class T> T* control_words_behind() const { return at<T>(workspace_alignment + sizeof(First)); }
  /// Room for partial results.
  template <class T> T* room() const { return at<T>(held_.loan.scratch.control_bytes); }

 private:
  std::span<std::byte> bytes() const { return held_.loan.scratch.bytes; }
  std::span<std::byte> control() const { return bytes().first(held_.loan.scratch.control_bytes); }
  template <class T> T* at(std::size_t offset) const {
    return bytes().empty() ? nullptr : reinterpret_cast<T*>(bytes().data() + offset);
  }

  struct held {
    workspace_pool::loan loan;
    cudaStream_t stream;
    ~held() {
      if (loan.borrowed != nullptr) workspace_pool::instance().give_back(loan, stream);
    }
  };
  held held_{};
  clear_on_error guard_;  // ends before the loan does
};

inline void check_max_blocks(const char* function, int max_blocks) {
  if (max_blocks < 0) reject(function, {"max_blocks is ", max_blocks});
}

/// One call on the current device.
class call_frame {
 public:
  /// Throws std::invalid_argument, which names `function`, if options.max_blocks is negative, or if options.workspace
  /// has less than `need`: as much as the call may need, whatever its plan.
  template <class Options>
  call_frame(const char* function, const Options& options, const scratch_need& need)
      : function_(function),
        options_{options.stream, options.workspace, options.max_blocks},
        need_(need),
        device_(current_device()) {
    check_max_blocks(function, options.max_blocks);
    check_workspace(function, options.workspace.bytes, need.workspace_bytes());
  }
  /// The same call, when its plan is known to need no more than `need`.
  call_frame with_need(const scratch_need& need) const { return {function_, options_, need}; }

  const char* function() const { return function_; }
  int device() const { return device_; }
  int multiprocessors() const { return limits_of(device_).multiprocessors; }
  int max_blocks() const { return options_.max_blocks; }  ///< 0 for no bound

  /// Blocks of `Kernel` that the device holds at once.
  template <auto* Kernel> int resident_blocks(int block_threads, std::size_t shared_bytes) const {
    return multiprocessors() * blocks_per_multiprocessor<Kernel>(device_, block_threads, shared_bytes);
  }

  /// Scratch of several launches, to be kept until the last one: options.workspace, or the stream's own.
  [[nodiscard]] call_scratch borrow() const {
    if (!options_.workspace.bytes.empty()) return call_scratch(options_.workspace.bytes);
    return call_scratch(device_, options_.stream, need_);
  }

  /// Enqueues kernel(arguments_in(scratch), more...). The scratch is none unless the plan `uses_scratch`.
  template <class... Parameters, class ArgumentsIn, class... More>
  void launch(void (*kernel)(Parameters...), const launch_shape& shape, bool uses_scratch, ArgumentsIn arguments_in,
              const More&... more) const {
    const call_scratch scratch = uses_scratch ? borrow() : call_scratch();
    const named_launches named(function_, uses_scratch ? need_.workspace_bytes() : 0);
    enqueue(kernel, shape, options_.stream, arguments_in(scratch), more...);
  }

  /// Enqueues *out = value: the result of an empty input.
  template <class Out, class A> void write(Out out, const grid::initial_value<A>& value) const {
    const named_launches named(function_, 0);
    enqueue(&grid::write_kernel<A, Out>, {1, 1}, options_.stream, out, value);
  }

 private:
  const char* function_;
  call_options options_;
  scratch_need need_;
  int device_;
};

/// Scratch of several launches, to be kept until the last one. Unless the plan `uses_scratch`, it is none, and
/// `options` are not checked.
template <class Options>
[[nodiscard]] call_scratch borrow_if(bool uses_scratch, const char* function, const Options& options,
                                     const scratch_need& need) {
  if (!uses_scratch) return call_scratch();
  return call_frame(function, options, need).borrow();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
