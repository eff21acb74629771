// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce keeps the order, uses each item once and init once, at every size and however it is asked.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "common/samples.hpp"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join, wf_test::way;

namespace {

class reduce_interval : public testing::Test {
 protected:
  void expect_joined(const wf_test::device_array<interval<>>& in, const way& w) {
    wf::reduce(in.items(), asked_.out(), join{}, asked_.options(w));
    EXPECT_EQ(asked_.result(), interval<>::of(w.has_init() ? -1 : 0, in.count() - 1)) << in.count() << " items, " << w;
  }

 private:
  wf_test::asked<interval<>> asked_{interval<>::of(-1), interval<>::poison()};
};

TEST_F(reduce_interval, every_border_and_way) {
  std::int64_t turn = 0, number = 0;
  for (const std::int64_t size : wf_test::border_sizes<interval<>>()) {
    const wf_test::device_array<interval<>> in(wf_test::interval_items(size));
    for (const way& w : wf_test::ways(turn++))
      if (wf_test::in_sample(number++)) expect_joined(in, w);
  }
}

TEST_F(reduce_interval, every_small_size) {
  for (std::int64_t size = 1; size <= 300; ++size)
    expect_joined(wf_test::device_array<interval<>>(wf_test::interval_items(size)), {});
}

TEST_F(reduce_interval, forced_grids_under_many_schedules) {
  for (const std::int64_t size : wf_test::shape_sizes<interval<>>()) {
    const wf_test::device_array<interval<>> in(wf_test::interval_items(size));
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(wf_test::share_of(6)); ++seed) {
      const wf_test::schedule_seed schedule(seed);
      for (const int max_blocks : {1, 2, 3, 5, 7, 8, 33, 131, 1000}) expect_joined(in, {.max_blocks = max_blocks});
    }
  }
}

// Groups of large accumulators have few tiles, so one block's only unit has many groups, and any number of them.
TEST_F(reduce_interval, units_of_many_groups) {
  using large = interval<std::int32_t, 1200>;
  const wf_test::device_array<large> out(1);
  for (const std::int64_t tiles : {3, 6, 18}) {
    const wf_test::device_array<large> in(wf_test::interval_items<large>(128 * tiles + 5));
    wf::reduce(in.items(), out.data(), join{}, {.max_blocks = 1});
    EXPECT_EQ(out.value(), large::of(0, in.count() - 1)) << in.count() << " items";
  }
}

TEST_F(reduce_interval, empty_gives_init) {
  wf_test::asked<interval<>> asked(interval<>::of(-1), interval<>::poison());
  for (const way& w : wf_test::ways(0)) {
    if (!w.has_init()) continue;
    wf::reduce(std::span<const interval<>>{}, asked.out(), join{}, asked.options(w));
    EXPECT_EQ(asked.result(), interval<>::of(-1)) << w;
  }
}

}  // namespace
