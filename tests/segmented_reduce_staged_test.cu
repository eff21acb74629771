// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel that stages mixed steps, through every form and distribution of lengths, by order, by the tree and by values; steps
// that fill the stage, or nearly; and when a call takes it.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "common/tree_hash.hpp"
#include "segmented_reduce/expect_canonical.cuh"
#include "segmented_reduce/reduce_staged.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::lengths, wf_test::reduce_staged, wf_test::segmented_way;
using interval = wf_test::interval<>;
using wide_interval = wf_test::interval<std::int32_t, 16>;
using hash = wf_test::tree_hash<8, 8>;
using hash12 = wf_test::tree_hash<12, 4>;

namespace {

class segmented_reduce_staged : public testing::Test {
 protected:
  void SetUp() override {
    if (!wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  }
};

constexpr std::int64_t many = wf_test::emulated ? 12'000 : 2'000'000, empties = wf_test::emulated ? 3'000 : 300'000;

template <class Interval = interval> std::vector<Interval> joined(const layout& where) {
  std::vector<Interval> result;
  for (std::size_t s = 0; s < where.begins.size(); ++s) result.push_back(Interval::of(where.begins[s], where.ends[s] - 1));
  return result;
}

/// Through one form, as a way asks. Items are their places; those that belong to no segment join nothing.
template <class Interval = interval, class Reduce> void expect_joined(const layout& where, const segmented_way& asked, Reduce reduce) {
  segmented_way way = asked;
  way.init = wf_test::from::nothing, way.empty = way.empty == wf_test::from::nothing ? wf_test::from::value : way.empty;
  std::vector<Interval> items;
  for (std::int64_t i = 0; i < where.items; ++i) items.push_back(Interval::of(i));
  const device_array<Interval> in(items, way.offset);
  const auto empty = Interval::of(-9, -7);
  const auto results = wf_test::results_of(way, where.segments(), Interval::of(-1), empty, [&](auto out, const auto& options) {
    reduce(in.items(), way.offset, out, options);
  });
  EXPECT_TRUE(wf_test::same_segments(results, wf_test::expected_of(way, joined<Interval>(where), where, empty, empty, wf_test::join{})))
      << where << ", " << way;
}
template <class Interval = interval> void expect_joined_by_offsets(const layout& where, const segmented_way& way) {
  expect_joined<Interval>(where, way, [&](auto in, std::int64_t offset, auto out, const auto& options) {
    const device_array<int> offsets(where.offsets<int>(), offset);
    reduce_staged(in, offsets.items(), out, wf_test::join{}, options);
  });
}
template <class Interval = interval> void expect_joined_by_owners(const layout& where, const segmented_way& way) {
  expect_joined<Interval>(where, way, [&](auto in, std::int64_t offset, auto out, const auto& options) {
    const device_array<int> ids(where.owners<int>(), offset);
    reduce_staged(in, wf::owners{ids.items()}, out, wf_test::join{}, options);
  });
}

const std::vector<layout>& layouts() {
  static const auto all = wf_test::distributions(256, many, empties);
  return all;
}

TEST_F(segmented_reduce_staged, offsets_of_32_and_64_bits) {
  std::int64_t turn = 0;
  for (const layout& where : layouts()) {
    expect_joined_by_offsets(where, wf_test::way_of(turn++));
    expect_joined(where, wf_test::way_of(turn++), [&](auto in, std::int64_t offset, auto out, const auto& options) {
      const device_array<std::int64_t> offsets(where.offsets<std::int64_t>(), offset);
      reduce_staged(in, offsets.items(), out, wf_test::join{}, options);
    });
  }
}

TEST_F(segmented_reduce_staged, bounds_that_touch_and_bounds_with_gaps) {
  std::int64_t turn = 1;
  for (const layout& dense : layouts())
    for (const layout& where : {dense, wf_test::with_gaps(dense)})
      expect_joined(where, wf_test::way_of(turn++), [&](auto in, std::int64_t offset, auto out, const auto& options) {
        const device_array<int> begins(wf_test::narrowed<int>(where.begins), offset), ends(wf_test::narrowed<int>(where.ends));
        reduce_staged(in, wf::bounds{begins.items(), ends.items()}, out, wf_test::join{}, options);
      });
}

TEST_F(segmented_reduce_staged, owners) {
  std::int64_t turn = 2;
  for (const layout& where : layouts()) expect_joined_by_owners(where, wf_test::way_of(turn++));
}

// Segments of a chunk or less are folded in place, any number of items of them; owners are read no further than a stage has items.
TEST_F(segmented_reduce_staged, steps_of_single_chunks_that_no_stage_holds) {
  wf_test::random_source source(11);
  for (const int longest : {3, 4, 5, 7, 8}) {
    lengths same(7'000, longest), mixed, after_tiny_ones;
    for (std::size_t s = 0; s < same.size(); ++s) {
      mixed.push_back(longest - source.below(3));
      after_tiny_ones.push_back(s / 150 % 2 == 0 ? 1 : longest);
    }
    for (const lengths& each : {same, mixed, after_tiny_ones})
      for (const std::int64_t offset : {0, 1, 2, 3}) {
        const layout where("up to " + std::to_string(longest), each);
        const segmented_way way{.max_blocks = offset < 2 ? 1 : 2, .own_workspace = true, .offset = offset};
        expect_joined_by_owners(where, way);
        expect_joined_by_owners<wide_interval>(where, way);
        expect_joined_by_offsets(where, way);
      }
  }
}

// The items of a stage are 4080 bytes at most: 510 of 8 bytes, 255 of 16. Segments that fill it by one item more or less, by many of
// as few items as take a chunk, and by one of as many as a short segment has, beside those that are longer.
TEST_F(segmented_reduce_staged, steps_that_fill_the_stage) {
  std::int64_t turn = 0;
  const auto add = [](lengths& to, std::int64_t length, std::int64_t count) { to.insert(to.end(), static_cast<std::size_t>(count), length); };
  for (const std::int64_t most : {255, 510})
    for (std::int64_t off = -2; off <= 2; ++off) {
      for (const std::int64_t few : {0, 1, 3, 5, 9}) {
        lengths all;
        for (int again = 0; again < 4; ++again) {
          add(all, few, 40);
          std::int64_t left = most + off - 40 * few;
          for (const std::int64_t piece : {100, 37, 256, 1}) {
            const std::int64_t length = std::clamp<std::int64_t>(piece, 0, std::max<std::int64_t>(left, 0));
            add(all, length, 1);
            left -= length;
          }
          add(all, std::max<std::int64_t>(left, 0), 1);
        }
        const layout where("steps of " + std::to_string(most + off) + ", many of " + std::to_string(few), all);
        expect_joined_by_offsets(where, wf_test::way_of(turn++));
        expect_joined_by_offsets<wide_interval>(where, wf_test::way_of(turn++));
      }
      lengths longest;
      for (const std::int64_t length : {most / 2, most / 2 + 1, most, std::int64_t{128}, std::int64_t{129}, std::int64_t{257}}) {
        add(longest, 3, 20 + turn % 5);
        add(longest, length + off, 2);
      }
      expect_joined_by_offsets(layout("around the longest", longest), wf_test::way_of(turn++));
      expect_joined_by_offsets<wide_interval>(layout("around the longest", longest), wf_test::way_of(turn++));
    }
}

TEST_F(segmented_reduce_staged, mixed_segments_under_many_schedules_and_grids) {
  const layout where("power law", wf_test::power_law(wf_test::emulated ? 1500 : 100'000, 700));
  for (std::uint64_t seed = 1; seed <= (wf_test::emulated ? 8 : 2); ++seed)
    for (const int max_blocks : {1, 2, 5, 0})
      expect_joined_by_offsets(where, {.max_blocks = max_blocks, .own_workspace = true, .seed = seed});
}

/// The canonical tree of each segment, with init and without.
template <class T, class Op, class Make, class A> void expect_canonical(Make make, Op op, const A& init, const A& empty) {
  wf_test::expect_canonical_segments<T>(make, op, init, empty, [&](auto in, auto offsets, auto out, const auto& options) {
    reduce_staged(in, offsets, out, op, options);
  });
}

template <class T> std::vector<T> random_items_of(const layout& where) { return wf_test::random_items<T>(where.items, 29); }

TEST_F(segmented_reduce_staged, sums_by_their_bits) {
  expect_canonical<float>(random_items_of<float>, wf::plus{}, -1234.567f, 3.0f);
  expect_canonical<double>(random_items_of<double>, wf::plus{}, 1e9, -3.0);
  expect_canonical<int>(random_items_of<int>, wf::plus{}, 17, -3);
}

TEST_F(segmented_reduce_staged, sums_of_negative_zeros) {
  const auto zeros = [](const layout& where) { return std::vector<float>(static_cast<std::size_t>(where.items), -0.0f); };
  expect_canonical<float>(zeros, wf::plus{}, -0.0f, -0.0f);
}

template <class Hash> std::vector<Hash> hashes_of(const layout& where) {
  std::vector<Hash> items;
  for (std::int64_t i = 0; i < where.items; ++i) items.push_back(Hash::of(i));
  return items;
}

TEST_F(segmented_reduce_staged, items_of_8_and_12_bytes_by_their_tree) {
  expect_canonical<hash>(hashes_of<hash>, wf_test::hash_pair{}, hash::of(-1), hash::absent());
  expect_canonical<hash12>(hashes_of<hash12>, wf_test::hash_pair{}, hash12::of(-1), hash12::absent());
}

/// Fails where it is shown what is no item of a segment.
struct hash_of_item {
  __host__ __device__ hash operator()(int item) const { return item < 0 ? hash::absent() : hash::of(item); }
};

TEST_F(segmented_reduce_staged, a_transform_of_items_that_exist) {
  std::int64_t turn = 0;
  for (const layout& dense : wf_test::some_layouts(256)) {
    const layout where = wf_test::with_gaps(dense);
    std::vector<int> items(static_cast<std::size_t>(where.items), -1);
    std::vector<hash> leaves(items.size(), hash::absent());
    for (std::size_t s = 0; s < where.begins.size(); ++s)
      for (auto i = static_cast<std::size_t>(where.begins[s]); i < static_cast<std::size_t>(where.ends[s]); ++i)
        items[i] = static_cast<int>(i), leaves[i] = hash::of(static_cast<std::int64_t>(i));
    const auto roots = wf_test::canonical_segments(leaves, where, wf_test::hash_pair{}, hash::absent());
    for (int again = 0; again < 3; ++again) {
      const segmented_way way = wf_test::way_of(turn++);
      const device_array<int> in(items, way.offset), begins(wf_test::narrowed<int>(where.begins)), ends(wf_test::narrowed<int>(where.ends));
      const auto results = wf_test::results_of(way, where.segments(), hash::of(-1), hash::absent(), [&](auto out, const auto& options) {
        reduce_staged(in.items(), wf::bounds{begins.items(), ends.items()}, out, wf_test::hash_pair{}, options, hash_of_item{});
      });
      EXPECT_TRUE(wf_test::same_segments(
          results, wf_test::expected_of(way, roots, where, hash::of(-1), hash::absent(), wf_test::hash_pair{})))
          << where << ", " << way;
    }
  }
}

TEST_F(segmented_reduce_staged, random_lengths) {
  for (std::uint64_t seed = 1; seed <= (wf_test::emulated ? 250 : 2000); ++seed) {
    wf_test::random_source source(seed);
    const layout where("seed " + std::to_string(seed), wf_test::random_lengths(source, 6000));
    if (seed % 2 == 0) expect_joined_by_owners(where, wf_test::way_of(static_cast<std::int64_t>(seed / 2)));
    else expect_joined_by_offsets(where, wf_test::way_of(static_cast<std::int64_t>(seed)));
  }
}

// A call takes it where the device is full of it: the same bits as on a device that cannot.
TEST_F(segmented_reduce_staged, is_what_a_large_call_takes) {
  const auto device = wf::dispatch::current_device();
  const std::int64_t warps = std::int64_t{wf::dispatch::limits_of(device).multiprocessors} * 2048 / 32;
  const std::int64_t segments = (wf::tuning::least_staged_empty_steps + 1) * warps * wf::tuning::step_packets * 32;
  lengths few(static_cast<std::size_t>(segments)), mostly_none(few.size());
  for (std::size_t s = 0; s < few.size(); ++s) {
    few[s] = static_cast<std::int64_t>(s % 97 == 0 ? 90 + s % 31 : s * 7 % 9);
    mostly_none[s] = s % 1000 == 7 ? 200 : s % 4 == 0 ? 2 : 0;
  }
  for (const layout& where : {layout("few items", few), layout("mostly none", mostly_none)}) {
    ASSERT_TRUE(wf::dispatch::gains_by_staging(where.items, segments, warps, true)) << where;
    const auto items = random_items_of<float>(where);
    const device_array<float> in(items);
    const device_array<int> offsets(where.offsets<int>());
    const auto results = wf_test::results_of({}, segments, 0.0f, 5.0f, [&](auto out, const auto& options) {
      wf::segmented_reduce(in.items(), offsets.items(), out, wf::plus{}, options);
    });
    EXPECT_TRUE(wf_test::same_segments(results, wf_test::canonical_segments(items, where, wf::plus{}, 5.0f))) << where;
  }
}

}  // namespace
