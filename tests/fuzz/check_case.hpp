// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a case of the table of functions, and reports one that differs: for the campaign of random cases, and for the
// guided one.
#pragma once
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "fuzz/program.hpp"
#include "fuzz/shrink.hpp"

namespace wf_fuzz {

/// Fills the table of functions.
inline void add_all() {
  add_sequences();
#if !defined(WARPFOLD_FUZZ_SEQUENCES_ONLY)
  add_segments();
  add_parts();
  add_keys();
  add_axes();
  add_others();
#endif
}

/// The case that runs, for what ends the process.
inline char running[1024];
inline void say_case(int signal) {
  (void)!write(2, running, std::strlen(running));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Runs a case, and tells how its results differ from the oracle's, if they do. With `plant`, a fault of a made-up kind:
/// wrong from 129 items on, where they are not aligned. It shows that the campaign finds and shrinks.
inline std::string difference_of(const fuzz_case& c, bool plant) {
  std::snprintf(running, sizeof running, "while running --case \"%s\"\n", c.line().c_str());
  if (plant && c[items] >= 129 && c[in_offset] >= 3) return "a planted fault";
  return run_case(c);
}

inline int report(const fuzz_case& found, const std::string& difference, bool plant) {
  std::cout << "found: --case \"" << found.line() << "\"\n  " << difference << std::endl;
  if (difference_of(found, plant).empty()) {
    std::cout << "It does not fail alone: repeat the campaign up to it, by the same seed and --cases." << std::endl;
    return 1;
  }
  const fuzz_case small = shrink(found, [&](const fuzz_case& c) { return !difference_of(c, plant).empty(); });
  std::cout << "smallest: --case \"" << small.line() << "\"\n  " << difference_of(small, plant) << "\n\n";
  try {
    print_program(std::cout, small);
  } catch (const std::exception& e) {
    std::cout << "// no program: " << e.what() << '\n';
  }
  return 1;
}

}  // namespace wf_fuzz
