// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of a communicator of NCCL. Needs <nccl.h>, 2.14 or newer (CMake: warpfold::nccl).
//
//   wf::nccl_ranks ranks(comm);                                     // an ncclComm_t of the caller's
//   wf::all_reduce(ranks, in, wf::gathered(ranks, count), out, wf::plus{}, {.stream = stream});
//
// - Calls enqueue the local reduction, an all-gather and a fold; they can be captured. Each rank needs a process or a
//   host thread of its own: calls must not stand between ncclGroupStart and ncclGroupEnd, since the fold would be
//   enqueued before the all-gather. (For all GPUs from one thread there is ranks/local.cuh.)
// - NCCL waits for ranks that do not come, on the device. communicator.wait and the _value forms throw wf::rank_error
//   after options.timeout, and for what NCCL reports; the caller must then abort its communicator.
#pragma once
#include <nccl.h>
#include <warpfold/ranks/communicator.cuh>

namespace warpfold {

inline namespace WARPFOLD_HIDDEN_V1 {

/// The communicator of one rank.
class nccl_ranks : public communicator_base {
 public:
  /// `comm` belongs to the caller, must live longer, and is used in the order of calls, as by the caller's own. Its
  /// device is current.
  explicit nccl_ranks(ncclComm_t comm) : comm_(comm) {
    check_nccl(ncclCommUserRank(comm, &rank_), "ncclCommUserRank");
    check_nccl(ncclCommCount(comm, &size_), "ncclCommCount");
    prepare(size_);
  }

  int rank() const { return rank_; }  ///< this one's number
  int size() const { return size_; }  ///< how many there are

  /// Enqueues that `all` gets `bytes` bytes of each rank.
  void all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) {
    ncclResult_t result = ncclAllGather(mine, all, bytes, ncclInt8, comm_, stream);
    const auto start = std::chrono::steady_clock::now();
    while (result == ncclInProgress) {  // of a communicator that does not block
      if (std::chrono::steady_clock::now() - start > timeout())
        throw rank_error("warpfold::nccl_ranks: ncclAllGather has not been enqueued in time");
      std::this_thread::yield();
      check_nccl(ncclCommGetAsyncError(comm_, &result), "ncclCommGetAsyncError");
    }
    check_nccl(result, "ncclAllGather");
  }
  /// Waits for `stream`, at most as long as the call may take.
  void wait(cudaStream_t stream, const char* function = "communicator::wait") {
    try {
      communicator_base::wait(stream, function);
    } catch (const rank_error&) {
      ncclResult_t result = ncclSuccess;
      check_nccl(ncclCommGetAsyncError(comm_, &result), "ncclCommGetAsyncError");
      check_nccl(result, "ncclAllGather");  // says more than that time is over
      throw;
    }
  }

 private:
  void check_nccl(ncclResult_t result, const char* call) const {
    if (result != ncclSuccess && result != ncclInProgress)
      throw rank_error(std::string("warpfold::nccl_ranks: ") + call + ": " + ncclGetErrorString(result));
  }

  ncclComm_t comm_;
  int rank_ = 0, size_ = 1;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
