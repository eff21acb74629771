// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rung of the ladder: its description, its kernel, and how the kernel is launched and finished.
#pragma once

#include <cstdint>
#include <string_view>

namespace ladder {

/// Where a rung gives up the items' order. Such a rung needs an operator that commutes (as a sum of integers does).
enum class commutativity { not_needed, between_blocks, within_blocks, everywhere };

constexpr std::string_view to_string(commutativity need) {
  switch (need) {
    case commutativity::not_needed: return "-";
    case commutativity::between_blocks: return "between blocks";
    case commutativity::within_blocks: return "within blocks";
    case commutativity::everywhere: return "everywhere";
  }
  return "";
}

/// The sources. Each is a ladder of its own; its speed-ups start at its own first rung.
enum class ladder_of { cpu, lecture, course_note, harris, kepler, warpfold };

constexpr std::string_view to_string(ladder_of source) {
  switch (source) {
    case ladder_of::cpu: return "CPU baselines";
    case ladder_of::lecture: return "003, lecture slides";
    case ladder_of::course_note: return "001, course note";
    case ladder_of::harris: return "004, Harris";
    case ladder_of::kepler: return "002, Faster Parallel Reductions on Kepler";
    case ladder_of::warpfold: return "Warpfold";
  }
  return "";
}

struct rung_facts {
  ladder_of source{};
  std::string_view name{};      // for --rung
  std::string_view title{};     // the source's name for it
  std::string_view also{};      // the other source's rung with the same kernel, if there is one
  std::string_view kernel{};    // the function, as a profiler shows it
  std::string_view improves{};  // the rung that the step speed-up is measured against
  commutativity needs{};
  int block_threads{};
};

/// How the blocks' sums become one.
enum class finish {
  atomics,        // blocks add to the result, which must start at zero
  relaunch,       // the same kernel on the partials, until one remains
  second_launch,  // the same kernel once more, as one block of 1024 threads
  library         // Warpfold's own
};

template <class T> using kernel_function = void (*)(const T* input, T* out, std::int64_t items);

template <class T> struct problem;

template <class T> struct rung {
  rung_facts about{};
  finish end{};
  kernel_function<T> kernel{};
  std::int64_t items_a_block{};                           // the grid has one block for this many items ...
  std::int64_t max_blocks = (std::int64_t{1} << 31) - 1;  // ... up to this many blocks, which then take several turns
  int blocks_a_multiprocessor{};                          // where set: max_blocks, by the size of the GPU
  int shared_items{};                                     // dynamic shared memory
  int atomics_a_block{};                                  // on the result
  int results = 1;                                        // sums that it leaves: item i belongs to sum i modulo results
  void (*library)(const problem<T>&){};
};

}  // namespace ladder
