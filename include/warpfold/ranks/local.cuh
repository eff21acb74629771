// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are GPUs of one process: messages travel through peer memory, in the launch that reduces the local part.
//
//   wf::local_ranks gpus({0, 1, 2, 3});       // rank r is device r
//   wf::all_reduce(gpus[r], …);               // for each r, with the device of rank r current
//
// - The calls of the ranks may come from one host thread, in a loop, or from a thread each. They enqueue one launch and
//   return. Its last block waits for the other ranks, so all ranks' launches must be able to run at once: no rank's
//   stream may wait for another rank's call, or for something that is enqueued after it. (The emulator runs a kernel
//   when it is launched: there, ranks need a thread each.)
// - While a launch waits for other ranks, whatever waits for its device waits, too: cudaFree, cudaDeviceSynchronize, a
//   copy on the default stream, the first call of a kernel, which CUDA then loads. So from one host thread, enqueue the
//   calls of all ranks before that; and give ranks that share a device streams of their own, and the program
//   CUDA_MODULE_LOADING=EAGER in its environment. Scans launch kernels after that one: from one host thread, they need
//   EAGER, too. `gathered`, _value forms and all_reduce_axes wait: they need a thread for each rank.
// - Calls can be captured. A rank that waits longer than options.timeout reports that, and its kernel ends; so do those
//   of the others. From then on all calls throw wf::rank_error until reset().
// - Devices need access to each other's memory (NVLink or PCIe); the constructor enables it. A device may stand there
//   twice. At most 16 ranks.
// - It allocates all it needs when it is made, since CUDA may not allocate while another device's kernel waits: on each
//   device about 10 MB of scratch, and 120 KB for each rank.
#pragma once
#include <memory>
#include <warpfold/host/device_guard.cuh>
#include <warpfold/ranks/exchange.cuh>
#include <warpfold/workspace.cuh>

namespace warpfold {

inline namespace WARPFOLD_HIDDEN_V1 {

/// The GPUs of this process as ranks: of `gpus`, gpus[r] is the communicator of rank r.
class local_ranks {
 public:
  /// The communicator of one rank.
  class one : public communicator_base {
   public:
    ~one() { (void)cudaFree(memory_); }
    int rank() const { return rank_; }                                  ///< this one's number
    int size() const { return static_cast<int>(all_->ranks_.size()); }  ///< how many there are
    int device() const { return device_; }                              ///< the GPU's number

    /// Enqueues that `all` gets `bytes` bytes of each rank.
    void all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) {
      constexpr std::size_t most = std::size_t{ranks::most_message_words} * ranks::word_bytes;
      for (std::size_t done = 0; done < bytes; done += most) {
        const auto piece = static_cast<int>(least_of(most, bytes - done));
        host_side::enqueue(&ranks::all_gather_kernel<>, {1, 256}, stream, boxes(timeout()),
                           static_cast<const std::byte*>(mine) + done, static_cast<std::byte*>(all) + done, piece,
                           bytes, report_place());
      }
    }
    /// Waits for `stream`, whose kernels end by themselves when ranks do not answer.
    void wait(cudaStream_t stream, const char* function = "communicator::wait") {
      {
        const host_side::relaxed_capture relaxed;
        warpfold::require_success(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      }
      check(function);
    }

    // For the functions over ranks.
    /// All ranks' mailboxes, as kernels get them.
    ranks::mailboxes boxes(std::chrono::nanoseconds timeout) const {
      ranks::mailboxes result{};
      for (int i = 0; i < size(); ++i) result.of[i] = all_->ranks_[static_cast<std::size_t>(i)]->box_;
      result.exchanges = exchanges_;
      result.timeout = static_cast<std::uint64_t>(timeout.count());
      result.rank = rank_, result.size = size();
      return result;
    }
    workspace_ref scratch() const { return scratch_; }  ///< of calls that bring none

   private:
    friend local_ranks;
    one(local_ranks* all, int rank, int device) : all_(all), rank_(rank), device_(device) {}
    void clear() {
      warpfold::require_success(cudaMemset(box_, 0, box_bytes()), "cudaMemset");
      warpfold::require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    /// The mailbox, and behind it the number of exchanges.
    std::size_t box_bytes() const { return (ranks::mailbox_words(size()) + 1) * sizeof(arch::message); }

    local_ranks* all_;
    int rank_, device_;
    void* memory_ = nullptr;  ///< scratch, then the mailbox
    arch::message* box_ = nullptr;
    unsigned* exchanges_ = nullptr;
    workspace_ref scratch_;
  };

  /// Rank r is devices[r]. Waits. Throws std::invalid_argument for devices that do not exist or cannot reach each
  /// other.
  explicit local_ranks(const std::vector<int>& devices) {
    if (devices.empty() || devices.size() > ranks::most_local_ranks)
      reject("local_ranks", {"there are ", devices.size(), " devices; there must be 1 to ", ranks::most_local_ranks});
    int count = 0;
    warpfold::require_success(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    for (const int device : devices)
      if (device < 0 || device >= count)
        reject("local_ranks", {"there is no device ", device, "; devices are numbered 0 to ", count - 1});
    for (const int device : devices)
      for (const int peer : devices) open(device, peer);
    for (std::size_t r = 0; r < devices.size(); ++r)
      ranks_.emplace_back(new one(this, static_cast<int>(r), devices[r]));
    for (const auto& each : ranks_) {
      const host_side::device_guard guard(each->device_);
      const std::size_t scratch_bytes = (detail::any_workspace_bytes(256) + 255) / 256 * 256;
      void* memory = nullptr;
      warpfold::require_success(cudaMalloc(&memory, scratch_bytes + each->box_bytes()), "cudaMalloc");
      auto* const bytes = static_cast<std::byte*>(memory);
      each->box_ = reinterpret_cast<arch::message*>(bytes + scratch_bytes);
      each->memory_ = memory;
      each->exchanges_ = reinterpret_cast<unsigned*>(each->box_ + ranks::mailbox_words(size()));
      each->scratch_ = initialize_workspace({bytes, scratch_bytes});
      each->clear();
      (void)each->report_place();
      (void)each->reserve((devices.size() + 1) * ranks::most_message_stride + 136 * 1024);  // scans: up to 16 bytes
    }
  }
  local_ranks(const local_ranks&) = delete;

  int size() const { return static_cast<int>(ranks_.size()); }  ///< how many ranks there are
  one& operator[](int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

  /// Makes the communicator usable after a call that timed out: clears all mailboxes. No call may be under way; graphs
  /// that were captured stay usable.
  void reset() {
    for (const auto& each : ranks_) {
      const host_side::device_guard guard(each->device_);
      each->clear();
    }
  }

 private:
  /// Lets `device` use the memory of `peer`.
  static void open(int device, int peer) {
    if (device == peer) return;
    int can = 0;
    warpfold::require_success(cudaDeviceCanAccessPeer(&can, device, peer), "cudaDeviceCanAccessPeer");
    if (can == 0)
      reject("local_ranks", {"device ", device, " cannot reach the memory of device ", peer, "; ranks/nccl.cuh can"});
    const host_side::device_guard guard(device);
    const cudaError_t enabled = cudaDeviceEnablePeerAccess(peer, 0);
    if (enabled == cudaErrorPeerAccessAlreadyEnabled) (void)cudaGetLastError();
    else require_success(enabled, "cudaDeviceEnablePeerAccess");
  }

  std::vector<std::unique_ptr<one>> ranks_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
