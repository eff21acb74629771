// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equality by bits, which the library promises of its results.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace wf_test {

/// The bytes of `value` as one number, the last byte in memory first.
template <class T> std::string bits_in_words(const T& value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::string text = "0x";
  for (std::size_t i = sizeof(T); i > 0; --i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", unsigned{bytes[i - 1]});
    text += digits;
  }
  return text;
}

/// EXPECT_TRUE(same_bits(a, b)) says which bytes differ. For types without padding; NaNs are equal if their bits are.
template <class T> testing::AssertionResult same_bits(const T& actual, const T& expected) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (std::memcmp(&actual, &expected, sizeof(T)) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << testing::PrintToString(actual) << " (" << bits_in_words(actual) << ") is not "
                                     << testing::PrintToString(expected) << " (" << bits_in_words(expected) << ")";
}

/// As same_bits, but any NaN is as good as any other: the library promises nothing of a NaN's bits.
template <class T> testing::AssertionResult same_bits_or_nan(const T& actual, const T& expected) {
  if (actual != actual && expected != expected) return testing::AssertionSuccess();
  return same_bits(actual, expected);
}

}  // namespace wf_test
