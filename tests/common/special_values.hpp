// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values at which arithmetic goes wrong.
#pragma once
#include <limits>
#include <type_traits>
#include <vector>

namespace wf_test {

/// Floating point: both zeros, subnormals, extremes, infinities and NaN. Integers: extremes, and all between -3 and 3.
template <class T> std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) return {false, true};
  else if constexpr (std::is_floating_point_v<T>)
    return {T(0),
            T(-0.0),
            T(1),
            T(-1),
            T(1.5),
            limits::min(),
            -limits::denorm_min(),
            limits::epsilon(),
            limits::max(),
            limits::lowest(),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN()};
  else {
    std::vector<T> values{limits::min(), T(limits::min() + 1), T(limits::max() / 2), T(limits::max() - 1),
                          limits::max()};
    for (int i = -3; i <= 3; ++i) values.push_back(static_cast<T>(i));
    return values;
  }
}

}  // namespace wf_test
