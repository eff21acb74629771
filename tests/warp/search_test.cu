// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches by a warp, against the standard library's.
#include <warpfold/warp/search.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace {

namespace wf = warpfold;
using wf_test::device_array;
using values = std::vector<std::int64_t>;

/// What each lane finds for the target of the block, and how often the warp looked.
__global__ void search_kernel(const std::int64_t* ascending, std::int64_t count, std::int64_t total,
                              const std::int64_t* targets, std::int64_t* by_interpolation, std::int64_t* by_parts,
                              std::int64_t* by_scatter, int* looks) {
  const std::int64_t target = targets[blockIdx.x];
  int looked = 0;
  const std::int64_t found = wf::warp::interpolation_search(count, total, target, [&](std::int64_t n) {
    ++looked;
    return ascending[n];
  });
  const unsigned own = blockIdx.x * 32 + threadIdx.x;
  by_interpolation[own] = found;
  by_parts[own] = wf::warp::partition_point(0, count, [&](std::int64_t n) { return ascending[n] < target; });
  int scattered_looks = 0;
  by_scatter[own] = wf::warp::scattered_search(count, total, target, [&](std::int64_t n) {
    ++scattered_looks;
    return ascending[n];
  });
  looks[2 * own] = looked / 2;  // each lane has two places in a look
  looks[2 * own + 1] = scattered_looks;
}

/// The most looks that a search took.
struct most_looks {
  int interpolated, scattered;
};

/// Searches for targets in and around `ascending`.
most_looks check(const values& ascending, std::int64_t total, std::int64_t seed) {
  wf_test::random_source random(static_cast<std::uint64_t>(seed));
  const std::int64_t most = ascending.empty() ? 0 : ascending.back();
  values targets{-5, 0, 1, most, most + 1, total};
  for (int i = 0; i < 20; ++i) targets.push_back(random.below(most + 2));
  for (int i = 0; i < 20 && !ascending.empty(); ++i)
    targets.push_back(ascending[static_cast<std::size_t>(random.below(std::ssize(ascending)))]);
  const auto results = std::ssize(targets) * 32;
  const device_array<std::int64_t> in(ascending), given(targets), by_interpolation(results), by_parts(results),
      by_scatter(results);
  const device_array<int> looks(2 * results);
  wf_test::launch_and_wait(&search_kernel, static_cast<int>(targets.size()), 32, 0, in.data(), std::ssize(ascending),
                           total, given.data(), by_interpolation.data(), by_parts.data(), by_scatter.data(),
                           looks.data());
  const auto found = by_interpolation.to_host(), found_by_parts = by_parts.to_host(), scattered = by_scatter.to_host();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t expected = std::ranges::lower_bound(ascending, targets[i / 32]) - ascending.begin();
    EXPECT_EQ(found[i], expected) << "target " << targets[i / 32] << " among " << ascending.size() << ", seed " << seed;
    EXPECT_EQ(found_by_parts[i], expected)
        << "target " << targets[i / 32] << " among " << ascending.size() << ", seed " << seed;
    EXPECT_EQ(scattered[i], expected) << "target " << targets[i / 32] << " among " << ascending.size() << ", seed "
                                      << seed;
  }
  most_looks taken{0, 0};
  const auto all = looks.to_host();
  for (std::size_t i = 0; i < all.size(); i += 2) {
    taken.interpolated = std::max(taken.interpolated, all[i]);
    taken.scattered = std::max(taken.scattered, all[i + 1]);
  }
  return taken;
}

template <class Step> values sums(std::int64_t count, Step step) {
  values result;
  for (std::int64_t sum = 0; std::ssize(result) < count; sum += step()) result.push_back(sum);
  return result;
}

