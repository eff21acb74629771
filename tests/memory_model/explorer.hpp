// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerates all executions of a small program that the memory model allows: a trace of each thread, the write that
// each read sees, the order of sequentially consistent fences, and coherence.
//
// Threads are added one by one. A read chooses a write of the threads that are there, or waits for a thread to come
// that writes its value. Since axioms that are violated stay so, an execution is dropped as soon as it violates one.
#pragma once
#include <algorithm>
#include <sstream>

#include "memory_model/program.hpp"

namespace memory_model {

/// One execution as others look at it: results of threads, and last values.
struct outcome {
  const execution& all;
  const program& of;
  const std::vector<const trace*>& traces;

  int result(const std::string& name) const {
    for (const trace* each : traces)
      for (const auto& [own, value] : each->results)
        if (own == name) return value;
    return 0;
  }
  /// Whether `value` may be left in a location at the end. Writes that race may leave several.
  bool leaves(int location, int value) const {
    return any_of(all.writes, [&](int w) {
      return all.at[w].location == location && all.at[w].value == value && all.coherence.row[w] == 0;
    });
  }
  std::string text() const {
    std::ostringstream to;
    for (int x = 0; x < all.events; ++x) {
      const event& e = all.at[x];
      if (e.thread < 0) continue;
      if (x == 0 || all.at[x - 1].thread != e.thread)
        to << "  " << of.threads[static_cast<std::size_t>(e.thread)].name << "\n";
      static constexpr const char* orders[] = {"", "weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
      static constexpr const char* scopes[] = {".cta", ".cluster", ".gpu", ".sys"};
      static constexpr const char* kinds[] = {"read", "write", "fence", "arrive", "wait"};
      to << "    " << x << ": " << kinds[static_cast<int>(e.what)];
      if (e.what <= kind::fence) {
        to << ' ' << orders[static_cast<int>(e.how.what)];
        if (e.how.is_strong()) to << scopes[static_cast<int>(e.how.where)];
      }
      if (e.what <= kind::write)
        to << ' ' << of.locations[static_cast<std::size_t>(e.location)].name << " = " << e.value;
      if (e.what == kind::read) {
        const int w = all.source[x];
        if (w >= 0 && all.at[w].thread >= 0) to << ", written by " << w;
        else to << ", at first";
      }
      if (*e.name != 0) to << "  (" << e.name << ")";
      to << "\n";
    }
    return to.str();
  }
};

enum class visit { go_on, stop };

class explorer {
 public:
  /// If it `finds_hangs`, polls that never end are executions, too.
  explicit explorer(const program& of, bool finds_hangs = false, bool barriers_carry_dependencies = false)
      : program_(of) {
    const std::size_t locations = of.locations.size();
    values_.resize(locations);
    for (std::size_t l = 0; l < locations; ++l)
      if (!of.locations[l].is_register) values_[l].push_back(of.locations[l].initial);
    // Values come from others along chains of writes, and an execution has only so many.
    std::size_t longest = 1;
    for (std::size_t length = 0, grows = 1; grows != 0 && length <= longest; ++length) {
      grows = longest = 0;
      traces_.clear();
      for (const auto& each : of.threads) traces_.push_back(thread::all(each.body, values_));
      for (const auto& each : traces_) {
        std::size_t most = 0;
        for (const trace& own : each) {
          std::size_t count = 0;
          for (const event& e : own.events)
            if (e.what == kind::write) {
              ++count;
              auto& known = values_[static_cast<std::size_t>(e.location)];
              if (std::ranges::find(known, e.value) == known.end()) known.push_back(e.value), grows = 1;
            }
          most = std::max(most, count);
        }
        longest += most;
      }
    }
    for (auto& each : traces_)
      std::erase_if(each, [&](const trace& own) { return own.is_given_up || (own.ends_early() && !finds_hangs); });
    start_.barriers_carry_dependencies = barriers_carry_dependencies;
    for (std::size_t t = 0; t < of.threads.size(); ++t) start_.of_thread[t] = of.threads[t].where;
    for (std::size_t l = 0; l < locations; ++l)
      if (!of.locations[l].is_register)
        start_.append({.what = kind::write, .location = static_cast<int>(l), .value = of.locations[l].initial});
      else registers_.push_back(static_cast<int>(l));
  }

  /// Looks at all candidates as a whole, which takes far longer: to check the explorer.
  void take_no_shortcuts() { start_.takes_shortcuts = false; }

  /// Calls each(outcome) for each allowed execution, until it returns visit::stop. Executions that differ in coherence
  /// alone are visited once, but if `each_coherence`.
  template <class Each> void explore(Each each, bool each_coherence = false) {
    visit_ = [&](const outcome& own) { return each(own); };
    each_coherence_ = each_coherence, is_stopped_ = false, executions = 0;
    chosen_.clear();
    add_thread(start_, 0);
  }

  long executions = 0;  ///< visited

  /// Whether the two accesses are of memory, not of registers.
  bool is_memory(const execution& of, int x) const {
    return std::ranges::find(registers_, of.at[x].location) == registers_.end();
  }
  event_set memory(const execution& of) const {
    event_set all = 0;
    each_of(of.reads | of.writes, [&](int x) { all |= is_memory(of, x) ? just(x) : 0; });
    return all;
  }

