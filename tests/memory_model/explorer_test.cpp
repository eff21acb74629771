// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The explorer drops executions early. On random programs it finds the same ones as without that.
#include "memory_model/explorer.hpp"
#include "common/samples.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace {

using namespace memory_model;

struct operation {
  enum { read, write, write_what_was_read, modify, fence, barrier } what;
  int location, value;
  order how;
};

/// Two threads of up to four operations on two locations, or three of up to three, in two CTAs.
struct random_program : program {
  explicit random_program(unsigned seed) : source(seed) {
    const int x[2] = {location("x"), location("y")}, meet = barrier(0), count = 2 + below(2);
    for (int t = 0; t < count; ++t) {
      std::vector<operation> code(static_cast<std::size_t>(1 + below(6 - count)));
      for (operation& each : code) {
        each = random_operation();
        barriers[0] += each.what == operation::barrier;
      }
      run("thread", {below(2)}, [=](thread& own) {
        value last = 0;
        for (const auto& [what, location, number, how] : code) switch (what) {
            case operation::read: last = own.read(x[location], how); break;
            case operation::write: own.write(x[location], number, how); break;
            case operation::write_what_was_read: own.write(x[location], last, how); break;
            case operation::modify: last = own.add(x[location], 1, how); break;
            case operation::fence: own.fence(how); break;
            case operation::barrier: own.sync(meet);
          }
      });
    }
  }

 private:
  operation random_operation() {
    const auto any = [this](auto... of) {
      const decltype(std::common_type_t<decltype(of)...>()) all[] = {of...};
      return all[below(sizeof...(of))];
    };
    using enum semantics;
    const scope where = any(scope::cta, scope::gpu, scope::sys);
    const int location = below(2), number = 1 + below(2), kind = below(20);
    if (kind < 7) return {operation::read, location, 0, {any(weak, relaxed, acquire), where}};
    if (kind < 12) return {operation::write, location, number, {any(weak, relaxed, release), where}};
    if (kind < 13) return {operation::write_what_was_read, location, 0, {any(weak, relaxed, release), where}};
    if (kind < 16) return {operation::modify, location, 0, {any(relaxed, acquire, release, acq_rel), where}};
    if (kind < 19) return {operation::fence, 0, 0, {any(acquire, release, acq_rel, sc), where}};
    return {operation::barrier, 0, 0, {}};
  }
  int below(std::size_t end) { return static_cast<int>(source() % end); }
  int below(int end) { return below(static_cast<std::size_t>(end)); }

  std::mt19937 source;
};

std::multiset<std::string> executions(const program& of, bool takes_shortcuts) {
  explorer with(of);
  if (!takes_shortcuts) with.take_no_shortcuts();
  std::multiset<std::string> all;
  with.explore(
      [&](const outcome& own) {
        std::string text = own.text();
        for (int location = 0; location < 2; ++location)
          for (int value = 0; value < 6; ++value) text += own.leaves(location, value) ? " left" : " .";
        int first, second;
        all.insert(text + (own.all.find_race(with.memory(own.all), first, second) ? " race" : ""));
        return visit::go_on;
      },
      true);
  return all;
}

TEST(memory_model_explorer, random_programs_without_shortcuts) {
  for (unsigned seed = 0; seed < wf_test::share_of(700); ++seed) {
    const random_program all(seed);
    EXPECT_EQ(executions(all, true), executions(all, false)) << "seed " << seed;
  }
}

TEST(memory_model_explorer, waiting_for_ever) {
  const auto faults = [](auto body) {
    program all;
    const int flag = all.location("flag"), alone = all.barrier(2);
    const int channel = all.channel("nothing");
    all.run("waits", {0}, [=](thread& own) { body(own, flag, alone, channel); });
    int complete = 0, endless = 0;
    explorer(all).explore([&](const outcome&) { return ++complete, visit::go_on; });
    explorer(all, true).explore(
        [&](const outcome& own) { return endless += own.traces[0]->ends_early(), visit::go_on; });
    return std::pair(complete, endless);
  };
  const auto is_set = [](int seen) { return seen != 0; };
  const auto await = [=](thread& own, int flag) { own.await(flag, relaxed(scope::gpu), is_set); };
  EXPECT_EQ(faults([=](thread& own, int flag, int, int) { await(own, flag); }), std::pair(0, 1));
  EXPECT_EQ(faults([](thread& own, int, int alone, int) { own.sync(alone); }), std::pair(0, 1));
  EXPECT_EQ(faults([](thread& own, int, int, int channel) { own.receive(channel); }), std::pair(0, 1));
  EXPECT_EQ(faults([=](thread& own, int flag, int, int) {
              own.write(flag, 1, relaxed(scope::gpu));
              await(own, flag);
            }),
            std::pair(1, 0));
}

}  // namespace
