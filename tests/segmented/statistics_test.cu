// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of segments, whose chunks are folded by runs if all of their items are numbers, and else one by one: each
// segment has the bits of its canonical tree.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "segmented/kernels.cuh"

namespace segmented_statistics_tests {

namespace wf = warpfold;
using wf_test::device_array;
using op = wf::statistics<>;
using result = wf::statistics_of<float>;

/// One item in `rarity` is NaN; none if it is 0.
std::vector<float> make_items(std::int64_t count, int rarity) {
  wf_test::random_source random(static_cast<unsigned>(rarity) + 3);
  std::vector<float> items(static_cast<std::size_t>(count));
  for (float& x : items)
    x = rarity > 0 && random.below(rarity) == 0 ? NAN
                                                : static_cast<float>(static_cast<int>(random.below(1 << 20))) / 64;
  return items;
}

void expect_tree(const std::vector<float>& items, std::int64_t begin, std::int64_t end, const result& found) {
  const result expected = op{}.lower(wf::canonical_tree::replay(items.data() + begin, end - begin, op{}));
  const auto same = [](float a, float b) { return std::memcmp(&a, &b, sizeof(float)) == 0 || (a != a && b != b); };
  ASSERT_EQ(std::memcmp(&found, &expected, sizeof(wf::moments_of<2>)), 0) << "items " << begin << " to " << end;
  ASSERT_TRUE(same(found.minimum, expected.minimum) && same(found.maximum, expected.maximum) &&
              found.nan_count == expected.nan_count)
      << "items " << begin << " to " << end;
}

TEST(statistics_of_segments, by_offsets) {
  for (const int rarity : {0, 1, 60, 3000})
    for (const int longest : {7, 40, 300, 5000}) {
      wf_test::random_source random(static_cast<unsigned>(longest));
      std::vector<int> offsets{0};
      while (offsets.back() < 6 * longest + 900)
        offsets.push_back(offsets.back() + 1 + static_cast<int>(random.below(longest)));
      const auto items = make_items(offsets.back(), rarity);
      const device_array<float> in(items, 1);
      const device_array<int> device_offsets(offsets);
      // A result of 40 bytes is written by vectors of 16, whether the first one is aligned so or not.
      const device_array<result> out(std::ssize(offsets) - 1, longest == 40);
      wf::segmented_reduce(in.items(), device_offsets.items(), std::span<result>(out.data(), out.size()), op{});
      const auto found = out.to_host();
      for (std::size_t s = 0; s < found.size(); ++s) expect_tree(items, offsets[s], offsets[s + 1], found[s]);
    }
}

// Each warp of a team folds its share as a long segment, edge and all.
TEST(statistics_of_segments, of_one_length_by_teams_of_all_sizes) {
  using A = wf::accumulator_t<op, float>;
  for (const int rarity : {0, 700})
    for (const std::int64_t length : {200, 1025, 5003})
      for (int turn = 0; turn < 9; ++turn) {
        const auto items = make_items(3 * length, rarity);
        const device_array<float> in(items, 1);
        const device_array<A> out(3);
        wf_test::per_warp_team::turn = turn;
        wf_test::per_warp_team::reduce(in.items(), wf::fixed_length{length}, std::span<A>(out.data(), 3), op{},
                                       wf::segmented_options<A>{}, wf::thread::lifted<op, wf::thread::no_transform>{});
        const auto found = out.to_host();
        for (std::size_t s = 0; s < 3; ++s) {
          const auto begin = static_cast<std::int64_t>(s) * length;
          expect_tree(items, begin, begin + length, op{}.lower(found[s]));
        }
      }
}

// Many items a segment have a kernel of their own, which gives threads more registers.
TEST(statistics_of_segments, are_told_apart_by_their_mean_length) {
  for (const int length : {999, 1000}) {
    std::vector<int> offsets{0};
    // Teams of warps take fewer segments.
    while (offsets.size() < (wf_test::emulated ? 200 : 20'000)) offsets.push_back(offsets.back() + length);
    const device_array<float> in(make_items(offsets.back(), 0));
    const device_array<int> device_offsets(offsets);
    const device_array<result> out(std::ssize(offsets) - 1);
    const std::string why =
        wf::explain([&] {
          wf::segmented_reduce(in.items(), device_offsets.items(), std::span<result>(out.data(), out.size()), op{});
        })
            .front()
            .why;
    EXPECT_EQ(why.find("fewer warps") != std::string::npos, length == 1000) << why;
  }
}

TEST(statistics_of_segments, of_one_length) {
  for (const int rarity : {0, 60})
    for (const std::int64_t length :
         {1, 2, 3, 5, 9, 16, 17, 24, 31, 33, 77, 129, 300, 511, 512, 513, 768, 3000, 8200}) {
      const std::int64_t count = length < 100 ? 37 : 3;
      const auto items = make_items(count * length, rarity);
      const device_array<float> in(items, 3);
      const device_array<result> out(count);
      wf::segmented_reduce(in.items(), wf::fixed_length{length}, std::span<result>(out.data(), out.size()), op{});
      const auto found = out.to_host();
      for (std::int64_t s = 0; s < count; ++s)
        expect_tree(items, s * length, (s + 1) * length, found[static_cast<std::size_t>(s)]);
    }
}

}  // namespace segmented_statistics_tests
