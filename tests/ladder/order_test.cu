// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a rung needs commutativity, shown with the interval monoid: item i is [i, i + 1), neighbours join, and any
// other pair is poison for good. It has no inverse, no order of its own and no second way to the right result.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "ladder_problem.cuh"

namespace order_test {

struct interval {
  unsigned long long bits = 0;  // begin in the low half, end in the high half; empty if equal, poison if reversed

  __host__ __device__ static interval of(unsigned begin, unsigned end) {
    return {begin | static_cast<unsigned long long>(end) << 32};
  }
  __host__ __device__ unsigned begin() const { return static_cast<unsigned>(bits); }
  __host__ __device__ unsigned end() const { return static_cast<unsigned>(bits >> 32); }
  __host__ __device__ bool is_poison() const { return begin() > end(); }

  __host__ __device__ friend interval operator+(interval a, interval b) {
    if (a.is_poison() || b.is_poison()) return of(1, 0);
    if (a.begin() == a.end()) return b;
    if (b.begin() == b.end()) return a;
    return a.end() == b.begin() ? of(a.begin(), b.end()) : of(1, 0);
  }
  __host__ __device__ interval& operator+=(interval other) { return *this = *this + other; }
  friend bool operator==(interval a, interval b) { return a.bits == b.bits; }
  friend std::ostream& operator<<(std::ostream& out, interval i) {
    return out << '[' << i.begin() << ", " << i.end() << ')';
  }
};

// The kernels find these by argument-dependent lookup.
__device__ interval __shfl_down_sync(unsigned mask, interval value, unsigned offset) {
  return {::__shfl_down_sync(mask, value.bits, offset)};
}
__device__ interval atomicAdd(interval* address, interval value) {
  unsigned long long expected = 0;  // a wrong guess only costs a turn
  for (;;) {
    const unsigned long long found = atomicCAS(&address->bits, expected, (interval{expected} + value).bits);
    if (found == expected) return {found};
    expected = found;
  }
}

}  // namespace order_test

namespace {

using namespace ladder;
using order_test::interval;

/// Item i of each of the rung's sums, so that those are in order, too.
std::vector<interval> items_in_order(std::int64_t count, int results) {
  std::vector<interval> items;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned place = i / static_cast<unsigned>(results);
    items.push_back(interval::of(place, place + 1));
  }
  return items;
}

bool keeps_order(const rung<interval>& r, std::int64_t count) {
  const std::vector<interval> items = items_in_order(count, r.results);
  const std::vector<interval> sums = device_problem<interval>(items).run(r);
  bool kept = true;
  for (int k = 0; k < r.results; ++k) {
    const auto expected = static_cast<unsigned>((count - k + r.results - 1) / r.results);
    kept = kept && sums[static_cast<std::size_t>(k)] == interval::of(0, expected);
  }
  return kept;
}

TEST(ladder_order, the_monoid_is_associative_on_neighbours_and_poison_absorbs) {
  const interval a = interval::of(0, 2), b = interval::of(2, 3), c = interval::of(3, 7), empty{};
  EXPECT_EQ((a + b) + c, interval::of(0, 7));
  EXPECT_EQ(a + (b + c), interval::of(0, 7));
  EXPECT_EQ(empty + a, a);
  EXPECT_EQ(a + empty, a);
  EXPECT_TRUE((b + a).is_poison());
  EXPECT_TRUE((a + c).is_poison());
  EXPECT_TRUE((b + a + c).is_poison());
}

class ladder_order : public testing::TestWithParam<std::string> {};

TEST_P(ladder_order, is_kept_unless_the_table_says_otherwise) {
  const rung<interval> r = named(source_rungs<interval>(), GetParam());
  if (r.about.needs == commutativity::not_needed) {
    for (std::int64_t count : {1, 2, 127, 128, 129, 2047, 2048, 2049, 4097, 40009})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const schedule_seed scheduled(seed);
        EXPECT_TRUE(keeps_order(r, count)) << count << " items";
      }
    return;
  }
  // Blocks that meet in atomics may happen to come in order: rarely when they are hundreds, never eight times.
  bool lost = false;
  for (std::uint64_t seed = 1; seed <= 8 && !lost; ++seed) {
    const schedule_seed scheduled(seed);
    lost = !keeps_order(r, 100003);
  }
  EXPECT_TRUE(lost);
}

// In one block, a rung that needs commutativity between blocks only keeps the order; other rungs lose it.
TEST_P(ladder_order, within_one_block) {
  const rung<interval> r = named(source_rungs<interval>(), GetParam());
  if (r.about.name == "atomic-global" || r.about.name == "atomic-shared") {
    EXPECT_EQ(r.about.needs, commutativity::everywhere) << "its order is whatever comes first";
  } else {
    const bool within = r.about.needs == commutativity::within_blocks || r.about.needs == commutativity::everywhere;
    EXPECT_EQ(keeps_order(r, 128), !within);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const rung<interval>& r : source_rungs<interval>()) result.emplace_back(r.about.name);
  return result;
}
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(ladder, ladder_order, testing::ValuesIn(names()), test_name);

}  // namespace
