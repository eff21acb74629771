// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways of the kernel of equal segments: one for each length up to 64 wide chunks, or 32 of large accumulators.
#include <gtest/gtest.h>

#include <cstdint>
#include <warpfold/segmented_reduce.cuh>

namespace {

using namespace warpfold;

template <std::size_t Bytes> struct block_of { unsigned char bytes[Bytes]; };

template <class T, class A>
using leaves_of =
    thread::leaves<decltype(segmented::in_narrow_chunks<A>(thread::pointer_source<T>{})), thread::no_transform, A>;

template <class Algorithm> bool fits_a_warp(std::int64_t length) {
  // A lane's places are counted by int, and a warp has no more on its way than a few KiB.
  return Algorithm::segments_per_warp(length) >= 1 && Algorithm::segments_per_warp(length) * length < 1 << 20;
}

template <class T, class A> void expect_one_way_each() {
  using leaves = leaves_of<T, A>;
  constexpr int few = segmented::policy_of<leaves>.tiny_items;
  constexpr std::int64_t most = warp_lanes * segmented::wide_items<leaves> * (sizeof(A) <= 16 ? 2 : 1);
  const auto takers = [](std::int64_t length) {
    return segmented::empty_segments<leaves>::takes(length) + segmented::single_items<leaves>::takes(length) +
           segmented::tiny_lengths<leaves>::takes(length) + (few < length && length <= leaves::chunk_items) +
           segmented::several_chunks<leaves>::takes(length) + segmented::rows_and_tails<leaves>::takes(length) +
           segmented::two_rows<leaves>::takes(length);
  };
  for (std::int64_t length = 0; length <= most; ++length) {
    ASSERT_EQ(takers(length), 1) << sizeof(T) << " bytes, length " << length;
    int calls = 0;
    bool fits = true;
    const bool has_way = segmented::with_fixed_length_algorithm<leaves>(length, [&]<class Algorithm>(Algorithm) {
      ++calls;
      fits = fits_a_warp<Algorithm>(length);
      return true;
    });
    ASSERT_TRUE(has_way && fits && calls == 1) << sizeof(T) << " bytes, length " << length;
  }
  for (const std::int64_t length : {3 * most, std::int64_t{1} << 32 | 1, std::int64_t{1} << 62}) {
    ASSERT_EQ(takers(length), 0) << sizeof(T) << " bytes, length " << length;
    ASSERT_FALSE(segmented::with_fixed_length_algorithm<leaves>(length, [](auto) { return true; }));
  }
}

// Of narrow items, half a chunk is more than a few of them, and has a way of its own.
TEST(equal_segments, of_narrow_items_fill_half_a_chunk_or_a_whole_one) {
  const auto chunk_items = []<class Leaves>(std::type_identity<Leaves>, std::int64_t length) {
    int items = 0;
    segmented::with_fixed_length_algorithm<Leaves>(length, [&]<class Algorithm>(Algorithm) {
      if constexpr (requires { Algorithm::chunk_items; }) items = Algorithm::chunk_items;
      return true;
    });
    return items;
  };
  constexpr std::type_identity<leaves_of<std::int8_t, int>> bytes;
  EXPECT_EQ(chunk_items(bytes, 5), 16);
  EXPECT_EQ(chunk_items(bytes, 16), 16);
  EXPECT_EQ(chunk_items(bytes, 17), 32);
  constexpr std::type_identity<leaves_of<float, float>> floats;
  EXPECT_EQ(chunk_items(floats, 5), 8);
  EXPECT_EQ(chunk_items(floats, 8), 8);
}

TEST(equal_segments, have_one_way_each) {
  expect_one_way_each<float, float>();
  expect_one_way_each<double, double>();
  expect_one_way_each<std::int8_t, int>();
  expect_one_way_each<std::int16_t, std::int64_t>();
  expect_one_way_each<block_of<12>, block_of<12>>();
  expect_one_way_each<block_of<64>, block_of<64>>();
  expect_one_way_each<block_of<1000>, block_of<1000>>();
}

}  // namespace
