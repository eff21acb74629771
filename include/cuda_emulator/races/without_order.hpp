// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves out the order that one line of the program makes, itself or through what it calls: options::without_order.
#pragma once

#include <cuda_emulator/races/sites.hpp>

#include <spawn.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace cuda_emulator::races {

// An addr2line that goes on running: it takes a second to read a large program, and no time for each address.
class line_finder {
 public:
  line_finder() = default;
  line_finder(const line_finder&) = delete;
  line_finder& operator=(const line_finder&) = delete;
  ~line_finder() {
    if (to_ != nullptr) std::fclose(to_);
    if (from_ != nullptr) std::fclose(from_);
  }

  // Calls `take(file:line)` for the address before `place` and for each call that was inlined there.
  template <class Take> void find(std::uintptr_t place, Take take) {
    if (!home_.found) start(home_ = module_of(reinterpret_cast<const void*>(place)));
    std::fprintf(to_, "0x%lx\n0x0\n", static_cast<unsigned long>(place - 1 - home_.bias));
    std::fflush(to_);
    next_line();  // the address itself
    while (!next_line().starts_with("0x0000000000000000")) take(std::string_view(line_));
    next_line();  // of address 0, which ends the answer
  }

 private:
  void start(const module& home) {
    int questions[2], answers[2];
    char program[4096] = {};
    if (home.path != "/proc/self/exe") std::snprintf(program, sizeof program, "%s", home.path.c_str());
    else if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) fail();
    if (pipe(questions) != 0 || pipe(answers) != 0) fail();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, questions[0], 0);
    posix_spawn_file_actions_adddup2(&actions, answers[1], 1);
    for (const int end : {questions[0], questions[1], answers[0], answers[1]})
      posix_spawn_file_actions_addclose(&actions, end);
    char name[] = "addr2line", with_addresses[] = "-a", with_inlined[] = "-i", of[] = "-e";
    char* arguments[] = {name, with_addresses, with_inlined, of, program, nullptr};
    pid_t child;
    const bool runs = posix_spawnp(&child, name, &actions, nullptr, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(questions[0]);
    close(answers[1]);
    to_ = fdopen(questions[1], "w");
    from_ = fdopen(answers[0], "r");
    if (!runs) fail();
  }
  const std::string& next_line() {
    line_.clear();
    int c = std::fgetc(from_);
    for (; c != EOF && c != '\n'; c = std::fgetc(from_)) line_ += static_cast<char>(c);
    if (c == EOF) fail();
    return line_;
  }
  [[noreturn]] static void fail() {
    std::fputs("cuda_emulator: without_order needs addr2line, which does not answer\n", stderr);
    std::abort();
  }

  module home_;
  FILE *to_ = nullptr, *from_ = nullptr;
  std::string line_;
};

// "kernel.cuh:59", and ":acquire" or ":release" if only one of both orders is meant.
struct named_line {
  std::string_view file;
  unsigned long line = 0;  // 0: none is named
  bool acquires = true, releases = true;

  named_line() = default;
  explicit named_line(const char* text) {
    if (text == nullptr) return;
    file = text;
    if (file.ends_with(":acquire")) releases = false;
    if (file.ends_with(":release")) acquires = false;
    if (acquires != releases) file = file.substr(0, file.size() - 8);
    const std::size_t colon = file.rfind(':');
    if (colon != file.npos) line = std::strtoul(file.data() + colon + 1, nullptr, 10);
    file = file.substr(0, colon);
  }
  bool is(std::string_view other_file, unsigned long other_line) const {
    return line != 0 && line == other_line && other_file.ends_with(file);
  }
  // Of text as addr2line writes it.
  bool is(std::string_view place) const {
    const std::size_t colon = place.rfind(':', place.find(' '));
    return colon != place.npos && is(place.substr(0, colon), std::strtoul(place.data() + colon + 1, nullptr, 10));
  }
};

class without_order {
 public:
  void name(const char* text) {
    if (text_ == (text != nullptr ? text : "")) return;
    text_ = text != nullptr ? text : "";
    named_ = named_line(text_.c_str());
    is_met_ = false;
    of_node_.clear();
    of_place_.clear();
  }
  CUDA_EMULATOR_INLINE bool acquires(const call_tree& calls, std::uint32_t node) {
    return named_.line != 0 && named_.acquires && holds(calls, node);
  }
  CUDA_EMULATOR_INLINE bool releases(const call_tree& calls, std::uint32_t node) {
    return named_.line != 0 && named_.releases && holds(calls, node);
  }

 private:
  // Whether the order is made at the line, or in a call that is made there.
  CUDA_EMULATOR_UNSEEN bool holds(const call_tree& calls, std::uint32_t node) {
    const auto [at, fresh] = of_node_.try_emplace(node, false);
    if (fresh)
      for (const std::uintptr_t place : calls.places(node)) at->second |= is_named(place);
    if (at->second && !std::exchange(is_met_, true))
      std::fprintf(stderr, "cuda_emulator: no order at %s\n", text_.c_str());
    return at->second;
  }
  CUDA_EMULATOR_UNSEEN bool is_named(std::uintptr_t place) {
    const auto [at, fresh] = of_place_.try_emplace(place, false);
    if (fresh) lines_.find(place, [&, &named = at->second](std::string_view line) { named |= named_.is(line); });
    return at->second;
  }

  std::string text_;
  named_line named_;
  bool is_met_ = false;
  std::unordered_map<std::uint32_t, bool> of_node_;
  std::unordered_map<std::uintptr_t, bool> of_place_;
  line_finder lines_;
};

}  // namespace cuda_emulator::races
