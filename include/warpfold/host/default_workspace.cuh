// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scratch that a call without a workspace uses. A slot is a piece of device memory whose control words are zero
// when a kernel starts, and zero again when it has ended.
//
// - Each stream has a slot of its own, which is found again by cudaStreamGetId: handles are reused, identifiers never
//   are. It has what the calls on the stream needed so far; a call that needs more gets a larger one.
// - CUDA does not tell when a stream is destroyed. So the slot of a stream may go to a new stream when its last kernel
//   has ended. The first kept_slots slots are kept for good, and a call pays no more for them than a look-up. Each
//   further slot has an event, which every call that uses the slot records behind its kernel. A program that makes
//   streams without end thus holds kept_slots slots, and as many more as have had work under way at once; a program
//   with few streams never records an event.
// - Each call under capture has a slot that belongs to the graph, and returns when the graph and its executables are
//   gone.
#pragma once
#include <mutex>
#include <span>
#include <utility>
#include <warpfold/host/device.cuh>
#include <warpfold/host/relaxed_capture.cuh>
#include <warpfold/host/scratch.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Scratch of streams and graphs. All members can be called by any thread.
///
/// There are two locks. CUDA is called with slots_mutex_ held, but never with free_mutex_ held: a thread that destroys
/// a graph may hold locks of CUDA when CUDA calls free_owned, which takes free_mutex_.
class workspace_pool {
 public:
  /// Slots of streams that have no event.
  static constexpr std::size_t kept_slots = 32;

  /// Device memory, and how much of it are control words.
  struct memory {
    std::span<std::byte> bytes;
    std::size_t control_bytes = 0;

    bool suffices(const scratch_need& need) const {
      return control_bytes >= need.own_control_bytes() && bytes.size() - control_bytes >= need.room_bytes;
    }
  };

  struct slot {
    int device;
    unsigned long long stream;  ///< its identifier, or no_stream
    memory scratch;
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
    memory scratch;
    slot* borrowed = nullptr;  ///< null where there is nothing to give back: of a graph, or a caller's own bytes
  };

  /// Cleared scratch that suffices for the next kernel on `stream`. Once that is enqueued, the loan must be given
  /// back. Throws cuda_error, upon which nothing is kept: also where the capture of `stream` has been invalidated.
  [[gnu::noinline]] loan borrow(int device, cudaStream_t stream, scratch_need need) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph{};
#if CUDART_VERSION >= 13000
    require_success(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph), "cudaStreamGetCaptureInfo");
#else
    require_success(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph), "cudaStreamGetCaptureInfo");
