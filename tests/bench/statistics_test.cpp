// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace {

TEST(summarize, median_of_odd_count_is_the_middle_sample) {
  const bench::statistics s = bench::summarize({5, 1, 4, 2, 3});
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.minimum, 1);
  EXPECT_EQ(s.lower_quartile, 2);
  EXPECT_EQ(s.upper_quartile, 4);
  EXPECT_EQ(s.samples, 5);
}

TEST(summarize, median_of_even_count_is_the_mean_of_the_two_in_the_middle) {
  EXPECT_EQ(bench::summarize({4, 1, 3, 2}).median, 2.5);
}

TEST(summarize, one_sample_is_everything) {
  const bench::statistics s = bench::summarize({7});
  EXPECT_EQ(s.median, 7);
  EXPECT_EQ(s.lower_quartile, 7);
  EXPECT_EQ(s.upper_quartile, 7);
}

TEST(summarize, rejects_no_samples) { EXPECT_THROW(bench::summarize({}), std::invalid_argument); }

TEST(round_robin, each_round_takes_every_contender_once_in_another_order) {
  std::vector<std::size_t> order;
  const auto result = bench::round_robin(3, {4, 4, 1e9}, [&](std::size_t i) {
    order.push_back(i);
    return static_cast<double>(i);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 0, 2, 1, 2, 0, 1, 2, 1, 0}));
  ASSERT_EQ(result.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result[i].median, static_cast<double>(i));
    EXPECT_EQ(result[i].samples, 4);
  }
}

TEST(round_robin, stops_after_the_minimum_once_the_budget_is_spent) {
  const auto result = bench::round_robin(2, {3, 1000, 0.0}, [](std::size_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return 1.0;
  });
  EXPECT_EQ(result[0].samples, 3);
  EXPECT_EQ(result[1].samples, 3);
}

}  // namespace
