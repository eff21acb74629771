// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "../common/groups.hpp"
#include "../common/timing.hpp"
#include "lengths.hpp"
#include "move_kernel.cuh"

namespace bench {

/// Times `list` and the kernels that only move the same bytes, cold. CUB's slow cases bound the rounds.
template <class Problem>
std::vector<measurement> time_segmented(const Problem& problem, contenders list, const traffic& moved) {
  std::ranges::move(make_move_contenders(moved, problem.sink()), std::back_inserter(list));
  const auto number = [](auto count) { return static_cast<double>(count); };
  std::vector<measurement> result;
  for (const statistics& seconds : time_cold(list, {5, 31, 0.12}))
    result.push_back({seconds,
                      {{"items", number(problem.items())},
                       {"segments", number(problem.segments())},
                       {"bytes", number(moved.bytes())}}});
  return result;
}

/// A group whose contenders are Warpfold, `peers`, and the kernels that move its bytes. `reduction` is function, type
/// and operator, as in segmented_reduce/float/plus; `told_apart` names the form of the segments, as in form:offsets.
inline void add_segmented_group(const std::string& reduction, std::int64_t items, std::int64_t bytes,
                                const distribution& lengths, const std::string& told_apart,
                                const std::vector<std::string>& peers,
                                std::function<std::vector<measurement>()> measure) {
  std::vector<std::string> names{"warpfold"};
  names.insert(names.end(), peers.begin(), peers.end());
  const auto movers = move_contender_names();
  names.insert(names.end(), movers.begin(), movers.end());
  add_group({reduction + "/items:" + size_name(items) + "/segments:" + lengths.name + "/" + told_apart, "cold", items,
             bytes, names, std::move(measure)});
}

}  // namespace bench
