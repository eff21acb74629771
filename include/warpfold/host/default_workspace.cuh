// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scratch that a call without a workspace uses. A slot is a piece of device memory whose control words are zero
// when a kernel starts, and zero again when it has ended.
//
// - Each stream has a slot of its own, which is found again by cudaStreamGetId: handles are reused, identifiers never
//   are.
// - CUDA does not tell when a stream is destroyed. So the slot of a stream may go to a new stream when its last kernel
//   has ended. The first kept_slots slots are kept for good, and a call pays no more for them than a look-up. Each
//   further slot has an event, which every call that uses the slot records behind its kernel. A program that makes
//   streams without end thus holds kept_slots slots, and as many more as have had work under way at once; a program
//   with few streams never records an event.
// - Each call under capture has a slot that belongs to the graph, and returns when the graph and its executables are
//   gone.
#pragma once
#include <algorithm>
#include <mutex>
#include <span>
#include <warpfold/host/device.cuh>
#include <warpfold/host/relaxed_capture.cuh>
#include <warpfold/host/scratch.hpp>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Scratch of streams and graphs. All members can be called by any thread.
///
/// There are two locks. CUDA is called with slots_mutex_ held, but never with free_mutex_ held: a thread that destroys
/// a graph may hold locks of CUDA when CUDA calls free_owned, which takes free_mutex_.
class workspace_pool {
 public:
  /// Slots of streams that have no event: 32 of about 4 MB.
  static constexpr std::size_t kept_slots = 32;

  struct slot {
    int device;
    unsigned long long stream;  ///< its identifier, or no_stream
    std::span<std::byte> bytes;
    cudaEvent_t last_use = nullptr;  ///< null: kept for good
    unsigned long long number = 0;   ///< of the call that used it last
    std::int64_t users = 0;          ///< with an event: calls between borrow and give_back
    slot* next = nullptr;
  };

  /// The pool of this shared library. It is never destroyed: graphs may give slots back while the process ends.
  static workspace_pool& instance() {
    static workspace_pool& pool = *new workspace_pool;
    return pool;
  }

  struct loan {
    std::span<std::byte> bytes;
    slot* borrowed = nullptr;  ///< null where there is nothing to give back: of a graph, or a caller's own bytes
  };

  /// Cleared scratch of at least `bytes` for the next kernel on `stream`. Once that is enqueued, the loan must be given
  /// back. Throws cuda_error, upon which nothing is kept: also where the capture of `stream` has been invalidated.
  [[gnu::noinline]] loan borrow(int device, cudaStream_t stream, std::size_t bytes) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph{};
#if CUDART_VERSION >= 13000
    check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph), "cudaStreamGetCaptureInfo");
#else
    check(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph), "cudaStreamGetCaptureInfo");
