// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A protocol as a model: a program whose orders have names. Its check finds no bad execution of the protocol as it is,
// and one of each protocol with one order weakened, or the order is in the list of those that are redundant.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "memory_model/explorer.hpp"

namespace memory_model {

/// The orders of a protocol. One of them may be weakened.
class orders {
 public:
  struct weakening {
    std::string name, to;
    order now;
  };

  order access(const char* name, order given) { return named(name, given, of::access); }
  order atomic(const char* name, order given) { return named(name, given, of::atomic); }
  /// Of a barrier's arrival, whose scope is the barrier's.
  order arrival(const char* name, order given) { return named(name, given, of::arrival); }
  order fence(const char* name, order given) { return named(name, given, of::fence); }
  /// Whether a step is taken that is no order of one operation: a barrier, say.
  bool step(const char* name) { return named(name, acq_rel(scope::cta), of::step).what != semantics::omitted; }

  void weaken(const weakening* one) { weakened_ = one; }
  const std::vector<weakening>& weakenings() const { return all_; }

 private:
  enum class of { access, atomic, arrival, fence, step };

  order named(const char* name, order given, of what) {
    if (weakened_ != nullptr) return weakened_->name == name ? weakened_->now : given;
    if (std::ranges::find(all_, name, &weakening::name) != all_.end()) return given;
    const auto add = [&](const char* to, semantics now) { all_.push_back({name, to, {now, given.where}}); };
    if (what == of::fence || what == of::step) add("removed", semantics::omitted);
    else if (given.what == semantics::acq_rel) add("acquire", semantics::acquire), add("release", semantics::release);
    else if (given.is_strong() && given.what != semantics::relaxed) add("relaxed", semantics::relaxed);
    else if (what == of::access) add("weak", semantics::weak);
    if (what != of::step && what != of::arrival && given.where > scope::cta)
      all_.push_back({name,
                      given.where == scope::sys ? "gpu" : "cta",
                      {given.what, given.where == scope::sys ? scope::gpu : scope::cta}});
    return given;
  }

  std::vector<weakening> all_;
  const weakening* weakened_ = nullptr;
};

/// What the explorer finds of a protocol.
struct judgement {
  bool ends = false;  ///< in an execution without fault
  std::string fault;  ///< or nothing
  std::string text;   ///< an execution with that fault
  long executions = 0;
};

enum class barriers { order_memory, carry_dependencies_too };

/// An execution is faulty if an expectation fails, if a thread waits for ever, or if accesses race.
inline judgement judge(const program& of, barriers what) {
  judgement found;
  explorer with(of, true, what == barriers::carry_dependencies_too);
  with.explore([&](const outcome& own) {
    std::string fault;
    for (const trace* each : own.traces)
      if (each->broken != nullptr) fault = each->broken;
    for (const trace* each : own.traces)
      if (fault.empty() && each->ends_early()) fault = "waits for ever";
    const bool is_certain = !fault.empty();
    int first, second;
    if (!is_certain && own.all.find_race(with.memory(own.all), first, second))
      fault = std::string("race for ") + own.of.locations[static_cast<std::size_t>(own.all.at[first].location)].name;
    if (fault.empty()) found.ends = true;
    else if (found.fault.empty() || is_certain) found.fault = fault, found.text = own.text();
    return is_certain ? visit::stop : visit::go_on;
  });
  found.executions = with.executions;
  return found;
}

/// An order that may be weakened without a fault, and why it is there nevertheless.
struct redundancy {
  const char *name, *to, *reason;
};

/// Prints a table of what was found if WARPFOLD_PRINT_MODELS is set.
template <class Model>
void check(const char* protocol, Model model, const std::vector<redundancy>& redundant,
           barriers what = barriers::order_memory) {
  const bool prints = std::getenv("WARPFOLD_PRINT_MODELS") != nullptr;
  orders own;
  const program right = model(own);
  const judgement correct = judge(right, what);
  EXPECT_EQ(correct.fault, "") << protocol << "\n" << correct.text;
  EXPECT_TRUE(correct.ends) << protocol << " never ends";
  if (prints) std::cout << protocol << ": " << correct.executions << " executions\n";
  std::size_t expected = 0;
  for (const orders::weakening& each : own.weakenings()) {
    orders weaker;
    weaker.weaken(&each);
    const program wrong = model(weaker);
    const judgement found = judge(wrong, what);
    const auto listed = std::ranges::find_if(
        redundant, [&](const redundancy& known) { return each.name == known.name && each.to == known.to; });
    const bool is_listed = listed != redundant.end();
    expected += is_listed;
    EXPECT_EQ(found.fault.empty(), is_listed)
        << protocol << ", " << each.name << " -> " << each.to
        << (is_listed ? ": not redundant\n" : ": nothing shows that the order is needed\n") << found.text;
    if (prints)
      std::cout << "| " << each.name << " | " << each.to << " | " << (found.fault.empty() ? "redundant" : found.fault)
                << " | " << found.executions << "\n";
    if (prints && std::getenv("WARPFOLD_PRINT_MODELS")[0] == '2') std::cout << found.text;
  }
  EXPECT_EQ(expected, redundant.size()) << protocol << ": an order in the list does not exist";
}

}  // namespace memory_model
