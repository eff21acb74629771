// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that fill a pinned buffer side by side: one thread alone reaches a fraction of the link's speed.
#pragma once
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
  explicit fill_crew(int helpers) {
    try {
      for (int i = 0; i < helpers; ++i) threads_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {}
  }
  fill_crew(const fill_crew&) = delete;
  ~fill_crew() {
    {
      std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& each : threads_) each.join();
  }

  /// Calls work(0) … work(pieces - 1), by all threads, and waits for them. Throws what a call has thrown first; no
  /// further piece is begun then.
  void run(std::int64_t pieces, const std::function<void(std::int64_t)>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work, next_ = 0, pieces_ = pieces, failure_ = nullptr;
    lock.unlock();
    changed_.notify_all();
    lock.lock();
    take_pieces(lock);
    changed_.wait(lock, [this] { return busy_ == 0; });
    work_ = nullptr;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ends_ || next_ < pieces_; });
      if (ends_) return;
      take_pieces(lock);
    }
  }
  /// Takes pieces until none is left. `lock` is held, but not while a piece is worked on.
  void take_pieces(std::unique_lock<std::mutex>& lock) {
    while (next_ < pieces_) {
      const std::int64_t piece = next_++;
      ++busy_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        (*work_)(piece);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      --busy_;
      if (failure) {
        if (!failure_) failure_ = failure;
        next_ = pieces_;
      }
      if (next_ >= pieces_ && busy_ == 0) changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(std::int64_t)>* work_ = nullptr;
  std::int64_t next_ = 0, pieces_ = 0;
  int busy_ = 0;  // pieces that are being worked on
  bool ends_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
