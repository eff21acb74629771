// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every rung's sum, at sizes around each unit of work, in every item type.
#include <gtest/gtest.h>
#include <algorithm>

#include "ladder_problem.cuh"

namespace {

using namespace ladder;

const std::vector<std::int64_t> sizes = {0,   1,   31,  32,   33,   63,   64,   65,   127,  128,  129,  255,  256,  257,
                                         511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4097, 7919, 20011};

/// Items that fill their type: sums of unsigned wrap, sums of reals are rounded.
template <class T> std::vector<T> full_range_items(std::int64_t count, std::uint64_t seed) {
  std::vector<T> items;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = hash(static_cast<std::uint64_t>(i), seed);
    if constexpr (std::unsigned_integral<T>) items.push_back(static_cast<T>(bits));
    else items.push_back(static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52 - 1));
  }
  return items;
}

template <class T> void expect_right(const rung<T>& r, const std::vector<T>& items, bool every_sum_is_exact) {
  device_problem<T> on_device(items);
  const std::vector<T> sums = on_device.run(r);
  const std::int64_t chain = longest_chain(r, std::ssize(items), on_device.multiprocessors());
  for (int k = 0; k < r.results; ++k) {
    const true_sum sum = sum_of(items, k, r.results);
    EXPECT_TRUE(is_right(sums[static_cast<std::size_t>(k)], sum, every_sum_is_exact, chain))
        << r.about.name << " of " << items.size() << " items, sum " << k << ": got "
        << sums[static_cast<std::size_t>(k)] << ", the sum is " << sum.value;
  }
}

class ladder_rung : public testing::TestWithParam<std::string> {
 protected:
  template <class T> rung<T> get() const { return rung_named<T>(GetParam()); }
};

TEST_P(ladder_rung, sums_integers_exactly) {
  for (std::int64_t count : sizes) expect_right(get<int>(), random_array<int>(count, 1).items, true);
}

TEST_P(ladder_rung, wraps_unsigned_sums) {
  for (std::int64_t count : sizes) expect_right(get<unsigned>(), full_range_items<unsigned>(count, 2), true);
}

TEST_P(ladder_rung, gives_the_very_float_where_every_sum_is_exact) {
  for (std::int64_t count : sizes) expect_right(get<float>(), random_array<float>(count, 3).items, true);
}

TEST_P(ladder_rung, rounds_floats_within_the_bound) {
  for (std::int64_t count : sizes) expect_right(get<float>(), full_range_items<float>(count, 4), false);
}

TEST_P(ladder_rung, sums_doubles) {
  for (std::int64_t count : sizes) {
    expect_right(get<double>(), random_array<double>(count, 5).items, true);
    expect_right(get<double>(), full_range_items<double>(count, 6), false);
  }
}

// Other schedules in the emulator, other data everywhere.
TEST_P(ladder_rung, is_right_under_many_schedules) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const schedule_seed scheduled(seed);
    expect_right(get<int>(), random_array<int>(4097, seed).items, true);
    expect_right(get<float>(), random_array<float>(4097, seed).items, true);
  }
}

// A grid of bounded size takes several turns.
TEST_P(ladder_rung, takes_several_turns) {
  const rung<int> r = get<int>();
  const bool bounded = r.max_blocks <= 2048 || r.blocks_a_multiprocessor > 0;
  const std::int64_t most = r.blocks_a_multiprocessor > 0 ? 16 * this_device().multiProcessorCount : r.max_blocks;
  const std::int64_t count = bounded ? most * r.items_a_block * 2 + 12345 : 54321;
  expect_right(r, random_array<int>(count, 7).items, true);
}

// Partials of many blocks are reduced by several blocks again, which must not overwrite what others have yet to read.
TEST_P(ladder_rung, relaunches_on_many_partials) {
  const std::vector<int> items = random_array<int>(150001, 8).items;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const schedule_seed scheduled(seed);
    expect_right(get<int>(), items, true);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const rung<int>& r : all_rungs<int>()) result.emplace_back(r.about.name);
  return result;
}
std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(ladder, ladder_rung, testing::ValuesIn(names()), test_name);

// The bound is useful only if the chain is short: the steps in the tables of the sources.
TEST(longest_chain, is_logarithmic_for_trees) {
  constexpr std::int64_t items = 1 << 20;
  constexpr int multiprocessors = 132;
  EXPECT_EQ(longest_chain(rung_named<float>("warpfold"), items, multiprocessors), 20);
  EXPECT_EQ(longest_chain(rung_named<float>("atomic-global"), items, multiprocessors), 1 + 9 + items);
  for (const char* tree : {"naive-tree", "reassigned-tree", "harris-1", "harris-6"})
    EXPECT_LE(longest_chain(rung_named<float>(tree), items, multiprocessors), 3 * 10) << tree;
}

}  // namespace
