// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of a given condition number, the sum of magnitudes over the magnitude of the sum. Source: Ogita, Rump and Oishi,
// "Accurate Sum and Dot Product", 2005, algorithm GenDot, for sums.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>
#include <warpfold/exact/operator.cuh>

#include "common/random_items.hpp"

namespace wf_test {

/// Half of the items have random exponents up to the condition's; each of the others takes the sum so far down, to
/// smaller and smaller values. So the magnitudes add up to about `condition` times the sum. `count` > 4; the items are
/// in random order.
template <class T> std::vector<T> ill_conditioned_items(int count, double condition, random_source& source) {
  const double octaves = std::log2(condition);
  const auto fraction = [&] { return 2 * static_cast<double>(source() >> 11) * 0x1p-53 - 1; };
  auto sum = warpfold::exact_plus{}.lift(T(0));
  std::vector<T> items;
  const auto push = [&](double value) {
    items.push_back(static_cast<T>(value));
    sum = warpfold::exact_plus{}(sum, warpfold::exact_plus{}.lift(items.back()));
  };
  const int half = count / 2;
  for (int i = 0; i < half; ++i) {
    const double exponent = i == 0 ? octaves : i == 1 ? 0 : octaves * std::fabs(fraction());
    push(std::ldexp(i == 0 ? 1.0 : fraction(), static_cast<int>(std::lround(exponent))));
  }
  for (int i = half; i < count; ++i) {
    const double exponent = octaves * (count - 1 - i) / (count - half - 1);
    const double target = std::ldexp(fraction(), static_cast<int>(std::lround(exponent)));
    push(target - warpfold::exact_plus_as<double>{}.lower(sum));
  }
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(i)))]);
  return items;
}

}  // namespace wf_test
