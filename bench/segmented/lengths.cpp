// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lengths.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace bench {
namespace {

using offsets = std::vector<int>;

/// Segments of next_length() items until they hold `items`; the last one is cut to fit.
template <class NextLength> offsets until_full(std::int64_t items, NextLength next_length) {
  offsets result{0};
  for (std::int64_t end = 0; end < items;) {
    end = std::min<std::int64_t>(items, end + next_length());
    result.push_back(static_cast<int>(end));
  }
  return result;
}

offsets equal(std::int64_t items, std::int64_t length) {
  offsets result(static_cast<std::size_t>(items / length) + 1);
  for (std::size_t s = 0; s < result.size(); ++s) result[s] = static_cast<int>(static_cast<std::int64_t>(s) * length);
  return result;
}

offsets one(std::int64_t items, std::int64_t) { return {0, static_cast<int>(items)}; }

offsets uniform_10_50(std::int64_t items, std::int64_t) {
  std::mt19937 random(1);
  return until_full(items, [&] { return 10 + static_cast<int>(random() % 41); });
}

/// Lengths from 1 on, of this mean, all as likely to end with their next item.
offsets geometric(std::int64_t items, std::int64_t mean) {
  std::mt19937 random(4);
  std::geometric_distribution<std::int64_t> more(1.0 / static_cast<double>(mean));
  return until_full(items, [&] { return 1 + more(random); });
}
template <int Mean> distribution geometric_lengths() {
  return {"geometric_" + std::to_string(Mean), [](std::int64_t items, std::int64_t) { return geometric(items, Mean); }};
}

/// Lengths from 1 to 4 million, longer than x with probability x^-1.1: most are of 1 to 3 items, and most items lie in others.
offsets power_law(std::int64_t items, std::int64_t) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(std::pow(4e6, -1.1), 1);
  return until_full(items, [&] { return static_cast<std::int64_t>(std::pow(uniform(random), -1 / 1.1)); });
}

/// Three of four empty, the others of 3.
offsets three_of_four_empty(std::int64_t items, std::int64_t) {
  std::mt19937 random(3);
  return until_full(items / 4, [&] { return random() % 4 == 0 ? 3 : 0; });
}

offsets every_second_empty(std::int64_t items, std::int64_t) {
  int s = 0;
  return until_full(items / 8, [&] { return s++ % 2 == 0 ? 0 : 3; });
}

/// A sixtieth of the items in segments of 4, then one of all the rest.
offsets tiny_then_one(std::int64_t items, std::int64_t) {
  offsets result = equal(items / 64 * 4, 4);
  result.push_back(static_cast<int>(items));
  return result;
}

}  // namespace

distribution equal_lengths(std::int64_t length) {
  const bool power = length >= 1 << 17 && (length & (length - 1)) == 0;
  return {"all_" + (power ? "2^" + std::to_string(static_cast<int>(std::log2(length))) : std::to_string(length)), equal,
          length};
}

std::vector<distribution> all_distributions() {
  std::vector<distribution> list;
  for (const std::int64_t length : {1, 2, 3, 8, 16, 32, 100, 1000, 4096, 65536, 1 << 20})
    list.push_back(equal_lengths(length));
  list.insert(list.end(), {{"one", one},
                           {"uniform_10_50", uniform_10_50},
                           geometric_lengths<200>(),
                           geometric_lengths<5000>(),
                           {"power_law", power_law},
                           {"three_of_four_empty", three_of_four_empty, 0, true},
                           {"every_second_empty", every_second_empty, 0, true},
                           {"tiny_then_one", tiny_then_one}});
  return list;
}

std::vector<distribution> distributions_of_runs() {
  std::vector<distribution> list = all_distributions();
  std::erase_if(list, [](const distribution& each) { return each.has_empty; });
  return list;
}

distribution named_distribution(const std::string& name) {
  for (const distribution& each : all_distributions())
    if (each.name == name) return each;
  throw std::invalid_argument("no distribution of lengths is called " + name);
}

}  // namespace bench
