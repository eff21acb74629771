// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// The statistics of one contender's samples: seconds for one call.
struct statistics {
  double median = 0;
  double lower_quartile = 0;
  double upper_quartile = 0;
  double minimum = 0;
  int samples = 0;
  std::string kernels = {};  ///< that a call enqueues, and why, as far as wf::explain tells
};

/// Order statistics of `seconds`; the median of an even count is the mean of the two in the middle.
inline statistics summarize(std::vector<double> seconds) {
  if (seconds.empty()) throw std::invalid_argument("bench::summarize: no samples");
  std::sort(seconds.begin(), seconds.end());
  const std::size_t count = seconds.size();
  const double median = (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
  return {median, seconds[count / 4], seconds[count - 1 - count / 4], seconds.front(), static_cast<int>(count)};
}

/// When to stop sampling: after `maximum_rounds`, or once the budget is spent, but not before `minimum_rounds`.
struct sampling {
  int minimum_rounds;
  int maximum_rounds;
  double budget_seconds;
};

/// Samples all contenders in turn, round after round, so that drift of clocks and temperature affects all of them alike
/// and ratios between them are fair. Rounds start with different contenders and run forwards and backwards by turns,
/// so none always follows the same one. `sample(i)` returns the seconds of one call of contender i.
template <class Sample>
std::vector<statistics> round_robin(std::size_t contenders, const sampling& plan, Sample sample) {
  std::vector<std::vector<double>> seconds(contenders);
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < plan.maximum_rounds; ++round) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (round >= plan.minimum_rounds && spent.count() > plan.budget_seconds) break;
    for (std::size_t k = 0; k < contenders; ++k) {
      const std::size_t step = round % 2 == 0 ? k : contenders - 1 - k;
      const std::size_t i = (step + static_cast<std::size_t>(round)) % contenders;
      seconds[i].push_back(sample(i));
    }
  }
  std::vector<statistics> result;
  for (auto& samples : seconds) result.push_back(summarize(std::move(samples)));
  return result;
}

}  // namespace bench
