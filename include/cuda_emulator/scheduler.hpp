// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one grid at a time on the calling host thread. It decides which blocks are resident and which thread runs next.
#pragma once

#include <cuda_emulator/error.hpp>
#include <cuda_emulator/execution.hpp>
#include <cuda_emulator/races/events.hpp>
#include <cuda_emulator/settings.hpp>
#include <cuda_emulator/undivided.hpp>

#include <atomic>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace cuda_emulator {

struct grid_launch {
  const void* kernel = nullptr;
  dim3 grid, block, cluster{1, 1, 1};
  std::size_t shared_bytes = 0;
  int most_resident_blocks = 1;         // the occupancy of the device
  bool allow_unwritten_reads = false;   // as options say at the launch, which may run later
  void (*body)(const void*) = nullptr;  // calls the kernel once
  const void* arguments = nullptr;
};

class scheduler {
 public:
  scheduler() = default;
  ~scheduler() { dismiss_workers(); }
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  // For the host: returns when every block is done. If the kernel fails, unwinds all its threads and throws the error.
  void run(const grid_launch& launch);

  // For the running thread.
  void park();       // waits until woken
  void park_here();  // the same, inlined for hot callers
  void spin();       // lets others run; the caller waits for memory to change
  // Lets others run, now and then. A thread that comes twice in a row with the same address polls it; null is no poll.
  void preempt(const void* address = nullptr) {
    if (address != nullptr && std::exchange(current_thread->read, address) == address) count_poll();
    if (--until_preemption_ == 0) interrupt(address);
  }
  // Lanes of `w` have met, or one has read new memory. A warp that does so often makes progress.
  void step(warp& w) {
    if (++w.steps > steps_of_progress) progress();
  }
  template <class... Parts> [[noreturn]] void fail(fault kind, const Parts&... parts) { stop(kind, text(parts...)); }
  void wake(warp& w, unsigned lanes);
  void wake(thread& t) { wake(*t.home, 1u << t.lane); }
  bool coin() { return (random_() & 1) != 0; }
  std::uint32_t draw(std::uint32_t bound) { return random_.below(bound); }
  void maybe_yield() {
    if ((random_() & 3) != 0) return;
    wake(*current_thread);
    park();
  }

  // For callers that must not throw.
  [[noreturn]] void abandon(fault kind, std::string message);
  void look_for_endless_loop();

#if defined(CUDA_EMULATOR_SPLIT_ACCESSES)
  // For the hooks of plain accesses, which must not throw.
  void split();  // lets others run
  bool shares(const void* address);
  bool draw_next_split() {
    until_split = 1 + draw(split_grain_);
    return true;
  }
  std::uint32_t until_split = 1;
#endif

  const grid_launch& launch() const { return launch_; }
  const options& rules() const { return options_; }
  // Whether the running thread unwinds. Then its destructors must not wait for other threads.
  bool unwinding() const { return unwinding_ || *uncaught_exceptions_ > host_exceptions_; }
  std::vector<late_copy>& late_copies() { return late_copies_; }
  void (*deliver)(late_copy&&) = nullptr;  // set by the function that enqueues late copies

  // The private exception that unwinds the threads of a kernel that failed.
  struct cancelled {};

 private:
  friend struct report;
#if defined(CUDA_EMULATOR_RACES)
  friend class races::detector;
  friend struct races::race_report;
#endif

  [[noreturn]] void stop(fault kind, const std::string& message);
  static void worker_main();
  void run_current() noexcept;
  std::uint64_t number_in_grid(const thread& t) const {
    const uint3 at = t.parent->index;
    return (at.x + launch_.grid.x * (at.y + std::uint64_t{launch_.grid.y} * at.z)) * t.parent->thread_count + t.rank;
  }
  void leave(thread& t);
  void finish_block(block& b);
  thread* pick();
  void resume(thread& next, context& from, stack_bounds& from_bounds);
  void to_host(context& from, stack_bounds& from_bounds, bool last = false) {
    switch_context(from, host_, from_bounds, host_bounds_, last);
  }
  void assign_worker(thread& t);
  void set_current(thread& t);
  void exchange_static_shared(block& next);
  void interrupt(const void* address);
  void give_way();
  void look_for_deadlock();
  std::uint64_t fingerprint();
  template <class Visit> void visit_memory(Visit visit);
  void count_poll() {
    current_thread->home->steps = 0;
    ++idle_polls_;
  }
  void progress() {
    idle_polls_ = 0;
    fingerprint_.reset();
  }
  void admit();
  void admit_cluster();
  void prepare(block& b, cluster& c, std::uint64_t rank, unsigned cluster_rank);
  std::uint64_t next_cluster_rank();
  bool deliver_one();
  void unwind_all();
  void dismiss_workers();
  bool done() const { return resident_.empty() && admitted_ == cluster_total_; }

  grid_launch launch_;
  options options_;
  random_source random_;
  context host_{};
  stack_bounds host_bounds_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<worker*> idle_;
  std::vector<warp*> ready_warps_;
  warp* last_warp_ = nullptr;
  block* last_block_ = nullptr;  // the block whose static shared variables are in place
  std::uint64_t stay_mask_ = 0;  // how often the scheduler stays with one warp
  bool skewed_ = false;          // prefers some warps to others
  std::vector<std::unique_ptr<cluster>> resident_, spare_;
  std::vector<std::uint64_t> order_pool_;  // cluster ranks that may start next
  std::uint64_t order_next_ = 0, admitted_ = 0, cluster_total_ = 0;
  int resident_target_ = 1, resident_most_ = 1;  // in clusters
  static constexpr unsigned steps_of_progress = 256;
  std::uint64_t spins_ = 0;                   // interrupts and polls since a block began or a thread ended
  std::uint64_t idle_polls_ = 0;              // polls since progress was seen, or memory was looked at
  std::optional<std::uint64_t> fingerprint_;  // of memory when it was looked at, if nothing has shown progress since
  std::vector<memory_range> variables_;       // of the kernel's module, once they have been asked for
  unsigned until_preemption_ = 1;
  volatile std::uint64_t choices_ = 0;  // of threads; a signal's handler reads it
  std::uint64_t choices_seen_ = 0;
  int seconds_without_choice_ = 0;
  [[maybe_unused]] std::uint32_t split_grain_ = 1;
  std::vector<late_copy> late_copies_;
  std::exception_ptr failure_;
  const unsigned* uncaught_exceptions_ = nullptr;  // of the host thread; every switch reads it
  unsigned host_exceptions_ = 0;
  bool unwinding_ = false;
};

inline scheduler& scheduler_of_this_thread() {
  static thread_local scheduler instance;
  return instance;
}

inline std::atomic<int>& running_launches() {
  static std::atomic<int> count{0};
  return count;
}

}  // namespace cuda_emulator
