// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WARPFOLD_TEST_CASES=<n> has each random test try n cases, and tests that go through long lists try the same share of them:
// where time is short, it asks for fewer cases than usual.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace wf_test {

#if defined(__SANITIZE_ADDRESS__)  // three times slower
inline constexpr std::int64_t default_cases = 200;
#else
inline constexpr std::int64_t default_cases = 300;
#endif

inline std::int64_t environment_number(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 0);
}

/// Of a random test.
inline std::int64_t cases_of_a_test() { return environment_number("WARPFOLD_TEST_CASES", default_cases); }

/// Of `usual` repetitions, or of a usual size, as many as there is time for; at least one.
inline std::int64_t share_of(std::int64_t usual) {
  return std::max<std::int64_t>(1, usual * std::min(cases_of_a_test(), default_cases) / default_cases);
}

/// Whether there is time for entry `number` of a list: for the first, and for others in equal steps.
inline bool in_sample(std::int64_t number) { return number * cases_of_a_test() % default_cases < cases_of_a_test(); }

}  // namespace wf_test
