// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways of the kernel of equal segments: one for each length up to 64 wide chunks, or 32 of large accumulators.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/segmented_reduce.cuh>

#include "common/count_and_hash.hpp"
#include "common/device.cuh"
#include "common/interval.hpp"
#include "kernels.cuh"

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

/// The results of `count` segments of `length` items, each of which begins `pitch` items after the one before. They are
/// reduced by the way for this length if there is one, else by position.
template <class A, class T, class Op, class Transform>
std::vector<A> reduce_apart(const std::vector<T>& items, std::int64_t length, std::int64_t pitch, std::int64_t count,
                            Op op, const A& empty, Transform transform) {
  const wf_test::device_array<T> in(items, pitch % 4 == 0 ? pitch / 4 % 2 : pitch % 4);  // aligned or not
  const wf_test::device_array<A> out(count);
  wf_test::with_arguments(in.items().first(static_cast<std::size_t>(count * length)), fixed_length{length},
                          std::span<A>(out.data(), out.size()), op,
                          segmented_options<A>{.empty = empty, .max_blocks = count > 100 ? 1 : 0}, transform,
                          [&]<class S, class L>(const host_side::call_frame& frame,
                                                const segmented::kernel_arguments<S, L, Op, A*>& arguments) {
                            auto apart = arguments;
                            apart.segments.pitch = pitch, apart.leaves.source.items = (count - 1) * pitch + length;
                            if (!segmented::with_fixed_length_algorithm<L>(length, [&]<class Algorithm>(Algorithm) {
                                  segmented::fixed_length_reduction<Algorithm, S, L, Op, A*>::enqueue(frame, apart);
                                  return true;
                                }))
                              segmented::load_balance_reduction<segmented::packing::in_place, S, L, Op, A*>::enqueue(
                                  frame, apart);
                          });
  return out.to_host();
}

/// Calls check(length, pitch, count) for segments of many lengths that lie apart.
template <class Check> void for_segments_apart(Check check) {
  for (const std::int64_t length :
       {1,   2,   3,   4,   5,   7,   8,   9,   15,  16,  17,  24,  31,  33,  63,  64,   77,   100,  128,  129, 250,
        256, 257, 260, 288, 289, 300, 500, 511, 512, 513, 600, 799, 801, 900, 999, 1000, 1024, 1025, 3000, 9001})
    for (const std::int64_t gap : {1, 4, 41})
      for (const std::int64_t count : {1, 7, 150})
        if (count * (length + gap) < 60'000) check(length, length + gap, count);
}

/// The interval monoid shows an item between segments, and one that is missing.
TEST(equal_segments, that_lie_apart_have_no_other_items) {
  using interval = wf_test::interval<>;
  std::vector<int> places;
  for (int i = 0; i < 60'000; ++i) places.push_back(i);
  for_segments_apart([&](std::int64_t length, std::int64_t pitch, std::int64_t count) {
    const auto found =
        reduce_apart(places, length, pitch, count, wf_test::join{}, interval::of(-1), wf_test::to_interval<>{});
    for (std::int64_t s = 0; s < count; ++s)
      ASSERT_EQ(found[static_cast<std::size_t>(s)], interval::of(s * pitch, s * pitch + length - 1))
          << "segment " << s << " of " << count << " of " << length << " items, " << pitch << " apart";
  });
}

template <class Op> void expect_trees_apart() {
  using wf_test::counted_hash;
  std::vector<float> items;
  for (int i = 0; i < 60'000; ++i) items.push_back(static_cast<float>(i));
  using lift = thread::lifted<Op, thread::no_transform>;
  for_segments_apart([&](std::int64_t length, std::int64_t pitch, std::int64_t count) {
    const auto found = reduce_apart(items, length, pitch, count, Op{}, counted_hash{}, lift{Op{}, {}});
    for (std::int64_t s = 0; s < count; ++s)
      ASSERT_EQ(found[static_cast<std::size_t>(s)],
                canonical_tree::replay(items.data() + s * pitch, length, wf_test::count_and_hash<false>{}))
          << "segment " << s << " of " << count << " of " << length << " items, " << pitch << " apart";
  });
}
TEST(equal_segments, that_lie_apart_have_the_association_of_the_tree) {
  expect_trees_apart<wf_test::count_and_hash<false>>();
  expect_trees_apart<wf_test::hash_by_joins>();
  expect_trees_apart<wf_test::hash_by_quick_joins>();
}

}  // namespace
