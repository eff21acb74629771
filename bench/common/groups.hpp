// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "statistics.hpp"

namespace bench {

/// The measurement of one contender of a group: its time, and figures to print beside it.
struct measurement {
  statistics seconds;
  std::vector<std::pair<std::string, double>> counters = {};
};

/// Contenders that are measured together, on one input, in turn. Each becomes a benchmark of its own named
/// `<name>/<contender>/<mode>`; the first of them that runs measures the whole group, so that ratios within a group are
/// always fair, whatever the filter picks.
struct group {
  std::string name;  // such as reduce/float/plus/items:2^28
  std::string mode;  // cold, graph, enqueue or wait
  std::int64_t items;
  std::int64_t bytes;  // that one call must move
  std::vector<std::string> contenders;
  std::function<std::vector<measurement>()> measure;  // one for each contender, in order
};

/// Registers a group with Google Benchmark. If `measure` throws, the group's benchmarks fail; the run goes on.
void add_group(group description);

/// A size as names have it: `2^k` for powers of two, else the number.
std::string size_name(std::int64_t items);

/// The whole of main(): registers, describes the device in the JSON context, runs. Returns the process's exit status,
/// which is not 0 if any benchmark failed; a wrong result is a failure.
int run_benchmarks(int argc, char** argv, void (*register_all)());

}  // namespace bench
