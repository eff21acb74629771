// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets and lengths past 2^31 and 2^32, of items that an iterator computes; very many segments. The emulator is too
// slow for so many.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "reduce/iterators.cuh"
#include "ways.cuh"

namespace wf = warpfold;
using wf_test::device_array;
using long_interval = wf_test::interval<std::int64_t>;

namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31, two_to_32 = 2 * two_to_31, count = 5'000'000'029;

void expect_intervals(const std::vector<std::int64_t>& offsets, const device_array<long_interval>& out,
                      int max_blocks) {
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    EXPECT_EQ(out.value(static_cast<std::int64_t>(s)),
              offsets[s] == offsets[s + 1] ? long_interval::of(-9) : long_interval::of(offsets[s], offsets[s + 1] - 1))
        << "segment " << s << ", max_blocks " << max_blocks;
}

TEST(segmented_reduce_large_counts, offsets_of_64_bits) {
  const std::vector<std::int64_t> cases[] = {
      {0, count},
      {0, 0, two_to_31 - 1, two_to_31, two_to_31 + 1, two_to_32 - 1, two_to_32 - 1, two_to_32 + 1, count, count},
      {3, 10, 10, two_to_32 + 7, two_to_32 + 8, two_to_32 + 108, count - 1}};
  for (const auto& offsets : cases) {
    const device_array<std::int64_t> on_device(offsets);
    const device_array<long_interval> out(std::ssize(offsets) - 1);
    for (const int max_blocks : {0, 7}) {
      wf::segmented_reduce(wf_test::counting<long_interval>{0}, count, on_device.items(),
                           std::span(out.data(), out.size()), wf_test::join{},
                           {.empty = long_interval::of(-9), .max_blocks = max_blocks});
      expect_intervals(offsets, out, max_blocks);
    }
  }
}

TEST(segmented_reduce_large_counts, fixed_length_past_32_bits) {
  for (const std::int64_t length : {two_to_31 - 1, two_to_31, two_to_32 + 1}) {
    const device_array<long_interval> out(3);
    wf::segmented_reduce(wf_test::counting<long_interval>{0}, 3 * length, wf::fixed_length{length},
                         std::span(out.data(), out.size()), wf_test::join{}, {.empty = long_interval::of(-9)});
    expect_intervals({0, length, 2 * length, 3 * length}, out, 0);
  }
}

// A hundred million segments of 50 items: more items than 32 bits count, and more positions.
TEST(segmented_reduce_large_counts, very_many_segments) {
  constexpr std::int64_t segments = 100'000'000, length = 50;
  const device_array<long_interval> out(segments);
  wf::segmented_reduce(wf_test::counting<long_interval>{0}, segments * length, wf::fixed_length{length},
                       std::span(out.data(), out.size()), wf_test::join{}, {.empty = long_interval::of(-9)});
  const auto results = out.to_host();
  for (std::int64_t s = 0; s < segments; ++s)
    ASSERT_EQ(results[static_cast<std::size_t>(s)], long_interval::of(s * length, s * length + length - 1)) << s;
}

}  // namespace
