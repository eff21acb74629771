// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory consistency model of PTX: chapter 8 of the PTX ISA, in the terms of Lustig, Sahasrabuddhe and Giroux, A
// Formal Analysis of the NVIDIA PTX Memory Consistency Model, 2019. An execution is a set of events and who reads from
// whom; this file says what follows from them, and whether the model allows it. One proxy and one size of accesses.
#pragma once
#include <cstdint>

namespace memory_model {

enum class semantics : std::uint8_t { omitted, weak, relaxed, acquire, release, acq_rel, sc };
enum class scope : std::uint8_t { cta, cluster, gpu, sys };

/// The order of an operation, and the threads that it holds for.
struct order {
  semantics what = semantics::weak;
  scope where = scope::gpu;

  constexpr bool is_strong() const { return what > semantics::weak; }
  constexpr bool acquires() const {
    return what == semantics::acquire || what == semantics::acq_rel || what == semantics::sc;
  }
  constexpr bool releases() const { return what >= semantics::release; }
  friend constexpr bool operator==(order, order) = default;
};
inline constexpr order weak{};
constexpr order relaxed(scope where) { return {semantics::relaxed, where}; }
constexpr order acquire(scope where) { return {semantics::acquire, where}; }
constexpr order release(scope where) { return {semantics::release, where}; }
constexpr order acq_rel(scope where) { return {semantics::acq_rel, where}; }
constexpr order sc(scope where) { return {semantics::sc, where}; }

/// Where a thread runs. CTAs and clusters are numbered within their GPU.
struct position {
  int cta = 0, gpu = 0, cluster = 0;
};

inline constexpr int most_events = 64;
using event_set = std::uint64_t;
constexpr event_set just(int event) { return event_set{1} << event; }
constexpr bool contains(event_set set, int event) { return set >> event & 1; }
/// Calls f(event) for each event of a set, until it returns true; returns whether it did.
template <class F> bool any_of(event_set set, F f) {
  for (; set != 0; set &= set - 1)
    if (f(__builtin_ctzll(set))) return true;
  return false;
}
template <class F> void each_of(event_set set, F f) {
  for (; set != 0; set &= set - 1) f(__builtin_ctzll(set));
}

/// A relation between events: row x holds the events that x is related to.
struct relation {
  event_set row[most_events] = {};

  void add(int x, int y) { row[x] |= just(y); }
  bool has(int x, int y) const { return contains(row[x], y); }
  void close(int events) {
    for (int k = 0; k < events; ++k)
      for (int x = 0; x < events; ++x)
        if (has(x, k)) row[x] |= row[k];
  }
  bool is_irreflexive(int events) const {
    for (int x = 0; x < events; ++x)
      if (has(x, x)) return false;
    return true;
  }
  bool is_acyclic(int events) const {
    relation all = *this;
    all.close(events);
    return all.is_irreflexive(events);
  }
};

/// `arrive` and `wait` are the halves of a barrier.
enum class kind : std::uint8_t { read, write, fence, arrive, wait };

struct event {
  kind what = kind::fence;
  order how{};
  int thread = -1;            ///< -1: the write before all threads that gives a location its initial value
  int location = -1;          ///< or the number of a barrier
  int value = 0;              ///< read or written; or which use of the barrier it is
  int pair = -1;              ///< the other half of a read-modify-write
  bool is_reduction = false;  ///< of `red`, whose read acquires nothing
  event_set depends_on{};     ///< by address, data or control
  const char* name = "";
};

struct execution {
  int events = 0;
  event at[most_events];
  int source[most_events];  ///< reads-from, backwards: the write that a read sees, or -1 if none is chosen yet
  position of_thread[16];
  bool takes_shortcuts = true;               ///< draws conclusions early; the executions are the same
  bool barriers_carry_dependencies = false;  ///< No-Thin-Air counts waiting at a barrier as communication

  // These follow from the events alone.
  event_set reads = 0, writes = 0, initial = 0;
  relation program_order, morally_strong, same_location;
  // These follow from the sources, too.
  relation fence_sc;  ///< chosen
  relation observation, base_causality, causality, coherence;

