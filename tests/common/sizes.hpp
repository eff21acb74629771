// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Item counts at which cuts of an input fall differently.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <set>
#include <vector>

namespace wf_test {

/// Ascending: each unit, the ones beside it, and twice and three times a unit with theirs; from 1 to `most`.
inline std::vector<std::int64_t> sizes_around(std::initializer_list<std::int64_t> units, std::int64_t most) {
  std::set<std::int64_t> sizes;
  for (const std::int64_t unit : units)
    for (std::int64_t times = 1; times <= 3; ++times)
      for (std::int64_t off = -1; off <= 1; ++off) {
        const std::int64_t size = times * unit + off;
        if (size >= 1 && size <= most) sizes.insert(size);
      }
  return {sizes.begin(), sizes.end()};
}

/// Primes of every magnitude, up to `most`.
inline std::vector<std::int64_t> prime_sizes(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t p : {2,   3,   5,    7,    11,   13,   17,    29,    37,    61,     127,    131,    251,
                               509, 521, 1021, 2053, 4099, 8191, 16381, 32771, 65537, 131071, 262147, 524287, 1048583})
    if (p <= most) sizes.push_back(p);
  return sizes;
}

}  // namespace wf_test
