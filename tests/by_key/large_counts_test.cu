// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items and runs past 2^31 and 2^32, of keys and values that iterators compute, and so many epochs of tiles. The
// emulator is too slow for so many.
#include <gtest/gtest.h>
#include <algorithm>

#include "common/interval.hpp"
#include "reduce/iterators.cuh"
#include "ways.cuh"

namespace wf = warpfold;
using wf_test::by_key_outputs, wf_test::guarded_array;
using long_interval = wf_test::interval<std::int64_t>;

namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31, two_to_32 = 2 * two_to_31, count = 5'000'000'029;

/// Key i is i / length: runs of one length.
struct quotients {
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  std::int64_t length;

  __host__ __device__ std::int64_t operator[](std::int64_t i) const { return i / length; }
};
struct ones {
  using value_type = int;
  using difference_type = std::int64_t;

  __host__ __device__ int operator[](std::int64_t) const { return 1; }
};

// Each result says which items are in the run, so none may be lost or met twice.
TEST(reduce_by_key_large_counts, runs_longer_than_32_bits_count) {
  for (const std::int64_t length :
       {std::int64_t{700'000'001}, two_to_31 - 1, two_to_31, two_to_31 + 1, two_to_32 - 1, two_to_32 + 1, count})
    for (const int max_blocks : {0, 100}) {
      wf_test::run_list<std::int64_t, long_interval> expected;
      for (std::int64_t begin = 0; begin < count; begin += length) {
        expected.keys.push_back(begin / length);
        expected.values.push_back(long_interval::of(begin, std::min(begin + length, count) - 1));
      }
      const by_key_outputs<std::int64_t, long_interval> out(10);
      wf::reduce_by_key(quotients{length}, wf_test::counting<long_interval>{0}, count, out.keys(), out.values(),
                        out.count(), wf_test::join{}, {.max_blocks = max_blocks});
      EXPECT_TRUE(out.hold(expected)) << "runs of " << length << ", max_blocks " << max_blocks;
    }
}

// A hundred million runs, which lie across epochs: all are written, and right.
TEST(reduce_by_key_large_counts, very_many_runs) {
  constexpr std::int64_t length = 47, runs = (count - 1) / length + 1;
  const wf_test::device_array<std::int64_t> out_keys(runs), out_count(1);
  const wf_test::device_array<int> lengths(runs);
  wf::reduce_by_key(quotients{length}, ones{}, count, std::span(out_keys.data(), out_keys.size()),
                    std::span(lengths.data(), lengths.size()), out_count.data(), wf::plus{});
  EXPECT_EQ(out_count.value(), runs);
  const auto keys = out_keys.to_host();
  const auto found = lengths.to_host();
  for (std::int64_t s = 0; s < runs; ++s) {
    const auto key = keys[static_cast<std::size_t>(s)], items = std::int64_t{found[static_cast<std::size_t>(s)]};
    ASSERT_TRUE(key == s && items == std::min(length, count - s * length))
        << s << ": " << items << " items of key " << key;
  }
}

// More runs than 32 bits count, of which only the first few have room.
TEST(reduce_by_key_large_counts, more_runs_than_32_bits_count) {
  for (const std::int64_t items : {two_to_31 + 5, two_to_32, count}) {
    const guarded_array<std::int64_t> keys(3), runs(1);
    const guarded_array<int> lengths(3);
    wf::reduce_by_key(wf_test::stl_counting{11}, ones{}, items, keys.span(), lengths.span(), runs.span().data());
    EXPECT_TRUE(keys.holds(std::vector<std::int64_t>{11, 12, 13})) << items;
    EXPECT_TRUE(lengths.holds(std::vector<int>{1, 1, 1})) << items;
    EXPECT_TRUE(runs.holds(std::vector<std::int64_t>{items})) << items;
  }
}

}  // namespace
