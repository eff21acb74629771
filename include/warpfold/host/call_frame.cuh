// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host side of every call does: it checks the options, asks for occupancy, borrows scratch and launches.
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
#include <warpfold/host/launch.cuh>
#include <warpfold/host/scratch_for.cuh>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The shared memory of blocks that hold a `Storage`. Launches get that much without an opt-in.
template <class Storage>
inline constexpr std::size_t shared_bytes_of = [] {
  static_assert(sizeof(Storage) <= plain_shared_bytes,
                "warpfold: the accumulator is too large: what a block keeps of it does not fit shared memory");
  return sizeof(Storage);
}();

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
    check_options(function, options_, need);
  }
  /// The same call, when its plan is known to need no more than `need`.
  call_frame with_need(const scratch_need& need) const { return {function_, options_, need}; }

  const char* function() const { return function_; }
  int device() const { return device_; }
  int multiprocessors() const { return limits_of(device_).multiprocessors; }
  cudaStream_t stream() const { return options_.stream; }
  int max_blocks() const { return options_.max_blocks; }  ///< 0 for no bound

  /// Blocks of `Kernel` that the device holds at once.
  template <auto* Kernel> int resident_blocks(int block_threads, std::size_t shared_bytes) const {
    return multiprocessors() * blocks_per_multiprocessor<Kernel>(device_, block_threads, shared_bytes);
  }

  /// Scratch of several launches, to be kept until the last one.
  [[nodiscard]] call_scratch borrow(bool uses_scratch = true) const {
    return scratch_for(device_, options_, need_, uses_scratch);
  }

  /// Enqueues kernel(arguments_in(scratch), more...). The scratch is none unless the plan `uses_scratch`.
  template <class... Parameters, class ArgumentsIn, class... More>
  void launch(void (*kernel)(Parameters...), const launch_shape& shape, bool uses_scratch, ArgumentsIn arguments_in,
              const More&... more) const {
    const call_scratch scratch = borrow(uses_scratch);
    enqueue(kernel, shape, options_.stream, arguments_in(scratch), more...);
  }

  /// Enqueues *out = value: the result of an empty input.
  template <class Out, class A> void write(Out out, const grid::initial_value<A>& value) const {
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
}  // namespace warpfold::host
