// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lengths of the segments that the benchmarks reduce.
#include "segmented/lengths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

std::vector<bench::distribution> every_one() {
  auto list = bench::all_distributions();
  const auto irregular = bench::irregular_distributions();
  list.insert(list.end(), irregular.begin(), irregular.end());
  return list;
}

double mean_of(const std::vector<int>& offsets) {
  return static_cast<double>(offsets.back()) / static_cast<double>(offsets.size() - 1);
}

TEST(lengths, are_in_order_and_hold_no_more_than_the_items) {
  for (const bench::distribution& each : every_one())
    for (const std::int64_t items : {1 << 16, 1 << 20, 1'000'003}) {
      if (each.length > items) continue;
      const std::vector<int> offsets = each(items);
      ASSERT_GE(offsets.size(), 2u) << each.name;
      EXPECT_EQ(offsets.front(), 0) << each.name;
      EXPECT_LE(offsets.back(), items) << each.name;
      EXPECT_GE(offsets.back(), items / 8 - 3) << each.name;
      EXPECT_TRUE(std::ranges::is_sorted(offsets)) << each.name;
      const bool has_empty = std::ranges::adjacent_find(offsets) != offsets.end();
      EXPECT_EQ(has_empty, each.has_empty) << each.name;
    }
}

TEST(lengths, have_the_means_that_their_names_tell) {
  constexpr std::int64_t items = 1 << 22;
  const auto mean = [](const char* name) { return mean_of(bench::named_distribution(name)(items)); };
  EXPECT_NEAR(mean("uniform_10_50"), 30, 0.1);
  EXPECT_NEAR(mean("uniform_0_20"), 10, 0.1);
  EXPECT_NEAR(mean("geometric_4"), 4, 0.1);
  EXPECT_NEAR(mean("geometric_200"), 200, 10);
  EXPECT_NEAR(mean("mostly_4_some_3"), 3.99, 0.002);
  EXPECT_NEAR(mean("mostly_4_some_5"), 4.01, 0.002);
  EXPECT_NEAR(mean("ascending"), 4000, 40);
  EXPECT_NEAR(mean("descending"), 4000, 150);  // the last ones are short, and few find room
  EXPECT_NEAR(mean("two_lengths"), 4 + 4092.0 / 64, 4);
  EXPECT_NEAR(mean("degrees"), 6, 1);
  EXPECT_NEAR(mean("log_normal"), 49, 2);
}

TEST(lengths, grow_or_fall) {
  const auto difference = [](const std::vector<int>& offsets, std::size_t s) { return offsets[s + 1] - offsets[s]; };
  const auto up = bench::named_distribution("ascending")(1 << 22),
             down = bench::named_distribution("descending")(1 << 22);
  for (std::size_t s = 0; s + 3 < std::min(up.size(), down.size()); ++s) {
    EXPECT_LE(difference(up, s), difference(up, s + 1));
    EXPECT_GE(difference(down, s), difference(down, s + 1));
  }
}

TEST(lengths, have_names_of_their_own) {
  std::set<std::string> names;
  for (const bench::distribution& each : every_one()) EXPECT_TRUE(names.insert(each.name).second) << each.name;
  EXPECT_THROW(bench::named_distribution("none"), std::invalid_argument);
}

TEST(lengths, of_runs_are_not_empty) {
  for (const bench::distribution& each : bench::without_empty(every_one())) EXPECT_FALSE(each.has_empty) << each.name;
}

}  // namespace
