// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments whose right edges are joined together: each has the association of its canonical tree, whatever the lengths.
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

#include "common/count_and_hash.hpp"
#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "segmented/kernels.cuh"

namespace late_packed_segments_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::counted_hash;
using interval = wf_test::interval<>;
using hash_all = wf_test::count_and_hash<false>;
using wf_test::hash_by_joins, wf_test::hash_by_quick_joins;

/// Whether the call packs segments so, or, `few`, folds those of few items apart.
template <class Call> bool packs_late(Call call, bool few = false) {
  const std::string why = wf::explain(call).front().why;
  return why.find(few ? "lanes fold few items alone" : "right edges") != std::string::npos;
}
/// Reduces the segments, from a base that is `offset` items past a vector; then calls expect(begin, end, result) for
/// each.
template <class T, class Op, class A, class Expect>
void reduce_late(const std::vector<T>& items, const std::vector<int>& offsets, int offset, Op op, const A& empty,
                 Expect expect, bool few = false) {
  const device_array<T> in(items, offset);
  const device_array<int> device_offsets(offsets);
  const device_array<A> out(std::ssize(offsets) - 1);
  ASSERT_TRUE(packs_late(
      [&] {
        wf::segmented_reduce(in.items(), device_offsets.items(), std::span<A>(out.data(), out.size()), op,
                             {.empty = empty});
      },
      few));
  const std::vector<A> found = out.to_host();
  for (std::size_t s = 0; s < found.size(); ++s) expect(offsets[s], offsets[s + 1], found[s]);
}
/// Of the lengths one after another; on a GPU, where few items have another kernel, again and again.
std::vector<int> offsets_of(const std::vector<int>& lengths) {
  std::vector<int> offsets{0};
  for (int i = 0; i < (wf_test::emulated ? 1 : 100); ++i)
    for (const int each : lengths) offsets.push_back(offsets.back() + each);
  return offsets;
}
std::vector<float> numbers(std::int64_t count) {
  std::vector<float> items;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(static_cast<float>(i));
  return items;
}

/// A long segment behind the others raises the mean length, unless they have `few` items.
template <class Op> void expect_trees(std::vector<int> lengths, int offset, bool few = false) {
  if (!few) lengths.push_back(250 * static_cast<int>(lengths.size()));
  const std::vector<int> offsets = offsets_of(lengths);
  const std::vector<float> items = numbers(offsets.back());
  const auto expect = [&](int begin, int end, const counted_hash& found) {
    const auto expected =
        begin == end ? counted_hash{{}, -1} : wf::canonical_tree::replay(items.data() + begin, end - begin, hash_all{});
    ASSERT_TRUE(found.count == expected.count && (begin == end || found == expected))
        << "items " << begin << " to " << end;
  };
  reduce_late(items, offsets, offset, Op{}, counted_hash{{}, -1}, expect, few);
}

// Around chunks, halves of chunks, and what a warp packs.
TEST(late_packed_segments, all_lengths_and_alignments) {
  for (const int offset : {0, 1, 3}) {
    std::vector<int> lengths;
    for (int length = 0; length <= 130; ++length) lengths.push_back(length);
    for (const int length : {255, 256, 257, 511, 512, 513, 527, 799, 1000, 1007, 1008, 1009, 1024, 5000}) {
      lengths.push_back(length);
      lengths.push_back(length % 7);
    }
    expect_trees<hash_all>(lengths, offset);
    expect_trees<hash_by_joins>(lengths, offset);
    expect_trees<hash_by_quick_joins>(lengths, offset);
  }
}

