// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Randomised differential tests: one case per seed. A failure prints its seed: WARPFOLD_TEST_SEED=<seed> repeats that
// case alone, WARPFOLD_TEST_CASES=<n> runs n of them.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>

#include "common/random_items.hpp"
#include "common/samples.hpp"

namespace wf_test {

/// Expects check(seed, source) for every seed of this process.
template <class Check> void for_all_seeds(Check check) {
  const std::int64_t own = environment_number("WARPFOLD_TEST_SEED", 0);
  const std::int64_t cases = cases_of_a_test();
  for (std::int64_t seed = own > 0 ? own : 1; seed <= (own > 0 ? own : cases); ++seed) {
    random_source source(static_cast<std::uint64_t>(seed));
    EXPECT_TRUE(check(static_cast<std::uint64_t>(seed), source)) << "WARPFOLD_TEST_SEED=" << seed;
  }
}

}  // namespace wf_test
