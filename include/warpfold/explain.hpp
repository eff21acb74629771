// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernels a call enqueues, and how: for those who ask why it takes its time.
//
//   for (const wf::kernel_launch& launch : wf::explain([&] { wf::reduce_rows(matrix, out); }))
//     std::puts(launch.line().c_str());
//
// A line has the function, the kernel, its grid, its shared memory, its scratch, the items, and why this kernel and not
// another one of the function:
//
//   reduce: reduction::share_kernel<…>, 264 blocks of 512 threads, 21252 bytes of scratch, for 16777216 items of
//   float (more items than one tile for each resident block)
//
// With the environment variable WARPFOLD_LOG=1, every call prints these lines to stderr. Without, and outside explain,
// a launch takes a nanosecond longer for the look whether somebody listens. Ranges for profilers: nvtx.hpp.
#pragma once
#include <vector>
#include <warpfold/host/launch_watch.hpp>

namespace warpfold {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Calls `call`, and returns the kernels that this thread has enqueued meanwhile, in order, by calls of Warpfold that
/// are compiled into this program or shared library. Kernels that other threads enqueue are not among them. Throws what
/// `call` throws.
template <class Call> std::vector<kernel_launch> explain(Call&& call) {
  using host_side::launch_watch;
  std::vector<kernel_launch> launches;
  struct listening {
    launch_watch before = host_side::watch_of_thread;  // an explain around this one
    explicit listening(std::vector<kernel_launch>& list) {
      host_side::watch_of_thread.tell = [](void* to, const kernel_launch& launch) {
        static_cast<std::vector<kernel_launch>*>(to)->push_back(launch);
      };
      host_side::watch_of_thread.listener = &list;
    }
    ~listening() { host_side::watch_of_thread = before; }
  };
  {
    const listening here(launches);
    call();
  }
  return launches;
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
