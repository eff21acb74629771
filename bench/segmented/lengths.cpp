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

/// Lengths from 1 on, of this mean; each item is as likely as any other to be the last.
offsets geometric(std::int64_t items, std::int64_t mean) {
  std::mt19937 random(4);
  std::geometric_distribution<std::int64_t> more(1.0 / static_cast<double>(mean));
  return until_full(items, [&] { return 1 + more(random); });
}
template <int Mean> distribution geometric_lengths() {
  return {"geometric_" + std::to_string(Mean), [](std::int64_t items, std::int64_t) { return geometric(items, Mean); }};
}

/// Lengths from 1 to 4 million, longer than x with probability x^-1.1: most have 1 to 3 items, but most items lie in
/// longer ones.
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

/// Log-normal around a median of 16, mean 49.
offsets log_normal(std::int64_t items, std::int64_t) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> length(std::log(16), 1.5);
  return until_full(items, [&] { return static_cast<std::int64_t>(length(random)); });
}

/// As the degrees of a scale-free graph: a third are 0, the mean is 6, and few are very large.
offsets degrees(std::int64_t items, std::int64_t) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(std::pow(1e6, -1.5), 1);
  return until_full(items, [&] { return static_cast<std::int64_t>(3 * std::pow(uniform(random), -1 / 1.5)) - 3; });
}

offsets uniform_0_20(std::int64_t items, std::int64_t) {
  std::mt19937 random(7);
  return until_full(items, [&] { return static_cast<int>(random() % 21); });
}

/// A thousand segments of 32, then a thousand empty ones.
offsets dense_and_empty(std::int64_t items, std::int64_t) {
  int s = 0;
  return until_full(items, [&] { return s++ / 1000 % 2 == 0 ? 32 : 0; });
}

/// Lengths that grow from 1 to 8000.
offsets ascending(std::int64_t items, std::int64_t) {
  const std::int64_t last = std::max<std::int64_t>(items / 4000, 1);
  std::int64_t s = 0;
  return until_full(items, [&] { return 1 + s++ * 7999 / last; });
}
offsets descending(std::int64_t items, std::int64_t) {
  const std::int64_t last = std::max<std::int64_t>(items / 4000, 1);
  std::int64_t s = 0;
  return until_full(items, [&] { return std::max<std::int64_t>(8000 - s++ * 7999 / last, 1); });
}

/// One of 64 has 4096 items, the others 4.
offsets two_lengths(std::int64_t items, std::int64_t) {
  std::mt19937 random(8);
  return until_full(items, [&] { return random() % 64 == 0 ? 4096 : 4; });
}

/// All of 4, but for one in a hundred: means of 3.99 and 4.01.
template <int Other> offsets mostly_4(std::int64_t items, std::int64_t) {
  std::mt19937 random(9);
  return until_full(items, [&] { return random() % 100 == 0 ? Other : 4; });
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

std::vector<distribution> irregular_distributions() {
  return {geometric_lengths<4>(),
          {"log_normal", log_normal, 0, true},
          {"degrees", degrees, 0, true},
          {"uniform_0_20", uniform_0_20, 0, true},
          {"dense_and_empty", dense_and_empty, 0, true},
          {"ascending", ascending},
          {"descending", descending},
          {"two_lengths", two_lengths},
          {"mostly_4_some_3", mostly_4<3>},
          {"mostly_4_some_5", mostly_4<5>}};
}

std::vector<distribution> without_empty(std::vector<distribution> list) {
  std::erase_if(list, [](const distribution& each) { return each.has_empty; });
  return list;
}

distribution named_distribution(const std::string& name) {
  for (const auto& list : {all_distributions(), irregular_distributions()})
    for (const distribution& each : list)
      if (each.name == name) return each;
  throw std::invalid_argument("no distribution of lengths is called " + name);
}

}  // namespace bench
