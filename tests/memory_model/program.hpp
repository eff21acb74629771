// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small programs of a few threads, written as functions: a thread reads, writes, fences, meets others at barriers, and
// branches on what it reads. The explorer calls such a function again and again, with all values that reads may return.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory_model/execution.hpp"

namespace memory_model {

/// What one thread does if its reads return certain values. Numbers of events are the thread's own.
struct trace {
  std::vector<event> events;
  std::vector<std::pair<const char*, int>> results;
  const char* broken = nullptr;  ///< the expectation that does not hold
  int stuck = -1;                ///< the read of a poll that never ends
  int cut_at = -1;               ///< the barrier that others never reach
  int unsent = -1;               ///< the channel into which nothing is ever sent
  bool is_given_up = false;      ///< shows values that others may read, and is not explored

  bool ends_early() const { return stuck >= 0 || cut_at >= 0 || unsent >= 0; }
};

class thread;

/// A value and the reads that it comes from. To branch on it makes all later events depend on these reads.
struct value {
  int number = 0;
  event_set from = 0;
  thread* owner = nullptr;

  value(int n = 0) : number(n) {}
  value(int n, event_set reads, thread* of) : number(n), from(reads), owner(of) {}
  explicit operator bool() const;

  template <class F> static value join(const value& a, const value& b, F f) {
    return {f(a.number, b.number), a.from | b.from, a.owner != nullptr ? a.owner : b.owner};
  }
  friend value operator+(const value& a, const value& b) {
    return join(a, b, [](int x, int y) { return x + y; });
  }
  friend value operator-(const value& a, const value& b) {
    return join(a, b, [](int x, int y) { return x - y; });
  }
  friend value operator/(const value& a, const value& b) {
    return join(a, b, [](int x, int y) { return x / y; });
  }
  friend value operator%(const value& a, const value& b) {
    return join(a, b, [](int x, int y) { return x % y; });
  }
  friend value operator==(const value& a, const value& b) {
    return join(a, b, [](int x, int y) { return x == y; });
  }
  friend value operator!=(const value& a, const value& b) {
    return join(a, b, [](int x, int y) { return x != y; });
  }
  friend value operator>=(const value& a, const value& b) {
    return join(a, b, [](int x, int y) { return x >= y; });
  }
};

using domains = std::vector<std::vector<int>>;  ///< of each location, the values that it may hold

/// A thread that is run with given values. A barrier orders memory as its halves do; all its users name how many they
/// are.
class thread {
 public:
  value read(int location, order how, const char* name = "") {
    const auto& domain = (*domains_)[static_cast<std::size_t>(location)];
    if (domain.empty()) throw blocked{};
    return record_read(location, how, domain[choose(domain.size())], name);
  }
  void write(int location, const value& what, order how, const char* name = "") {
    if (how.what == semantics::omitted) return;
    record({.what = kind::write, .how = how, .location = location, .value = what.number, .name = name}, what.from);
  }
  /// Reads, and writes update(what was read); returns what was read.
  template <class Update> value modify(int location, order how, Update update, const char* name = "") {
    const value before = read(location, how, name);
    const value after = update(before);
    pair_with(location, {after.number, after.from | before.from, this}, how, name);
    return before;
  }
  /// The write of a read-modify-write whose read was the last event.
  void pair_with(int location, const value& after, order how, const char* name = "") {
    const int own = static_cast<int>(made_.events.size());
    record(
        {.what = kind::write, .how = how, .location = location, .value = after.number, .pair = own - 1, .name = name},
        after.from);
    made_.events[static_cast<std::size_t>(own - 1)].pair = own;
  }
  /// As modify, by an instruction that returns nothing.
  template <class Update> void reduce(int location, order how, Update update, const char* name = "") {
    const std::size_t own = made_.events.size();
    modify(location, how, update, name);
    made_.events[own].is_reduction = true;
  }
  value add(int location, int summand, order how, const char* name = "") {
    return modify(
        location, how, [&](const value& before) { return before + summand; }, name);
  }
  /// As atomicInc: from `last` on to zero.
  value inc(int location, int last, order how, const char* name = "") {
    return modify(
        location, how, [&](const value& before) { return (before + 1) % (last + 1); }, name);
  }
  /// Polls until is_enough(value). Only the read that ends the poll is an event; or, if none does, the last one.
  template <class Enough> value await(int location, order how, Enough is_enough, const char* name = "") {
    const value seen = read(location, how, name);
    if (is_enough(seen.number)) {
      control_ |= seen.from;
      return seen;
    }
    made_.stuck = static_cast<int>(made_.events.size()) - 1;
    throw blocked{};
  }
  void send(int channel, const value& what) { write(channel, what, weak); }
  value receive(int channel) {
    if (choose(2) == 1) {
      made_.unsent = channel;
      throw blocked{};
    }
    const value sent = read(channel, weak);
    control_ |= sent.from;
    return sent;
  }
  void fence(order how, const char* name = "") {
    if (how.what != semantics::omitted) record({.what = kind::fence, .how = how, .name = name});
  }
  /// A relaxed arrival, as a cluster's barrier has it, releases nothing.
  void arrive(int barrier, order how = acq_rel(scope::cluster), const char* name = "") {
    record({.what = kind::arrive, .how = how, .location = barrier, .value = uses(arrivals_, barrier)++, .name = name});
  }
  void wait(int barrier, const char* name = "") {
    if (choose(2) == 1) {
      made_.cut_at = barrier;
      throw blocked{};
    }
    record({.what = kind::wait, .location = barrier, .value = uses(waits_, barrier)++, .name = name});
    control_ |= just(static_cast<int>(made_.events.size()) - 1);
  }
  void sync(int barrier, const char* name = "") { arrive(barrier), wait(barrier, name); }

