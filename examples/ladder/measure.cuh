// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs, times and checks the rungs on one array.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../common/device.cuh"
#include "array.hpp"
#include "cpu_baseline.hpp"
#include "launching.cuh"
#include "measurement.hpp"
#include "options.hpp"
#include "read_only.cuh"
#include "rungs.cuh"

namespace ladder {

/// The median of `one_run`, which returns seconds. One run is not counted. Then up to `runs` follow: fewer if they last
/// more than half a second together, but at least three unless `runs` is smaller.
template <class OneRun> double median_seconds(int runs, OneRun one_run) {
  one_run();
  std::vector<double> seconds;
  double total = 0;
  while (std::ssize(seconds) < runs && (total < 0.5 || seconds.size() < 3)) {
    seconds.push_back(one_run());
    total += seconds.back();
  }
  std::nth_element(seconds.begin(), seconds.begin() + std::ssize(seconds) / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

/// Time between two events around what `enqueue` puts on the default stream.
template <class Enqueue> double device_seconds(Enqueue enqueue) {
  examples::event begin, end;
  begin.record();
  enqueue();
  end.record();
  return end.seconds_since(begin);
}

template <class F> double host_seconds(F function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline cudaDeviceProp this_device() {
  int device = 0;
  cudaDeviceProp properties{};
  examples::check(cudaGetDevice(&device), "cudaGetDevice");
  examples::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties;
}

/// The array on the device and the buffers that the rungs share.
template <class T> class bench {
 public:
  bench(const array<T>& a, int runs)
      : array_(a), runs_(runs), input_(a.items), result_(most_results), partials_(2 * partials_in_buffer(count())) {
    problem_.multiprocessors = this_device().multiProcessorCount;
    problem_.input = input_.data();
    problem_.items = count();
    problem_.result = result_.data();
    problem_.partials = partials_.data();
  }

  /// Before every run the result is set to zero for a rung that adds to it, and spoilt for one that must write it;
  /// neither is timed. The result of the last timed run is checked.
  measurement measure(const rung<T>& r) {
    const int fill = r.end == finish::atomics ? 0 : 0xff;
    const double seconds = median_seconds(runs_, [&] {
      examples::check(cudaMemset(problem_.result, fill, most_results * sizeof(T)), "cudaMemset");
      return device_seconds([&] { run(r, problem_); });
    });
    return {r.about, seconds, check(result_.to_host(), r.results, longest_chain(r, count(), problem_.multiprocessors))};
  }

  template <class Sum> measurement measure_on_cpu(const rung_facts& about, Sum sum) {
    T value{};
    const double seconds = median_seconds(
        std::min(runs_, 5), [&] { return host_seconds([&] { value = sum(std::span<const T>(array_.items)); }); });
    return {about, seconds, check({value}, 1, count())};
  }

  void measure_limit(run_of_ladder& run_so_far) {
    const examples::device_array<unsigned> never(1);
    const std::int64_t bytes = count() * static_cast<std::int64_t>(sizeof(T));
    for (const read_only_variant& v : read_only_variants) {
      const double seconds = median_seconds(runs_, [&] {
        return device_seconds([&] { run(v, input_.data(), bytes, never.data(), problem_.multiprocessors); });
      });
      if (run_so_far.read_only_name.empty() || seconds < run_so_far.read_only_seconds) {
        run_so_far.read_only_seconds = seconds;
        run_so_far.read_only_name = to_string(v);
      }
    }
  }

 private:
  std::int64_t count() const { return std::ssize(array_.items); }

  std::string check(const std::vector<T>& values, int results, std::int64_t chain) {
    for (int k = 0; k < results; ++k) {
      const true_sum sum = sum_of(array_.items, k, results);
      if (!is_right(values[static_cast<std::size_t>(k)], sum, array_.every_sum_is_exact, chain))
        return "WRONG: " + std::to_string(values[static_cast<std::size_t>(k)]) + ", not " +
               std::to_string(static_cast<double>(sum.value));
    }
    return "right";
  }

  const array<T>& array_;
  int runs_;
  examples::device_array<T> input_, result_, partials_;
  problem<T> problem_;
};

/// The names that --rung takes, besides `cpu`.
inline std::vector<rung_facts> all_facts() {
  std::vector<rung_facts> facts;
  for (const rung<float>& r : all_rungs<float>()) facts.push_back(r.about);
  return facts;
}

template <class T> void measure_all(const array<T>& a, const options& chosen, int runs, run_of_ladder& result) {
  bench<T> on_device(a, runs);
  if (!result.emulated) on_device.measure_limit(result);
  if (chosen.wants("cpu")) {
    const std::string all = "all of " + std::to_string(cpu_threads()) + " threads";
    result.measured.push_back(on_device.measure_on_cpu(
        {.source = ladder_of::cpu, .name = "cpu-one-thread", .title = "CPU baseline"}, sum_by_one_thread<T>));
    result.measured.push_back(on_device.measure_on_cpu({.source = ladder_of::cpu,
                                                        .name = "cpu-all-threads",
                                                        .title = "CPU parallel baseline",
                                                        .improves = "cpu-one-thread"},
                                                       sum_by_all_threads<T>));
  }
  for (const rung<T>& r : all_rungs<T>())
    if (chosen.wants(r.about.name)) result.measured.push_back(on_device.measure(r));
}

}  // namespace ladder