  void append(const event& e) {
    const int x = events++;
    at[x] = e;
    source[x] = -1;
    (e.what == kind::read ? reads : e.what == kind::write ? writes : initial) |= e.what <= kind::write ? just(x) : 0;
    if (e.thread < 0) initial |= just(x);
    for (int y = 0; y <= x; ++y) {
      if (y != x && at[y].thread == e.thread && e.thread >= 0) program_order.add(y, x);
      if (is_memory(x) && is_memory(y) && at[y].location == e.location)
        same_location.add(x, y), same_location.add(y, x);
      if (x != y && are_morally_strong(x, y)) morally_strong.add(x, y), morally_strong.add(y, x);
    }
  }
  bool is_memory(int x) const { return at[x].what <= kind::write; }

  /// Whether no axiom is violated, whatever events and sources are added. Leaves in `coherence` what all coherence
  /// orders have in common.
  bool may_be_consistent() {
    find_causality();
    if (!base_causality.is_irreflexive(events)) return false;
    if (any_of(reads, [&](int r) { return source[r] >= 0 && causality.has(r, source[r]); }))
      return false;  // Causality, 1
    if (!no_thin_air()) return false;
    coherence = {};
    each_of(writes, [&](int w) { coherence.row[w] = (causality.row[w] | program_order.row[w]) & others(w) & writes; });
    each_of(reads, [&](int r) {
      if (const int w = source[r]; w >= 0 && takes_shortcuts)
        each_of(same_location.row[r] & writes & ~just(w), [&](int v) {
          if (!morally_strong.has(v, w)) return;
          if (program_order.has(v, r) || causality.has(v, r)) coherence.add(v, w);
          if (program_order.has(r, v) && morally_strong.has(w, r)) coherence.add(w, v);
        });
    });
    coherence.close(events);
    return allows_coherence();
  }

  /// Axioms that speak of `coherence`, which is closed: Coherence, Atomicity, SC per location, Causality.
  bool allows_coherence() const {
    if (!coherence.is_irreflexive(events)) return false;
    relation communication;
    each_of(writes, [&](int w) { communication.row[w] = coherence.row[w]; });
    bool is_allowed = true;
    each_of(reads, [&](int r) {
      const int w = source[r];
      if (w < 0) return;
      communication.add(w, r);
      const event_set overwrites = coherence.row[w];  // from-reads
      communication.row[r] = overwrites;
      if (any_of(overwrites, [&](int later) { return causality.has(later, r); })) is_allowed = false;  // Causality, 2
      const int own = at[r].pair;
      if (own >= 0 && any_of(overwrites & morally_strong.row[r], [&](int between) {
            return coherence.has(between, own) && morally_strong.has(between, own);
          }))
        is_allowed = false;  // Atomicity
    });
    if (!is_allowed) return false;
    each_of(reads | writes, [&](int x) {  // SC per location
      communication.row[x] = (communication.row[x] & morally_strong.row[x]) | (program_order.row[x] & others(x));
    });
    return communication.is_acyclic(events);
  }

  /// Two writes that coherence must order and does not yet; false if there are none.
  bool find_unordered(int& first, int& second) const {
    return any_of(writes, [&](int v) {
      return any_of(morally_strong.row[v] & others(v) & writes, [&](int w) {
        first = v, second = w;
        return !coherence.has(v, w) && !coherence.has(w, v);
      });
    });
  }

  /// Two accesses that race: they conflict, are not morally strong, and causality does not order them.
  bool find_race(event_set of, int& first, int& second) const {
    return any_of(writes & of & ~initial, [&](int w) {
      return any_of(others(w) & of & ~initial & ~morally_strong.row[w], [&](int x) {
        first = w, second = x;
        return at[x].thread != at[w].thread && !causality.has(w, x) && !causality.has(x, w);
      });
    });
  }

 private:
  event_set others(int x) const { return same_location.row[x] & ~just(x); }

