// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equality by bits, which the library promises of its results.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

namespace wf_test {

/// EXPECT_TRUE(same_bits(a, b)) says which bytes differ. For types without padding; NaNs are equal if their bits are.
template <class T> testing::AssertionResult same_bits(const T& actual, const T& expected) {
  static_assert(std::is_trivially_copyable_v<T>);
  unsigned char a[sizeof(T)], b[sizeof(T)];
  std::memcpy(a, &actual, sizeof(T));
  std::memcpy(b, &expected, sizeof(T));
  if (std::memcmp(a, b, sizeof(T)) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << testing::PrintToString(actual) << " (" << testing::PrintToString(a)
                                     << ") is not " << testing::PrintToString(expected) << " ("
                                     << testing::PrintToString(b) << ")";
}

/// As same_bits, but any NaN is as good as any other: the library promises nothing of a NaN's bits.
template <class T> testing::AssertionResult same_bits_or_nan(const T& actual, const T& expected) {
  if (actual != actual && expected != expected) return testing::AssertionSuccess();
  return same_bits(actual, expected);
}

}  // namespace wf_test
