// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that fill a pinned buffer side by side: one thread alone reaches a fraction of the link's speed.
//
// To wake a thread takes some ten microseconds, and the next buffer often comes as soon. So threads poll before they
// sleep, for longer than 32 MiB take on the link, if the machine has a processor for each.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>
#include <warpfold/config.hpp>

namespace warpfold::host_memory {
inline namespace WARPFOLD_HIDDEN_V1 {

class fill_crew {
 public:
  /// The calling thread works, too: `helpers` may be 0. If the system refuses threads, fewer ones help.
  explicit fill_crew(int helpers) : polls_(std::thread::hardware_concurrency() > static_cast<unsigned>(helpers)) {
    try {
      for (int i = 0; i < helpers; ++i) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {}
  }
  fill_crew(const fill_crew&) = delete;
  ~fill_crew() {
    {
      std::lock_guard lock(mutex_);
      ends_ = true;
      ++changes_;
    }
    changed_.notify_all();
    for (std::thread& each : threads_) each.join();
  }

  /// Calls work(0) … work(pieces - 1), by all threads, and waits for them. Throws what a call has thrown first; no
  /// further piece is begun then.
  void run(std::int64_t pieces, const std::function<void(std::int64_t)>& work) {
    if (threads_.empty() || pieces <= 1) {
      for (std::int64_t piece = 0; piece < pieces; ++piece) work(piece);
      return;
    }
    {
      std::lock_guard lock(mutex_);
      work_ = &work, pieces_ = pieces, next_ = 0;
      ++changes_;
    }
    changed_.notify_all();
    take_pieces();
    poll_while([this] { return working_ != 0; });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return working_ == 0; });
    work_ = nullptr;  // who has not begun will not
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  bool has_pieces() const { return work_ != nullptr && next_ < pieces_; }

  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      const unsigned seen = changes_;
      if (!has_pieces() && !ends_) {
        lock.unlock();
        poll_while([&] { return changes_ == seen; });
        lock.lock();
        changed_.wait(lock, [this] { return ends_ || has_pieces(); });
      }
      if (ends_) return;
      ++working_;
      lock.unlock();
      take_pieces();
      lock.lock();
      if (--working_ == 0) changed_.notify_all();
    }
  }
  /// Works on pieces until none is left.
  void take_pieces() {
    try {
      for (std::int64_t piece; (piece = next_++) < pieces_;) (*work_)(piece);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = pieces_;
    }
  }
  template <class Condition> void poll_while(Condition condition) const {
    if (!polls_) return;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (condition() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }

  const bool polls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<unsigned> changes_ = 0;  // of what threads wait for
  // The work and the number of its pieces change only while no helper works.
  const std::function<void(std::int64_t)>* work_ = nullptr;
  std::int64_t pieces_ = 0;
  std::atomic<std::int64_t> next_ = 0;  // piece
  std::atomic<int> working_ = 0;        // helpers
  bool ends_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
