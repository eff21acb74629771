// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random data that is the same everywhere: SplitMix64, and items of any type from it.
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <vector>

namespace wf_test {

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 to bound - 1.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

/// Integers: all bits. Floating point: either sign, magnitudes from 2^-12 to 2^12, so that every association of a sum
/// rounds differently. Other types: their own T::random(source).
template <class T> T random_item(random_source& source) {
  if constexpr (requires { T::random(source); }) return T::random(source);
  else if constexpr (std::floating_point<T>) {
    const double fraction = 1 + static_cast<double>(source() >> 11) * 0x1p-53;
    const double magnitude = std::ldexp(fraction, static_cast<int>(source.below(24)) - 12);
    return static_cast<T>(source() & 1 ? -magnitude : magnitude);
  } else return static_cast<T>(source() >> 32 ^ source());
}

template <class T> std::vector<T> random_items(std::int64_t count, std::uint64_t seed = 1) {
  random_source source(seed);
  std::vector<T> items;
  items.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) items.push_back(random_item<T>(source));
  return items;
}

}  // namespace wf_test