  /// Each of the locations in turn: one more way to explore.
  int any(std::initializer_list<int> locations) { return locations.begin()[choose(locations.size())]; }
  /// Ends a way that shall not be explored, such as one more round of a loop.
  [[noreturn]] void give_up() {
    made_.is_given_up = true;
    throw blocked{};
  }
  /// Later events depend on `reads`.
  void branch_on(event_set reads) { control_ |= reads; }
  void expect(const value& holds, const char* what) {
    if (holds.number == 0 && made_.broken == nullptr) made_.broken = what;
  }
  void result(const char* name, const value& is) { made_.results.emplace_back(name, is.number); }

  /// All traces of `body`, if locations hold the values of `values`. A thread that is stuck has no more events.
  static std::vector<trace> all(const std::function<void(thread&)>& body, const domains& values) {
    std::vector<trace> found;
    thread own;
    own.domains_ = &values;
    do {
      own.made_ = {}, own.control_ = 0, own.position_ = 0, own.arrivals_.clear(), own.waits_.clear();
      bool is_possible = true;
      try {
        body(own);
      } catch (const blocked&) {
        is_possible = own.made_.ends_early() || own.made_.is_given_up;
      }
      if (is_possible) found.push_back(own.made_);
      if (found.size() > 20000) throw std::length_error("a thread has too many traces");
    } while (own.next_choice());
    return found;
  }

 private:
  struct blocked {};
  struct choice {
    std::size_t taken, of;
  };

  value record_read(int location, order how, int what, const char* name) {
    record({.what = kind::read, .how = how, .location = location, .value = what, .name = name});
    return {what, just(static_cast<int>(made_.events.size()) - 1), this};
  }
  void record(event e, event_set from = 0) {
    e.depends_on = from | control_;
    made_.events.push_back(e);
  }
  std::size_t choose(std::size_t of) {
    if (position_ == choices_.size()) choices_.push_back({0, of});
    return choices_[position_++].taken;
  }
  bool next_choice() {
    choices_.resize(position_);
    while (!choices_.empty() && ++choices_.back().taken == choices_.back().of) choices_.pop_back();
    return !choices_.empty();
  }
  static int& uses(std::vector<int>& of, int barrier) {
    if (of.size() <= static_cast<std::size_t>(barrier)) of.resize(static_cast<std::size_t>(barrier) + 1);
    return of[static_cast<std::size_t>(barrier)];
  }

  const domains* domains_ = nullptr;
  std::vector<choice> choices_;
  std::size_t position_ = 0;
  trace made_;
  event_set control_ = 0;
  std::vector<int> arrivals_, waits_;
};

inline value::operator bool() const {
  if (owner != nullptr) owner->branch_on(from);
  return number != 0;
}

/// Threads and the locations and barriers that they share.
struct program {
  struct location_facts {
    const char* name;
    int initial;
    bool is_register;
  };
  struct thread_facts {
    const char* name;
    position where;
    std::function<void(thread&)> body;
  };
  std::vector<location_facts> locations;
  std::vector<int> barriers;  ///< arrivals that each use of a barrier needs
  std::vector<thread_facts> threads;

  int location(const char* name, int initial = 0) {
    locations.push_back({name, initial, false});
    return static_cast<int>(locations.size()) - 1;
  }
  /// By which a thread hands a value to another one without memory, as a shuffle does. It is written before it is read.
  int channel(const char* name) {
    locations.push_back({name, 0, true});
    return static_cast<int>(locations.size()) - 1;
  }
  int barrier(int arrivals) {
    barriers.push_back(arrivals);
    return static_cast<int>(barriers.size()) - 1;
  }
  void run(const char* name, position where, std::function<void(thread&)> body) {
    threads.push_back({name, where, std::move(body)});
  }
};

}  // namespace memory_model
