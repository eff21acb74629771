// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a thread that computes for ever: it runs for many seconds and never comes to a barrier, an atomic or another
// call of the emulator. A timer of the host thread's processor time looks once a second whether another thread has been
// chosen since. (Threads that poll are a deadlock: polling.hpp.)
#pragma once

#include <cuda_emulator/switching.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

namespace cuda_emulator {

// Gives the running thread up. It is not unwound, and its destructors do not run.
inline void scheduler::abandon(fault kind, std::string message) {
  try {
    const std::string freed_in_time = std::move(message);
    stop(kind, freed_in_time);
  } catch (const error&) {}
  thread& self = *current_thread;
  self.exited = true;
  self.on->abandoned = true;
  to_host(self.suspended, self.on->body.bounds, true);
  std::abort();
}

// Called by a signal's handler, in the middle of anything, once a second of processor time.
inline void scheduler::look_for_endless_loop() {
  if (current_thread == nullptr || unwinding_ || std::exchange(choices_seen_, choices_) != choices_) {
    seconds_without_choice_ = 0;
    return;
  }
  if (++seconds_without_choice_ < options_.endless_seconds) return;
  seconds_without_choice_ = 0;
  abandon(fault::endless_loop, text("the thread has run for ", options_.endless_seconds,
                                    " s of processor time without coming to a call of the emulator"));
}

namespace detail {

// The timer of a host thread, and the handler of its signal.
class loop_timer {
 public:
  loop_timer() {
    if (!has_handler()) return;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal_number;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    exists_ = syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  }
  ~loop_timer() {
    if (exists_) syscall(SYS_timer_delete, timer_);
  }
  loop_timer(const loop_timer&) = delete;
  loop_timer& operator=(const loop_timer&) = delete;

  void set(bool runs) {
    if (!exists_) return;
    itimerspec when{};
    when.it_value.tv_sec = when.it_interval.tv_sec = runs ? 1 : 0;
    syscall(SYS_timer_settime, timer_, 0, &when, nullptr);
  }

 private:
  static constexpr int signal_number = SIGVTALRM;

  static void handle(int) {
    const undivided whole;
    const int saved = errno;
    if (current_scheduler != nullptr) current_scheduler->look_for_endless_loop();
    errno = saved;
  }
  // False if the program uses the signal itself.
  static bool has_handler() {
    static const bool installed = [] {
      struct sigaction before {};
      if (sigaction(signal_number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return false;
      struct sigaction own {};
      own.sa_handler = &handle;
      own.sa_flags = SA_RESTART | SA_NODEFER;  // a thread that is given up never returns from the handler
      return sigaction(signal_number, &own, nullptr) == 0;
    }();
    return installed;
  }

  int timer_ = 0;  // the kernel's number
  bool exists_ = false;
};

inline void watch_for_endless_loops(bool runs) {
  static thread_local loop_timer timer;
  timer.set(runs);
}

}  // namespace detail
}  // namespace cuda_emulator
