// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "../common/groups.hpp"
#include "../common/timing.hpp"
#include "segmentation.cuh"

namespace bench {

/// Times `list` and the kernels that only move the same bytes, cold. CUB's slow cases bound the rounds.
template <class Problem>
std::vector<measurement> time_segmented(const Problem& problem, contenders list, form f) {
  std::ranges::move(problem.movers(f), std::back_inserter(list));
  const auto number = [](auto count) { return static_cast<double>(count); };
  std::vector<measurement> result;
  for (const statistics& seconds : time_cold(list, {5, 31, 0.12}))
    result.push_back({seconds, {{"items", number(problem.items())}, {"segments", number(problem.segments())}, {"bytes", number(problem.moved(f).bytes())}}});
  return result;
}

/// A group whose contenders are Warpfold, `peers`, and the kernels that move its bytes.
inline void add_segmented_group(const std::string& type_and_operator, std::int64_t items, std::int64_t bytes,
                                const distribution& lengths, const std::string& form_name, const std::vector<std::string>& peers,
                                std::function<std::vector<measurement>()> measure) {
  std::vector<std::string> names{"warpfold"};
  names.insert(names.end(), peers.begin(), peers.end());
  const auto movers = move_contender_names();
  names.insert(names.end(), movers.begin(), movers.end());
  add_group({"segmented_reduce/" + type_and_operator + "/items:" + size_name(items) + "/segments:" + lengths.name +
                 "/form:" + form_name,
             "cold", items, bytes, names, std::move(measure)});
}

}  // namespace bench