#endif
    if (status == cudaStreamCaptureStatusActive) return {slot_of_graph(device, graph, bytes)};
    if (status == cudaStreamCaptureStatusInvalidated)
      throw cuda_error(cudaErrorStreamCaptureInvalidated, "cudaStreamGetCaptureInfo", std::source_location::current());
    unsigned long long id = 0;
    check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    std::lock_guard lock(slots_mutex_);
    slot* found = nullptr;  // slots are few: a search through all costs less than a table would
    for (slot* each = slots_; each != nullptr; each = each->next)
      if (each->stream == id && each->device == device) found = each;
    if (found == nullptr || found->bytes.size() < bytes) {
      // Doubled at least, so that slots that streams outgrow are few. Nobody uses the old slot from here on.
      const std::size_t doubled = found == nullptr ? bytes : std::max(bytes, 2 * found->bytes.size());
      slot* const idle = idle_slot(device, bytes);
      slot* const larger = idle != nullptr ? idle : new_slot(device, stream, doubled);
      if (found != nullptr) found->stream = no_stream;
      found = larger;
      found->stream = id;
    }
    found->number = ++calls_;
    ++found->users;
    return {found->bytes, found};
  }

  /// To be called when the kernel that uses the loan has been enqueued on `stream`, or will not be.
  void give_back(const loan& used, cudaStream_t stream) noexcept {
    if (used.borrowed->last_use == nullptr) return;
    if (cudaEventRecord(used.borrowed->last_use, stream) != cudaSuccess) {
      (void)cudaGetLastError();
      return;  // nobody will know when the kernel has ended: the slot keeps its user, and so its stream
    }
    std::lock_guard lock(slots_mutex_);
    --used.borrowed->users;
  }

  /// As borrow, for a call that never gives back: the stream keeps its slot.
  std::span<std::byte> get(int device, cudaStream_t stream, std::size_t bytes) {
    return borrow(device, stream, bytes).bytes;
  }

 private:
  static constexpr unsigned long long no_stream = ~0ull;

  /// The slot with an event, of those large enough, that has been idle for longest; its stream loses it. Null if there
  /// is none, or if an earlier error of the caller is on CUDA's record, which a query would replace.
  slot* idle_slot(int device, std::size_t bytes) {
    if (slot_count_ < kept_slots || cudaPeekAtLastError() != cudaSuccess) return nullptr;
    slot* oldest = nullptr;
    const relaxed_capture relaxed;
    for (slot* each = slots_; each != nullptr; each = each->next)
      if (each->last_use != nullptr && each->device == device && each->users == 0 && each->bytes.size() >= bytes &&
          (oldest == nullptr || each->number < oldest->number)) {
        if (cudaEventQuery(each->last_use) == cudaSuccess) oldest = each;
        else (void)cudaGetLastError();  // cudaErrorNotReady
      }
    return oldest;
  }

  slot* new_slot(int device, cudaStream_t stream, std::size_t bytes) {
    slot fresh{device, no_stream, {}};
    const relaxed_capture relaxed;
    if (slot_count_ >= kept_slots)
      check(cudaEventCreateWithFlags(&fresh.last_use, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    try {
      fresh.bytes = take_free(device, bytes);
      if (fresh.bytes.empty()) {
        fresh.bytes = allocate(bytes);
        clear(fresh.bytes, stream);
      }
    } catch (...) {
      if (fresh.last_use != nullptr) (void)cudaEventDestroy(fresh.last_use);
      throw;
    }
    fresh.next = slots_;
    ++slot_count_;
    return slots_ = new slot(fresh);
  }

  std::span<std::byte> slot_of_graph(int device, cudaGraph_t graph, std::size_t bytes) {
    std::span<std::byte> found = take_free(device, bytes);
    if (found.empty()) found = allocate_cleared(bytes);
    auto* owned = new free_slot{device, found};
    cudaUserObject_t object{};
    const cudaError_t created = cudaUserObjectCreate(&object, owned, &free_owned, 1, cudaUserObjectNoDestructorSync);
    if (created != cudaSuccess) free_owned(owned);
    check(created, "cudaUserObjectCreate");
    const cudaError_t retained = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (retained != cudaSuccess) (void)cudaUserObjectRelease(object, 1);
    check(retained, "cudaGraphRetainUserObject");
    return found;
  }

  /// Called by CUDA when the graph and its last executable are gone, so that the last kernel has left the slot cleared.
  /// It must not call CUDA, nor wait for a thread that does.
  static void CUDART_CB free_owned(void* data) {
    auto& pool = instance();
    auto* const owned = static_cast<free_slot*>(data);
    std::lock_guard lock(pool.free_mutex_);
    owned->next = pool.free_;
    pool.free_ = owned;
  }

  /// A cleared slot that graphs have left, if one is large enough.
  std::span<std::byte> take_free(int device, std::size_t bytes) {
    std::lock_guard lock(free_mutex_);
    for (free_slot** link = &free_; *link != nullptr; link = &(*link)->next)
      if ((*link)->device == device && (*link)->bytes.size() >= bytes) {
        free_slot* const found = *link;
        *link = found->next;
        const std::span<std::byte> taken = found->bytes;
        delete found;
        return taken;
      }
    return {};
  }

  static std::span<std::byte> allocate(std::size_t bytes) {
    const relaxed_capture relaxed;
    void* data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    return {static_cast<std::byte*>(data), bytes};
  }

  /// Clears the control words in the order of `stream`, or frees `fresh`.
  static void clear(std::span<std::byte> fresh, cudaStream_t stream) {
    const cudaError_t cleared = cudaMemsetAsync(fresh.data(), 0, control_bytes, stream);
    if (cleared == cudaSuccess) return;
    (void)cudaFree(fresh.data());
    check(cleared, "cudaMemsetAsync");
  }

  /// Cleared here and now, on a stream of its own: a memset in the captured stream would be replayed each time.
  static std::span<std::byte> allocate_cleared(std::size_t bytes) {
    const relaxed_capture relaxed;
    cudaStream_t own{};
    check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    std::span<std::byte> fresh;
    try {
      fresh = allocate(bytes);
      clear(fresh, own);
    } catch (...) {
      (void)cudaStreamDestroy(own);
      throw;
    }
    const cudaError_t wait = cudaStreamSynchronize(own);
    (void)cudaStreamDestroy(own);
    if (wait != cudaSuccess) (void)cudaFree(fresh.data());
    check(wait, "cudaStreamSynchronize");
    return fresh;
  }

  struct free_slot {
    int device;
    std::span<std::byte> bytes;
    free_slot* next = nullptr;
  };

  std::mutex slots_mutex_;
  slot* slots_ = nullptr;  // a list: never freed, as the pool
  std::size_t slot_count_ = 0;
  unsigned long long calls_ = 0;
  std::mutex free_mutex_;
  free_slot* free_ = nullptr;  // a list
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