TEST(late_packed_segments, mixed_lengths) {
  for (const int longest : {2, 20, 600, 3000}) {
    wf_test::random_source source(static_cast<unsigned>(longest));
    std::vector<int> lengths;
    for (int i = 0; i < 300 + 10'000 / longest; ++i)
      lengths.push_back(source.below(4) == 0 ? 0 : static_cast<int>(source.below(source.below(longest) + 1)));
    expect_trees<hash_all>(lengths, longest % 4);
    expect_trees<hash_by_joins>(lengths, longest % 4);
    expect_trees<hash_by_quick_joins>(lengths, longest % 4);
  }
}

// Long segments wait in the shared memory that short ones need: for few of these, for enough to be folded, and for more
// of their own kind than there is room for. (With fewer segments, teams of warps take them.)
TEST(late_packed_segments, long_ones_between_short_ones) {
  for (const int run : {1, 3, 20}) {
    std::vector<int> lengths;
    for (int i = 0; i < (wf_test::emulated ? 5000 : 500); ++i)
      lengths.push_back(i / run % 5 == 0 ? 1024 + i * 397 % 300 : i * 61 % 50);
    expect_trees<hash_all>(lengths, run % 4);
    expect_trees<hash_by_joins>(lengths, run % 4);
    expect_trees<hash_by_quick_joins>(lengths, run % 4);
  }
}

// Whole tiles of few items, tiles with longer segments, and parts of tiles.
TEST(late_packed_segments, few_items) {
  for (const int offset : {0, 1, 2, 3}) {
    std::vector<int> lengths;
    for (int i = 0; i < 3000; ++i) lengths.push_back(i * 5 % 8);
    for (int i = 0; i < 400; ++i) lengths.push_back(i * 7 % 11);
    for (const int length : {8, 15, 16, 17, 40, 3000, 7, 600, 0, 33}) lengths.push_back(length);
    for (int i = 0; i < 200 + offset; ++i) lengths.push_back(i % 30 == 0 ? 100 : i % 3);
    expect_trees<hash_all>(lengths, offset, true);
  }
}

/// The moments of random numbers.
template <class T, class Change> void expect_moments(Change change) {
  using moments = wf::moments<>;
  using result = wf::moments_of<2>;
  std::vector<int> lengths;
  for (int i = 0; i < 200; ++i) lengths.push_back(i * 37 % 700 + 1);
  const std::vector<int> offsets = offsets_of(lengths);
  std::vector<T> items = wf_test::random_items<T>(offsets.back(), 5);
  for (T& each : items) each = change(each);
  reduce_late(items, offsets, 1, moments{}, result{}, [&](int begin, int end, const result& found) {
    const result expected = wf::canonical_tree::replay(items.data() + begin, end - begin, moments{});
    ASSERT_LT(expected.variance(), INFINITY);
    ASSERT_EQ(std::memcmp(&found, &expected, sizeof found), 0) << "items " << begin << " to " << end;
  });
}
TEST(late_packed_segments, moments) {
  expect_moments<float>([](float x) { return x; });
}
// Sums of 2^513 and more are joined in another way. No square overflows.
TEST(late_packed_segments, moments_of_large_numbers) {
  expect_moments<double>([](double x) { return 1e153 + 1e152 * std::fmod(std::fabs(x), 1); });
}

// The interval monoid, whose joins are quick: numbers become intervals twice as wide.
TEST(late_packed_segments, intervals) {
  std::int64_t turn = 0;
  for (const wf_test::layout& where :
       wf_test::distributions(256, wf_test::emulated ? 18'000 : 200'000, wf_test::emulated ? 5'000 : 100'000)) {
    std::vector<int> items;
    for (int i = 0; i < where.items; ++i) items.push_back(i);
    std::vector<interval> expected;
    for (std::size_t s = 0; s < where.begins.size(); ++s)
      expected.push_back(where.begins[s] == where.ends[s] ? interval::of(-9, -7)
                                                          : interval::of(where.begins[s], where.ends[s] - 1));
    const device_array<int> in(items, turn++ % 4), offsets(where.offsets<int>());
    const device_array<interval> out(where.segments());
    wf_test::by_position<wf::segmented::packing::late>::reduce(
        in.items(), offsets.items(), std::span<interval>(out.data(), out.size()), wf_test::join{},
        wf::segmented_options<interval>{.empty = interval::of(-9, -7), .max_blocks = static_cast<int>(turn % 3)},
        wf_test::to_interval<>{});
    EXPECT_EQ(out.to_host(), expected) << where;
  }
}

/// A call with `Op` takes this kernel from the mean length `least` on.
template <class Op> void expect_chosen_from(int least) {
  for (const int length : {least - 1, least}) {
    const std::vector<int> offsets = offsets_of(std::vector<int>(wf_test::emulated ? 5000 : 500, length));
    const device_array<float> in(numbers(offsets.back()));
    const device_array<int> device_offsets(offsets);
    const device_array<counted_hash> out(std::ssize(offsets) - 1);
    EXPECT_EQ(packs_late([&] {
                wf::segmented_reduce(in.items(), device_offsets.items(),
                                     std::span<counted_hash>(out.data(), out.size()), Op{}, {.empty = counted_hash{}});
              }),
              length == least);
  }
}
TEST(late_packed_segments, are_chosen_by_the_mean_length) {
  expect_chosen_from<hash_all>(16);
  expect_chosen_from<hash_by_joins>(96);
  expect_chosen_from<hash_by_quick_joins>(224);
}

}  // namespace late_packed_segments_tests
