// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler's inner half: it chooses the next thread and switches to its stack.
#pragma once

#include <cxxabi.h>

#include <cuda_emulator/report.hpp>

#include <utility>

namespace cuda_emulator {

inline void scheduler::wake(warp& w, unsigned lanes) {
  if (w.ready == 0 && lanes != 0) {
    w.ready_position = static_cast<int>(ready_warps_.size());
    ready_warps_.push_back(&w);
  }
  w.ready |= lanes;
}

// Draws a warp uniformly (in a skewed schedule, of two warps the one with the higher priority), then a ready lane.
inline thread* scheduler::pick() {
  choices_ = choices_ + 1;
  if (!late_copies_.empty() && draw(16) == 0 && !deliver_one()) return nullptr;
  while (ready_warps_.empty())
    if (!deliver_one()) return nullptr;

  const std::uint64_t bits = random_();
  warp* w = last_warp_;
  if (w == nullptr || w->ready == 0 || (bits & stay_mask_) == 0) {
    const auto count = static_cast<std::uint32_t>(ready_warps_.size());
    w = ready_warps_[draw(count)];
    if (skewed_ && (bits & 0xF00) != 0) {
      warp* other = ready_warps_[draw(count)];
      if (other->priority > w->priority) w = other;
    }
    last_warp_ = w;
  }

  const int turn = static_cast<int>(bits >> 59);
  const int lane = (std::countr_zero(std::rotr(w->ready, turn)) + turn) & 31;
  w->ready &= ~(1u << lane);
  if (w->ready == 0) {
    warp* moved = ready_warps_.back();
    ready_warps_.pop_back();
    if (moved != w) {
      ready_warps_[static_cast<std::size_t>(w->ready_position)] = moved;
      moved->ready_position = w->ready_position;
    }
    w->ready_position = -1;
  }
  return &w->lanes[lane];
}

inline void scheduler::exchange_static_shared(block& next) {
  if (last_block_ != nullptr) last_block_->images.save();
  next.images.load();
  last_block_ = &next;
}

CUDA_EMULATOR_UNSEEN inline void scheduler::set_current(thread& t) {
  current_thread = &t;
  threadIdx = t.index;
  blockIdx = t.parent->index;
  if (t.parent != last_block_) exchange_static_shared(*t.parent);
}

inline void detail::enter_static_variables(const static_variables& variables) {
  const undivided whole;
  if (current_thread == nullptr) throw error(fault::usage, "__shared__ variable used outside a kernel");
  static_images& images = current_thread->parent->images;
  if (images.has(variables)) return;
  images.enter(variables, current_scheduler->rules().poison);
  races::variables_entered(variables);
}

[[gnu::noinline]] inline void scheduler::assign_worker(thread& t) {
  if (idle_.empty()) {
    workers_.push_back(std::make_unique<worker>(&worker_main, static_cast<unsigned>(workers_.size() * 7)));
    idle_.push_back(workers_.back().get());
  }
  t.on = idle_.back();
  idle_.pop_back();
  t.suspended = t.on->idle;
}

[[gnu::always_inline]] inline void scheduler::resume(thread& next, context& from, stack_bounds& from_bounds) {
  if (next.on == nullptr) assign_worker(next);
  set_current(next);
  switch_context(from, next.suspended, from_bounds, next.on->body.bounds);
}

[[gnu::always_inline]] inline void scheduler::park_here() {
  if (unwinding()) {
    if (*uncaught_exceptions_ > host_exceptions_) return;
    throw cancelled{};
  }
  thread& self = *current_thread;
  thread* next = pick();
  if (next != &self) {
    if (next != nullptr) resume(*next, self.suspended, self.on->body.bounds);
    else to_host(self.suspended, self.on->body.bounds);
    if (unwinding_) throw cancelled{};
  }
  self.waits_at = nullptr;
}
[[gnu::noinline]] inline void scheduler::park() { park_here(); }

inline void scheduler::give_way() {
  if ((++spins_ & 0x3FF) == 0) look_for_deadlock();
  wake(*current_thread);
  last_warp_ = nullptr;
  park();
}

inline void scheduler::spin() {
  const undivided whole;
  if (unwinding()) return park();
  count_poll();
  give_way();
}

inline void scheduler::interrupt(const void* address) {
  const undivided whole;
  until_preemption_ = 1 + draw(32);
  if (address != nullptr && std::exchange(current_thread->read_at_interrupt, address) == address) return spin();
  if (unwinding()) return park();
  step(*current_thread->home);
  give_way();
}

inline void scheduler::worker_main() {
  worker& self = *current_thread->on;
  detail::arrive_on(self.body.bounds);
  scheduler& home = scheduler_of_this_thread();
  while (!self.quit) {
    home.run_current();
    thread* next = home.failure_ || home.unwinding_ ? nullptr : home.pick();
    if (next != nullptr && next->on == nullptr) {  // a thread that has not started can start on this stack
      next->on = &self;
      home.set_current(*next);
      continue;
    }
    home.idle_.push_back(&self);
    if (next != nullptr) home.resume(*next, self.idle, self.body.bounds);
    else home.to_host(self.idle, self.body.bounds);
  }
  home.to_host(self.idle, self.body.bounds, true);
}

inline void scheduler::run_current() noexcept {
  thread& self = *current_thread;
  try {
    if (options_.failing_thread >= 0 && number_in_grid(self) == static_cast<std::uint64_t>(options_.failing_thread))
      fail(fault::trap, "options::failing_thread lets this thread fail");
    {
      const detail::kernel_code kernel(true);
      launch_.body(launch_.arguments);
    }
    if (unwinding_) self.exited = true;  // it met no place at which it could be unwound
    else leave(self);
  } catch (const cancelled&) {
    self.exited = true;
  } catch (...) {
    self.exited = true;
    if (!failure_) failure_ = std::current_exception();
  }
}

// Keeps the first failure: destructors may throw while they unwind, and the kernel may swallow the exception.
inline void scheduler::stop(fault kind, const std::string& message) {
  const undivided whole;
  const thread& self = *current_thread;
  error problem(kind, report::describe(*this, self, message), self.parent->index, self.index);
  if (!failure_) failure_ = std::make_exception_ptr(problem);
  unwinding_ = true;
  throw problem;
}

inline void scheduler::unwind_all() {
  unwinding_ = true;
  for (auto& c : resident_)
    for (auto& b : c->blocks)
      for (thread& t : b->threads)
        if (t.on != nullptr && !t.exited) resume(t, host_, host_bounds_);
}

// The C++ ABI fixes the layout: the caught exceptions, then the number of uncaught ones.
inline const unsigned* uncaught_exceptions_of_this_thread() {
  return reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(abi::__cxa_get_globals()) + sizeof(void*));
}

inline void scheduler::dismiss_workers() {
  for (auto& w : workers_) {
    w->quit = true;
    switch_context(host_, w->idle, host_bounds_, w->body.bounds);
  }
}

}  // namespace cuda_emulator