TEST(search, of_equal_steps_takes_a_look) {
  for (const std::int64_t count : {1, 2, 31, 32, 33, 1000, 30'000})
    for (const std::int64_t step : {1, 7, 1 << 20}) {
      const most_looks most = check(sums(count, [&] { return step; }), count * step, count);
      EXPECT_LE(most.interpolated, 1) << count;
      EXPECT_LE(most.scattered, 3) << count;
    }
}

// If the last segment holds most items, most warps look for a target past all values.
TEST(search, past_all_values_takes_a_look) {
  for (const std::int64_t count : {1, 33, 1024, 65'537}) {
    const device_array<std::int64_t> in(values(static_cast<std::size_t>(count), 0)), target(values{1 << 19}),
        by_interpolation(32), by_parts(32), by_scatter(32);
    const device_array<int> looks(64);
    wf_test::launch_and_wait(&search_kernel, 1, 32, 0, in.data(), count, std::int64_t{1} << 20, target.data(),
                             by_interpolation.data(), by_parts.data(), by_scatter.data(), looks.data());
    EXPECT_EQ(by_interpolation.to_host()[0], count);
    EXPECT_EQ(by_scatter.to_host()[0], count);
    EXPECT_EQ(looks.to_host()[0], 1) << count;
    EXPECT_EQ(looks.to_host()[1], 1) << count;
  }
}

TEST(search, of_any_steps) {
  wf_test::random_source random(3);
  for (const std::int64_t count : {1, 5, 32, 33, 64, 1025, 20'000}) {
    const auto some = sums(count, [&] { return random.below(41); });  // some values are there more than once
    const most_looks most = check(some, some.back() + 20, count);
    EXPECT_LE(most.interpolated, 3) << count;
    EXPECT_LE(most.scattered, 4) << count;
    check(sums(count, [&] { return random.below(50) == 0 ? std::int64_t{1} << random.below(40) : random.below(3); }),
          1 << 20, count);
    check(values(static_cast<std::size_t>(count), 0), 0, count);  // as if all segments were empty, and without weight
    auto one_of_all = values(static_cast<std::size_t>(count), 0);
    one_of_all.back() = std::int64_t{1} << 50;
    check(one_of_all, std::int64_t{1} << 50, count);
  }
  check({}, 0, 1);
}

/// The number with value `target` or more, of numbers n with values n * step, by each search.
__global__ void search_far_kernel(std::int64_t count, std::int64_t step, const std::int64_t* targets,
                                  std::int64_t* found) {
  const std::int64_t target = targets[blockIdx.x];
  const auto value = [&](std::int64_t n) { return n * step; };
  const std::int64_t by_interpolation = wf::warp::interpolation_search(count, count * step, target, value),
                     by_parts = wf::warp::partition_point(0, count, [&](std::int64_t n) { return value(n) < target; }),
                     by_scatter = wf::warp::scattered_search(count, count * step, target, value);
  if (threadIdx.x != 0) return;
  found[3 * blockIdx.x] = by_interpolation;
  found[3 * blockIdx.x + 1] = by_parts;
  found[3 * blockIdx.x + 2] = by_scatter;
}

// More numbers than 32 bits count, and as many as scattered_search takes by them.
TEST(search, among_billions) {
  for (const std::int64_t count :
       {std::int64_t{1} << 30, (std::int64_t{1} << 30) + 1, std::int64_t{3'000'000'000}, (std::int64_t{1} << 40) + 5})
    for (const std::int64_t step : {1, 5}) {
      values targets{0, 1, count * step - step + 1, count * step, count * step + 1};
      for (const std::int64_t n : {(std::int64_t{1} << 30) - 1, std::int64_t{1} << 30, (std::int64_t{1} << 31) - 1,
                                   std::int64_t{1} << 31, std::int64_t{1} << 32, count - 1, count / 3})
        targets.insert(targets.end(), {n * step - 1, n * step, n * step + 1});
      const device_array<std::int64_t> given(targets), found(3 * std::ssize(targets));
      wf_test::launch_and_wait(&search_far_kernel, static_cast<int>(targets.size()), 32, 0, count, step, given.data(),
                               found.data());
      const auto all = found.to_host();
      for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], std::min((targets[i / 3] + step - 1) / step, count))
            << "target " << targets[i / 3] << " among " << count << ", search " << i % 3;
    }
}

TEST(search, whatever_the_total_says_is_right) {
  wf_test::random_source random(4);
  const auto some = sums(5000, [&] { return random.below(100); });
  for (const std::int64_t total :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, some.back() * 1000, -some.back()})
    check(some, total, total);
}

}  // namespace
