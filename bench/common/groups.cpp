// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "groups.hpp"

#include <benchmark/benchmark.h>

#include <bit>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

#include "context.hpp"

namespace bench {
namespace {

bool any_failed = false;

/// A group and what it measured, kept for the benchmarks of all its contenders.
class measured_once {
 public:
  explicit measured_once(group description) : group_(std::move(description)) {}

  const group& description() const { return group_; }

  const measurement& result(std::size_t contender) {
    if (!results_ && error_.empty()) measure();
    if (!error_.empty()) throw std::runtime_error(error_);
    return results_->at(contender);
  }

 private:
  void measure() try { results_ = group_.measure(); } catch (const std::exception& failure) {
    error_ = failure.what();
  }

  group group_;
  std::optional<std::vector<measurement>> results_;
  std::string error_;
};

void report(benchmark::State& state, measured_once& group, std::size_t contender) try {
  const measurement& result = group.result(contender);
  for (auto _ : state) state.SetIterationTime(result.seconds.median);
  state.SetBytesProcessed(group.description().bytes);
  state.SetLabel(result.seconds.kernels);
  state.counters["items"] = static_cast<double>(group.description().items);
  state.counters["bytes"] = static_cast<double>(group.description().bytes);
  state.counters["samples"] = result.seconds.samples;
  state.counters["lower_quartile_us"] = 1e6 * result.seconds.lower_quartile;
  state.counters["upper_quartile_us"] = 1e6 * result.seconds.upper_quartile;
  for (const auto& [name, value] : result.counters) state.counters[name] = value;
} catch (const std::exception& failure) {
  any_failed = true;
  state.SkipWithError(failure.what());
}

/// Listing needs no device; everything else does.
bool only_lists(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "--benchmark_list_tests", 22) == 0 && !std::strstr(argv[i], "=false")) return true;
  return false;
}

}  // namespace

void add_group(group description) {
  const auto shared = std::make_shared<measured_once>(std::move(description));
  const group& g = shared->description();
  for (std::size_t i = 0; i < g.contenders.size(); ++i) {
    const std::string name = g.name + "/" + g.contenders[i] + "/" + g.mode;
    benchmark::RegisterBenchmark(name.c_str(), [shared, i](benchmark::State& state) { report(state, *shared, i); })
        ->UseManualTime()
        ->Iterations(1)  // the median was taken over the group's own rounds
        ->Unit(benchmark::kMicrosecond);
  }
}

std::string size_name(std::int64_t items) {
  const auto bits = static_cast<std::uint64_t>(items);
  return std::has_single_bit(bits) ? "2^" + std::to_string(std::countr_zero(bits)) : std::to_string(items);
}

int run_benchmarks(int argc, char** argv, void (*register_all)()) try {
  const bool listing = only_lists(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  register_all();
  if (!listing) describe_device_in_context();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return any_failed ? 1 : 0;
} catch (const std::exception& failure) {
  std::cerr << argv[0] << ": " << failure.what() << '\n';
  return 1;
}

}  // namespace bench
