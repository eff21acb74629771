// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fuzz campaign: cases from one seed, compared with an oracle of its own.
//
//   fuzz [--seed S] [--cases N] [--seconds T] [--only part_of_a_name] [--most_items M] [--plant] [--list]
//   fuzz --case "reduce_hash items=7 …"
//
// Case number n depends on seed and n alone. A failure is shrunk and printed as a line for --case, and as a program to
// paste.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "common/random_items.hpp"
#include "fuzz/check_case.hpp"

namespace {

using wf_fuzz::fuzz_case;

struct arguments {
  std::uint64_t seed = 1;
  std::int64_t cases = -1, most_items = 6000;
  double seconds = 0;
  std::string only, line;
  bool plant = false, list = false;
};

arguments read(int count, char** words) {
  arguments read;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--plant") read.plant = true;
    else if (word == "--list") read.list = true;
    else {
      if (i + 1 == count) throw std::invalid_argument("no value for " + word);
      const char* const value = words[++i];
      if (word == "--seed") read.seed = std::strtoull(value, nullptr, 0);
      else if (word == "--cases") read.cases = std::strtoll(value, nullptr, 0);
      else if (word == "--seconds") read.seconds = std::strtod(value, nullptr);
      else if (word == "--most_items") read.most_items = std::strtoll(value, nullptr, 0);
      else if (word == "--only") read.only = value;
      else if (word == "--case") read.line = value;
      else throw std::invalid_argument("no option " + word);
    }
  }
  if (read.cases < 0 && read.seconds <= 0) read.cases = 1000;
  return read;
}

int campaign(const arguments& given) {
  std::vector<std::string> entries;
  for (const auto& e : wf_fuzz::table())
    if (e.name.find(given.only) != std::string::npos) entries.push_back(e.name);
  if (entries.empty()) throw std::invalid_argument("no entry has " + given.only + " in its name");
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  std::int64_t n = 0;
  for (; (given.cases < 0 || n < given.cases) && (given.seconds <= 0 || seconds() < given.seconds); ++n) {
    wf_test::random_source source(given.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(n));
    source();
    const std::string& entry =
        entries[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(entries.size())))];
    const fuzz_case c = wf_fuzz::draw_case(entry, source, given.most_items, wf_fuzz::has_faults);
    const std::string difference = wf_fuzz::difference_of(c, given.plant);
    if (difference.empty()) continue;
    std::cout << "case " << n << " of seed " << given.seed << ": ";
    return wf_fuzz::report(c, difference, given.plant);
  }
  std::cout << n << " cases of " << entries.size() << " entries, seed " << given.seed << ", " << seconds()
            << " s: no difference" << std::endl;
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    const arguments given = read(count, words);
    for (const int signal : {SIGABRT, SIGSEGV}) std::signal(signal, wf_fuzz::say_case);
    wf_fuzz::add_all();
    if (given.list)
      for (const auto& e : wf_fuzz::table()) std::cout << e.name << '\n';
    if (given.list) return 0;
    if (given.line.empty()) return campaign(given);
    const auto c = fuzz_case::parse(given.line);
    const std::string difference = wf_fuzz::difference_of(c, given.plant);
    if (!difference.empty()) return wf_fuzz::report(c, difference, given.plant);
    std::cout << "right\n";
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "fuzz: " << e.what() << '\n';
    return 2;
  }
}