#endif
    if (status == cudaStreamCaptureStatusActive) return {slot_of_graph(device, graph, need)};
    if (status == cudaStreamCaptureStatusInvalidated)
      throw cuda_error(cudaErrorStreamCaptureInvalidated, "cudaStreamGetCaptureInfo", std::source_location::current());
    unsigned long long id = 0;
    require_success(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    std::lock_guard lock(slots_mutex_);
    slot* found = nullptr;  // slots are few: a search through all costs less than a table would
    for (slot* each = slots_; each != nullptr; each = each->next)
      if (each->stream == id && each->device == device) found = each;
    if (found == nullptr || !found->scratch.suffices(need)) {
      slot* const idle = idle_slot(device, need);
      slot* const larger =
          idle != nullptr ? idle : new_slot(device, stream, found == nullptr ? need : grown(*found, need));
      if (found != nullptr) {  // nobody uses it from here on
        found->stream = no_stream;
        if (found->last_use == nullptr) --kept_count_;
      }
      found = larger;
      found->stream = id;
    }
    found->number = ++calls_;
    ++found->users;
    return {found->scratch, found};
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

  /// Frees all that nothing owns: slots of streams, and those that graphs have left. Returns their bytes. No loan may
  /// be out.
  std::size_t release() {
    std::lock_guard lock(slots_mutex_);
    slot* held = std::exchange(slots_, nullptr);
    kept_count_ = 0;
    free_slot* left = nullptr;
    {
      std::lock_guard free_lock(free_mutex_);
      left = std::exchange(free_, nullptr);
    }
    const relaxed_capture relaxed;
    std::size_t bytes = 0;
    cudaError_t failure = cudaSuccess;
    const auto free_memory = [&](const memory& scratch) {
      bytes += scratch.bytes.size();
      if (const cudaError_t freed = cudaFree(scratch.bytes.data()); freed != cudaSuccess) failure = freed;
    };
    while (held != nullptr) {
      free_memory(held->scratch);
      if (held->last_use != nullptr) (void)cudaEventDestroy(held->last_use);
      delete std::exchange(held, held->next);
    }
    while (left != nullptr) {
      free_memory(left->scratch);
      delete std::exchange(left, left->next);
    }
    require_success(failure, "cudaFree");
    return bytes;
  }

 private:
  static constexpr unsigned long long no_stream = ~0ull;

  /// Scratch that serves the calls of before and the next one. Partial results get twice the room at least,
  /// so streams seldom outgrow their slots.
  static scratch_need grown(const slot& outgrown, scratch_need need) {
    const memory& before = outgrown.scratch;
    need.feature_bytes = greatest_of(need.feature_bytes, before.control_bytes - workspace_alignment);
    if (const std::size_t room = before.bytes.size() - before.control_bytes; need.room_bytes > room)
      need.room_bytes = greatest_of(need.room_bytes, 2 * room);
    else need.room_bytes = room;
    return need;
  }
  /// The slot with an event, of those large enough, that has been idle for longest; its stream loses it. Null if there
  /// is none, or if an earlier error of the caller is on CUDA's record, which a query would replace.
  [[gnu::noinline, gnu::cold]] slot* idle_slot(int device, const scratch_need& need) {
    if (kept_count_ < kept_slots || cudaPeekAtLastError() != cudaSuccess) return nullptr;
    slot* oldest = nullptr;
    const relaxed_capture relaxed;
    for (slot* each = slots_; each != nullptr; each = each->next)
      if (each->last_use != nullptr && each->device == device && each->users == 0 && each->scratch.suffices(need) &&
          (oldest == nullptr || each->number < oldest->number)) {
        if (cudaEventQuery(each->last_use) == cudaSuccess) oldest = each;
        else (void)cudaGetLastError();  // cudaErrorNotReady
      }
    return oldest;
  }

  [[gnu::noinline, gnu::cold]] slot* new_slot(int device, cudaStream_t stream, const scratch_need& need) {
    slot fresh{device, no_stream, {}};
    const relaxed_capture relaxed;
    if (kept_count_ >= kept_slots)
      require_success(cudaEventCreateWithFlags(&fresh.last_use, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    try {
      fresh.scratch = take_free(device, need);
      if (fresh.scratch.bytes.empty()) {
        fresh.scratch = allocate(need);
        clear(fresh.scratch, stream);
      }
    } catch (...) {
      if (fresh.last_use != nullptr) (void)cudaEventDestroy(fresh.last_use);
      throw;
    }
    fresh.next = slots_;
    if (fresh.last_use == nullptr) ++kept_count_;
    return slots_ = new slot(fresh);
  }

  [[gnu::noinline, gnu::cold]] memory slot_of_graph(int device, cudaGraph_t graph, const scratch_need& need) {
    memory found = take_free(device, need);
    if (found.bytes.empty()) found = allocate_cleared(need);
    auto* owned = new free_slot{device, found};
    cudaUserObject_t object{};
    const cudaError_t created = cudaUserObjectCreate(&object, owned, &free_owned, 1, cudaUserObjectNoDestructorSync);
    if (created != cudaSuccess) free_owned(owned);
    require_success(created, "cudaUserObjectCreate");
    const cudaError_t retained = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (retained != cudaSuccess) (void)cudaUserObjectRelease(object, 1);
    require_success(retained, "cudaGraphRetainUserObject");
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
  memory take_free(int device, const scratch_need& need) {
    std::lock_guard lock(free_mutex_);
    for (free_slot** link = &free_; *link != nullptr; link = &(*link)->next)
      if ((*link)->device == device && (*link)->scratch.suffices(need)) {
        free_slot* const found = *link;
        *link = found->next;
        const memory taken = found->scratch;
        delete found;
        return taken;
      }
    return {};
  }

  [[gnu::noinline, gnu::cold]] static memory allocate(const scratch_need& need) {
    const relaxed_capture relaxed;
    void* data = nullptr;
    require_success(cudaMalloc(&data, need.own_bytes()), "cudaMalloc");
    return {{static_cast<std::byte*>(data), need.own_bytes()}, need.own_control_bytes()};
  }

  /// Clears the control words in the order of `stream`, or frees `fresh`.
  static void clear(const memory& fresh, cudaStream_t stream) {
    const cudaError_t cleared = cudaMemsetAsync(fresh.bytes.data(), 0, fresh.control_bytes, stream);
    if (cleared == cudaSuccess) return;
    (void)cudaFree(fresh.bytes.data());
    require_success(cleared, "cudaMemsetAsync");
  }

  /// Cleared here and now, on a stream of its own: a memset in the captured stream would be replayed each time.
  [[gnu::noinline, gnu::cold]] static memory allocate_cleared(const scratch_need& need) {
    const relaxed_capture relaxed;
    cudaStream_t own{};
    require_success(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    memory fresh;
    try {
      fresh = allocate(need);
      clear(fresh, own);
    } catch (...) {
      (void)cudaStreamDestroy(own);
      throw;
    }
    const cudaError_t wait = cudaStreamSynchronize(own);
    (void)cudaStreamDestroy(own);
    if (wait != cudaSuccess) (void)cudaFree(fresh.bytes.data());
    require_success(wait, "cudaStreamSynchronize");
    return fresh;
  }

  struct free_slot {
    int device;
    memory scratch;
    free_slot* next = nullptr;
  };

  std::mutex slots_mutex_;
  slot* slots_ = nullptr;       // a list: never freed, as the pool
  std::size_t kept_count_ = 0;  // slots without an event that belong to a stream
  unsigned long long calls_ = 0;
  std::mutex free_mutex_;
  free_slot* free_ = nullptr;  // a list
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
