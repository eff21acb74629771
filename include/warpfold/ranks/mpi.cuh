// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are processes of MPI, each with one GPU. Needs <mpi.h>, 3.0 or newer (CMake: warpfold::mpi).
//
//   wf::mpi_ranks ranks(MPI_COMM_WORLD);
//   float sum = wf::all_reduce_value(ranks, in, wf::gathered(ranks, count), wf::plus{});
//
// - Calls wait for the local part and for the other ranks, since MPI knows no streams: they cannot be captured. The
//   result is written in the order of the stream.
// - Messages go through pinned memory. If the MPI library says that it reads device memory, it may be given that:
//   mpi_path::device, or mpi_path::found.
// - A rank that waits longer than options.timeout throws wf::rank_error, as do all later calls on that communicator:
//   MPI cannot take back what it has begun.
//
// For callers who would rather use their own collectives, mpi_list is a list of nodes as a datatype of MPI, with its
// operation. Lists come from reduce_part, copied to the host:
//
//   const wf::mpi_list<float, wf::plus> list;
//   MPI_Allreduce(MPI_IN_PLACE, &nodes, 1, list.type(), list.operation(), comm);
//   float sum = nodes.value(wf::plus{});       // the bits of one reduce, whatever tree MPI takes
#pragma once
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <limits>
#include <memory>
#include <warpfold/canonical_nodes.hpp>
#include <warpfold/host/wait_for_value.cuh>
#include <warpfold/ranks/communicator.cuh>

namespace warpfold {

/// How messages get from one GPU's memory to MPI.
enum class mpi_path {
  staged,  ///< through pinned memory
  device,  ///< MPI reads and writes device memory; the caller knows that it can
  found    ///< `device` if the library says that it can, else `staged`
};

inline namespace WARPFOLD_HIDDEN_V1 {

/// Throws rank_error for what MPI reports.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  (void)MPI_Error_string(code, text, &length);
  throw rank_error(std::string("warpfold: ") + call + ": " + text);
}

/// Whether the MPI library says that it takes pointers to memory of NVIDIA's GPUs.
inline bool mpi_takes_device_memory() {
#if !defined(__CUDACC__)
  return false;  // the emulator's memory is the host's
#elif defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int is_supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS && is_supported != 0;
#else
  return false;
#endif
}

/// The communicator of one process.
class mpi_ranks : public communicator_base {
 public:
  /// Duplicates `comm`: messages of its own and Warpfold's never meet. All its ranks must construct one.
  explicit mpi_ranks(MPI_Comm comm, mpi_path path = mpi_path::found)
      : on_device_(path == mpi_path::device || (path == mpi_path::found && mpi_takes_device_memory())) {
    check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  /// All ranks must destroy theirs, before MPI_Finalize. Messages that others have not answered, and their memory, stay
  /// with MPI.
  ~mpi_ranks() {
    if (request_ != MPI_REQUEST_NULL) {
      int is_done = 0;
      if (MPI_Test(&request_, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_done == 0) {
        (void)buffer_.release();
        if (on_device_) keep_memory();
        return;
      }
    }
    (void)MPI_Comm_free(&comm_);
  }

  int rank() const { return rank_; }  ///< this process's number
  int size() const { return size_; }  ///< how many there are
  /// Whether MPI reads and writes device memory.
  bool is_on_device() const { return on_device_; }

  // For the functions over ranks.
  /// Whether MPI still has the messages of an earlier call: their memory must stay as it is.
  bool is_unanswered() const { return request_ != MPI_REQUEST_NULL; }
  /// Begins a call of `function`, and throws what has gone wrong before.
  void begin_call(const char* function, std::chrono::nanoseconds timeout) {
    check_answered();
    communicator_base::begin_call(function, timeout);
  }
  /// Waits until `all` has `bytes` bytes of each rank.
  void all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) {
    check_answered();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    warpfold::require_success(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
    if (status != cudaStreamCaptureStatusNone)
      reject("mpi_ranks::all_gather", "the stream is being captured; MPI is called by the host");
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      reject("mpi_ranks::all_gather", {"a message has ", bytes, " bytes; MPI counts them as an int"});
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(size_);
    const void* from = mine;
    void* to = all;
    if (!on_device_) {
      auto* const staged = static_cast<std::byte*>(buffer_->reserve(bytes + all_bytes));
      warpfold::require_success(cudaMemcpyAsync(staged, mine, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
      from = staged, to = staged + bytes;
    }
    const host_side::relaxed_capture relaxed;
    warpfold::require_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const auto count = static_cast<int>(bytes);
    check_mpi(MPI_Iallgather(from, count, MPI_BYTE, to, count, MPI_BYTE, comm_, &request_), "MPI_Iallgather");
    finish();
    if (!on_device_) {
      warpfold::require_success(cudaMemcpyAsync(all, to, all_bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
      warpfold::require_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");  // the buffer is free again
    }
  }

 private:
  void finish() {
    const auto start = std::chrono::steady_clock::now();
    for (int is_done = 0;;) {
      check_mpi(MPI_Test(&request_, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_done != 0) return;
      const auto waited = std::chrono::steady_clock::now() - start;
      if (waited > timeout())
        throw rank_error("warpfold::mpi_ranks: other ranks have not answered for " +
                         std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(timeout()).count()) +
                         " ms");
      if (waited > std::chrono::microseconds(100)) std::this_thread::yield();
    }
  }
  void check_answered() const {
    if (is_unanswered()) throw rank_error("warpfold::mpi_ranks: an earlier call has not been answered");
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;  ///< of a gather that others have not answered
  int rank_ = 0, size_ = 1;
  bool on_device_;
  std::unique_ptr<host_side::pinned_buffer> buffer_ = std::make_unique<host_side::pinned_buffer>();
};

/// Lists of nodes as a datatype of MPI, and how they are joined. `Op` has no state. Ranks must have parts in their own
/// order. If lists do not fit, the result is an empty one whose value() throws.
template <class A, class Op> class mpi_list {
  static_assert(std::is_empty_v<Op>, "warpfold: MPI calls the operation without the operator: it must have no state");

 public:
  using nodes = canonical_nodes<A, Op>;  ///< what is reduced

  mpi_list() {
    check_mpi(MPI_Type_contiguous(static_cast<int>(sizeof(nodes)), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
    check_mpi(MPI_Op_create(&append, 0, &operation_), "MPI_Op_create");  // 0: it does not commute
  }
  mpi_list(const mpi_list&) = delete;
  ~mpi_list() {
    (void)MPI_Op_free(&operation_);
    (void)MPI_Type_free(&type_);
  }

  MPI_Datatype type() const { return type_; }      ///< for MPI's calls
  MPI_Op operation() const { return operation_; }  ///< for MPI's calls

 private:
  /// right[i] = left[i] op right[i]
  static void append(void* left, void* right, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i) {
      nodes& from = static_cast<nodes*>(left)[i];
      nodes& to = static_cast<nodes*>(right)[i];
      try {
        nodes joined = from;
        joined.append(to, Op{});
        to = joined;
      } catch (const std::exception&) {  // MPI is C
        to = nodes(nodes::most_items);
      }
    }
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