  bool includes(int x, int y) const {  // whether the scope of x includes the thread of y
    if (at[x].thread < 0 || at[y].thread < 0) return false;
    const position own = of_thread[at[x].thread], other = of_thread[at[y].thread];
    switch (at[x].how.where) {
      case scope::sys: return true;
      case scope::gpu: return own.gpu == other.gpu;
      case scope::cluster: return own.gpu == other.gpu && own.cluster == other.cluster;
      default: return own.gpu == other.gpu && own.cta == other.cta;
    }
  }
  bool are_morally_strong(int x, int y) const {
    if (at[x].what >= kind::arrive || at[y].what >= kind::arrive) return false;
    if (is_memory(x) && is_memory(y) && at[x].location != at[y].location) return false;
    if (at[x].thread == at[y].thread) return true;
    return at[x].how.is_strong() && at[y].how.is_strong() && includes(x, y) && includes(y, x);
  }

  void find_causality() {
    observation = {};
    each_of(reads, [&](int r) {  // from a write through read-modify-writes to a read
      int seen = r;
      for (int steps = 0; seen >= 0 && steps < events; ++steps) {
        const int w = source[seen];
        if (w < 0 || !morally_strong.has(w, seen)) return;
        observation.add(w, r);
        seen = at[w].pair;
      }
    });

    base_causality = fence_sc;
    each_of(initial, [&](int w) { base_causality.row[w] = ~initial & (just(events - 1) | (just(events - 1) - 1)); });
    for (int x = 0; x < events; ++x) base_causality.row[x] |= program_order.row[x];
    for (int x = 0; x < events; ++x)
      if (at[x].what == kind::arrive && at[x].how.releases())
        for (int y = 0; y < events; ++y)
          if (meet(x, y)) base_causality.add(x, y);
    each_of(writes, [&](int w) {
      if (observation.row[w] == 0) return;
      const event_set heads = release_patterns(w);
      if (heads != 0)
        each_of(observation.row[w], [&](int r) {
          each_of(acquire_patterns(r), [&](int tail) {
            each_of(heads & morally_strong.row[tail], [&](int head) { base_causality.add(head, tail); });
          });
        });
    });
    base_causality.close(events);

    causality = {};
    each_of(reads | writes, [&](int x) {
      event_set later = base_causality.row[x];
      each_of(observation.row[x], [&](int r) { later |= base_causality.row[r]; });
      causality.row[x] = later & same_location.row[x];
    });
  }
  bool meet(int arrival, int wait) const {
    return at[wait].what == kind::wait && at[wait].location == at[arrival].location &&
           at[wait].value == at[arrival].value;
  }
  /// The first operations of the release patterns whose write is w.
  event_set release_patterns(int w) const {
    event_set heads = at[w].how.releases() ? just(w) : 0;
    if (!at[w].how.is_strong()) return heads;
    for (int x = 0; x < w; ++x)
      if (program_order.has(x, w) && at[x].how.releases() &&
          (at[x].what == kind::fence || (at[x].what == kind::write && same_location.has(x, w))))
        heads |= just(x);
    return heads;
  }
  /// The last operations of the acquire patterns whose read is r.
  event_set acquire_patterns(int r) const {
    if (at[r].is_reduction) return 0;
    event_set tails = at[r].how.acquires() ? just(r) : 0;
    if (!at[r].how.is_strong()) return tails;
    each_of(program_order.row[r], [&](int x) {
      if (at[x].how.acquires() && (at[x].what == kind::fence || (at[x].what == kind::read && same_location.has(x, r))))
        tails |= just(x);
    });
    return tails;
  }

  bool no_thin_air() const {
    relation speculation;
    for (int x = 0; x < events; ++x) {
      each_of(at[x].depends_on, [&](int y) { speculation.add(y, x); });
      if (source[x] >= 0) speculation.add(source[x], x);
      if (barriers_carry_dependencies && at[x].what == kind::arrive)
        for (int y = 0; y < events; ++y)
          if (meet(x, y)) speculation.add(x, y);
    }
    return speculation.is_acyclic(events);
  }
};

}  // namespace memory_model