 private:
  void add_thread(const execution& before, std::size_t number) {
    if (number == program_.threads.size()) return complete(before);
    for (const trace& own : traces_[number]) {
      if (is_stopped_) return;
      execution now = before;
      const int first = now.events;
      if (first + static_cast<int>(own.events.size()) > most_events) throw std::length_error("too many events");
      for (event e : own.events) {
        e.thread = static_cast<int>(number);
        e.depends_on <<= first;
        if (e.pair >= 0) e.pair += first;
        now.append(e);
      }
      chosen_.push_back(&own);
      choose_source(now, number, first, 0);
      chosen_.pop_back();
    }
  }
  /// Chooses the sources of reads from number `read` on. Earlier threads' reads may see the new thread's writes.
  void choose_source(execution& now, std::size_t number, int first_new, int read) {
    while (read < now.events && (now.at[read].what != kind::read || now.source[read] >= 0)) ++read;
    if (is_stopped_) return;
    if (read == now.events) {
      if (!now.takes_shortcuts || now.may_be_consistent()) add_thread(now, number + 1);
      return;
    }
    const event& r = now.at[read];
    for (int w = read < first_new ? first_new : 0; w < now.events; ++w) {
      if (!contains(now.writes, w) || now.at[w].location != r.location || now.at[w].value != r.value) continue;
      if (!can_see(now, read, w)) continue;
      now.source[read] = w;
      choose_source(now, number, first_new, read + 1);
      now.source[read] = -1;
    }
    if (comes_later(number + 1, r)) choose_source(now, number, first_new, read + 1);
  }
  /// Without this, axioms would drop the execution later.
  static bool can_see(const execution& now, int read, int w) {
    if (w == now.at[read].pair) return false;
    if (!now.takes_shortcuts) return true;
    if (now.at[w].thread != now.at[read].thread) {
      if (now.at[read].pair < 0 || !now.morally_strong.has(w, read)) return true;
      return !any_of(now.same_location.row[read] & now.reads & now.morally_strong.row[read], [&](int other) {
        return now.at[other].pair >= 0 && now.source[other] == w && now.morally_strong.has(w, other);
      });
    }
    if (w > read) return false;
    for (int between = w + 1; between < read; ++between)
      if (contains(now.writes & now.same_location.row[w], between)) return false;
    return true;
  }
  bool comes_later(std::size_t number, const event& r) const {
    for (; number < traces_.size(); ++number)
      for (const trace& own : traces_[number])
        for (const event& e : own.events)
          if (e.what == kind::write && e.location == r.location && e.value == r.value) return true;
    return false;
  }

  void complete(const execution& now) {
    if (any_of(now.reads, [&](int r) { return now.source[r] < 0; })) return;
    if (!barriers_are_met(now)) return;
    order_fences(now);
  }
  bool barriers_are_met(const execution& now) const {
    const auto arrivals = [&](int barrier, int use) {
      int all = 0;
      for (int x = 0; x < now.events; ++x)
        all += now.at[x].what == kind::arrive && now.at[x].location == barrier && now.at[x].value == use;
      return all;
    };
    for (int x = 0; x < now.events; ++x) {
      const event& e = now.at[x];
      if (e.what != kind::wait) continue;
      if (arrivals(e.location, e.value) != program_.barriers[static_cast<std::size_t>(e.location)]) return false;
    }
    for (const trace* own : chosen_) {
      if (own->unsent >= 0 && any_of(now.writes, [&](int w) { return now.at[w].location == own->unsent; }))
        return false;
      if (own->cut_at < 0) continue;
      const auto waits = std::ranges::count_if(
          own->events, [&](const event& e) { return e.what == kind::wait && e.location == own->cut_at; });
      if (arrivals(own->cut_at, static_cast<int>(waits)) == program_.barriers[static_cast<std::size_t>(own->cut_at)])
        return false;
    }
    return true;
  }
  /// Fence-SC relates every two morally strong fences.
  void order_fences(const execution& now) {
    if (is_stopped_) return;
    for (int x = 0; x < now.events; ++x)
      for (int y = x + 1; y < now.events; ++y) {
        const auto is_sc = [&](int e) { return now.at[e].what == kind::fence && now.at[e].how.what == semantics::sc; };
        if (!is_sc(x) || !is_sc(y) || !now.morally_strong.has(x, y) || now.at[x].thread == now.at[y].thread ||
            now.fence_sc.has(x, y) || now.fence_sc.has(y, x))
          continue;
        for (const bool swaps : {false, true}) {
          execution ordered = now;
          ordered.fence_sc.add(swaps ? y : x, swaps ? x : y);
          if (ordered.may_be_consistent()) order_fences(ordered);
        }
        return;
      }
    execution all = now;
    if (all.may_be_consistent()) order_writes(all);
  }
  /// Returns whether there is such an execution.
  bool order_writes(const execution& now) {
    int v, w;
    if (!now.find_unordered(v, w)) {
      if (!now.allows_coherence() || !polls_never_end(now)) return false;
      ++executions;
      if (visit_({now, program_, chosen_}) == visit::stop) is_stopped_ = true;
      return true;
    }
    for (const bool swaps : {false, true}) {
      execution ordered = now;
      ordered.coherence.add(swaps ? w : v, swaps ? v : w);
      ordered.coherence.close(now.events);
      if (now.takes_shortcuts && !ordered.allows_coherence()) continue;
      if (order_writes(ordered) && (is_stopped_ || !each_coherence_)) return true;
    }
    return false;
  }
  /// The last read of a poll that never ends sees a last write.
  bool polls_never_end(const execution& now) const {
    int first = static_cast<int>(program_.locations.size() - registers_.size());
    for (const trace* own : chosen_) {
      if (own->stuck >= 0 && now.coherence.row[now.source[first + own->stuck]] != 0) return false;
      first += static_cast<int>(own->events.size());
    }
    return true;
  }

  const program& program_;
  domains values_;
  std::vector<std::vector<trace>> traces_;
  std::vector<int> registers_;
  execution start_;
  std::vector<const trace*> chosen_;
  std::function<visit(const outcome&)> visit_;
  bool each_coherence_ = false, is_stopped_ = false;
};

}  // namespace memory_model
