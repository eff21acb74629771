// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The array that the ladder sums, its true sums, and how far from them a result may be.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "../common/npy.hpp"

namespace ladder {

template <class T> struct array {
  std::vector<T> items;
  std::string origin;
  bool every_sum_is_exact = false;  // whatever the order of the additions
};

/// A random number for each index: splitmix64.
constexpr std::uint64_t hash(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1b54a32d192ed03u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Integers in [-1000, 1000]; real numbers in [-1, 1] in steps of 1/64. Sums of the latter are exact while they stay
/// below 2^18, as random sums of fewer than 2^32 items do: every rung, in any order, must give the very same float.
template <class T> array<T> random_array(std::int64_t items, std::uint64_t seed) {
  constexpr std::int64_t range = std::integral<T> ? 1000 : 64;
  array<T> result{{}, "random, seed " + std::to_string(seed), true};
  result.items.reserve(static_cast<std::size_t>(items));
  for (std::int64_t i = 0; i < items; ++i) {
    const auto step = static_cast<std::int64_t>(hash(static_cast<std::uint64_t>(i), seed) % (2 * range + 1)) - range;
    result.items.push_back(std::integral<T> ? static_cast<T>(step) : static_cast<T>(step) / static_cast<T>(range));
  }
  return result;
}

/// Adds the file's items; false if they are real numbers and T is an integer.
template <class From, class T> bool append(const examples::array_file& file, std::vector<T>& to) {
  constexpr bool fits = !std::integral<T> || std::integral<From>;
  if constexpr (fits) {
    for (const From& item : file.items_as<From>()) to.push_back(static_cast<T>(item));
  }
  return fits;
}

/// Adds the file's items, whatever their type; false if they do not fit.
template <class T> bool append_items(const examples::array_file& file, std::vector<T>& to) {
  using enum examples::item_type;
  switch (file.type) {
    case boolean:
    case uint8: return append<std::uint8_t>(file, to);
    case int8: return append<std::int8_t>(file, to);
    case uint16: return append<std::uint16_t>(file, to);
    case int16: return append<std::int16_t>(file, to);
    case int32: return append<std::int32_t>(file, to);
    case float32: return append<float>(file, to);
    case float64: return append<double>(file, to);
    default: return false;
  }
}

/// The numbers of a .npy file as T, over and over until there are `items`; each once, if `items` is negative.
template <class T> array<T> array_from_file(const std::filesystem::path& path, std::int64_t items) {
  const examples::array_file file = examples::read_npy(path);
  array<T> result{{}, path.filename().string()};
  std::vector<T>& to = result.items;
  if (!append_items(file, to))
    throw examples::file_error(path.string() + ": items of type " + std::string(examples::describe(file.type).name) +
                               " do not fit the ladder's --type");
  if (std::any_of(to.begin(), to.end(), [](T item) { return !std::isfinite(static_cast<double>(item)); }))
    throw examples::file_error(path.string() + ": not all of its numbers are finite");
  if (to.empty() && items > 0) throw examples::file_error(path.string() + ": no items to repeat");
  const std::size_t period = to.size();
  if (items >= 0) to.resize(static_cast<std::size_t>(items));
  for (std::size_t i = period; i < to.size(); ++i) to[i] = to[i - period];
  return result;
}

/// The true sum of the items i with i % results == result, and of their magnitudes.
struct true_sum {
  long double value = 0;
  long double magnitudes = 0;
};
template <class T> true_sum sum_of(const std::vector<T>& items, int result = 0, int results = 1) {
  true_sum sum;
  for (std::size_t i = static_cast<std::size_t>(result); i < items.size(); i += static_cast<std::size_t>(results)) {
    sum.value += static_cast<long double>(items[i]);
    sum.magnitudes += std::abs(static_cast<long double>(items[i]));
  }
  return sum;
}

/// How far a sum of reals may be from the true one if no item passes through more than `chain` additions: gamma_chain
/// times the magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, 4.2); infinite if that bounds nothing.
template <class T> long double error_bound(const true_sum& sum, std::int64_t chain) {
  const long double ku = static_cast<long double>(chain) * std::numeric_limits<T>::epsilon() / 2;
  return ku < 1 ? ku / (1 - ku) * sum.magnitudes : std::numeric_limits<long double>::infinity();
}

/// Whether `value` can be the sum. Integers wrap and must be equal; so must reals whose every sum is exact.
template <class T> bool is_right(T value, const true_sum& sum, bool every_sum_is_exact, std::int64_t chain) {
  if constexpr (std::integral<T>) {
    return value == static_cast<T>(static_cast<std::int64_t>(sum.value));
  } else {
    const long double bound = every_sum_is_exact ? 0 : error_bound<T>(sum, chain);
    return std::abs(static_cast<long double>(value) - sum.value) <= bound;
  }
}

}  // namespace ladder
