// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each kernel of segments of any lengths, also with inputs for which a call would take another kernel: every
// distribution of lengths, by order, by the tree and by values.
#include <gtest/gtest.h>
#include <algorithm>

#include "common/samples.hpp"
#include "common/tree_hash.hpp"
#include "segmented/expect_canonical.cuh"
#include "segmented/expect_joined.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::lengths, wf_test::segmented_way;
using hash = wf_test::tree_hash<8, 8>;
using hash12 = wf_test::tree_hash<12, 4>;

namespace {

template <class Kernel> class segmented_reduce_kernels : public testing::Test {
 protected:
  void SetUp() override {
    if (Kernel::needs_bulk_copies && !wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  }
};
using kernels = testing::Types<wf_test::in_place, wf_test::staged, wf_test::per_warp_team>;
struct kernel_names {
  template <class Kernel> static std::string GetName(int) {
    return std::is_same_v<Kernel, wf_test::per_warp_team> ? "dealt" : Kernel::needs_bulk_copies ? "staged" : "in_place";
  }
};
TYPED_TEST_SUITE(segmented_reduce_kernels, kernels, kernel_names);

template <class Kernel> const std::vector<layout>& layouts() {
  constexpr std::int64_t many = wf_test::emulated ? 12'000 : 150'000, empties = wf_test::emulated ? 3'000 : 100'000;
  static const auto all = wf_test::distributions(256, many, Kernel::deals_by_number ? empties / 10 : empties);
  return all;
}

TYPED_TEST(segmented_reduce_kernels, offsets_of_32_and_64_bits) {
  std::int64_t turn = 0, number = 0;
  for (const layout& where : layouts<TypeParam>()) {
    if (!wf_test::in_sample(number++)) continue;
    wf_test::expect_joined_by_offsets<TypeParam>(where, wf_test::way_of(turn++));
    wf_test::expect_joined_by_offsets<TypeParam, wf_test::interval<>, std::int64_t>(where, wf_test::way_of(turn++));
  }
}

TYPED_TEST(segmented_reduce_kernels, bounds_that_touch_and_bounds_with_gaps) {
  std::int64_t turn = 1, number = 3;
  for (const layout& dense : layouts<TypeParam>()) {
    if (!wf_test::in_sample(number++)) continue;
    for (const layout& where : {dense, wf_test::with_gaps(dense)})
      wf_test::expect_joined_by_bounds<TypeParam>(where, wf_test::way_of(turn++));
  }
}

TYPED_TEST(segmented_reduce_kernels, mixed_segments_under_many_schedules_and_grids) {
  constexpr int emulated_segments = TypeParam::deals_by_number ? 300 : 1500;
  const layout where("power law", wf_test::power_law(wf_test::emulated ? emulated_segments : 100'000, 700));
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(wf_test::share_of(wf_test::emulated ? 8 : 2)); ++seed)
    for (const int max_blocks : {1, 2, 5, 0})
      wf_test::expect_joined_by_offsets<TypeParam>(where,
                                                   {.max_blocks = max_blocks, .own_workspace = true, .seed = seed});
}

/// The canonical tree of each segment, with init and without.
template <class Kernel, class T, class Op, class Make, class A>
void expect_canonical(Make make, Op op, const A& init, const A& empty) {
  wf_test::expect_canonical_segments<T>(
      make, op, init, empty,
      [&](auto in, auto offsets, auto out, const auto& options) { Kernel::reduce(in, offsets, out, op, options); });
}

template <class T> std::vector<T> random_items_of(const layout& where) {
  return wf_test::random_items<T>(where.items, 29);
}

TYPED_TEST(segmented_reduce_kernels, sums_by_their_bits) {
  expect_canonical<TypeParam, float>(random_items_of<float>, wf::plus{}, -1234.567f, 3.0f);
  expect_canonical<TypeParam, double>(random_items_of<double>, wf::plus{}, 1e9, -3.0);
  expect_canonical<TypeParam, int>(random_items_of<int>, wf::plus{}, 17, -3);
}

TYPED_TEST(segmented_reduce_kernels, sums_of_negative_zeros) {
  const auto zeros = [](const layout& where) {
    return std::vector<float>(static_cast<std::size_t>(where.items), -0.0f);
  };
  expect_canonical<TypeParam, float>(zeros, wf::plus{}, -0.0f, -0.0f);
}

template <class Hash> std::vector<Hash> hashes_of(const layout& where) {
  std::vector<Hash> items;
  for (std::int64_t i = 0; i < where.items; ++i) items.push_back(Hash::of(i));
  return items;
}

TYPED_TEST(segmented_reduce_kernels, items_of_8_and_12_bytes_by_their_tree) {
  expect_canonical<TypeParam, hash>(hashes_of<hash>, wf_test::hash_pair{}, hash::of(-1), hash::absent());
  expect_canonical<TypeParam, hash12>(hashes_of<hash12>, wf_test::hash_pair{}, hash12::of(-1), hash12::absent());
}

/// Fails if it meets a value that is not an item of a segment.
struct hash_of_item {
  __host__ __device__ hash operator()(int item) const { return item < 0 ? hash::absent() : hash::of(item); }
};

TYPED_TEST(segmented_reduce_kernels, a_transform_of_items_that_exist) {
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
      const device_array<int> in(items, way.offset), begins(wf_test::narrowed<int>(where.begins)),
          ends(wf_test::narrowed<int>(where.ends));
      const auto results =
          wf_test::results_of(way, where.segments(), hash::of(-1), hash::absent(), [&](auto out, const auto& options) {
            TypeParam::reduce(in.items(), wf::bounds{begins.items(), ends.items()}, out, wf_test::hash_pair{}, options,
                              hash_of_item{});
          });
      EXPECT_TRUE(wf_test::same_segments(
          results, wf_test::expected_of(way, roots, where, hash::of(-1), hash::absent(), wf_test::hash_pair{})))
          << where << ", " << way;
    }
  }
}

TYPED_TEST(segmented_reduce_kernels, random_lengths) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(wf_test::share_of(wf_test::emulated ? 150 : 500));
       ++seed) {
    wf_test::random_source source(seed);
    const layout where("seed " + std::to_string(seed), wf_test::random_lengths(source, 6000));
    wf_test::expect_joined_by_offsets<TypeParam>(where, wf_test::way_of(static_cast<std::int64_t>(seed)));
  }
}

// ---- segments dealt by number ---------------------------------------------------------------------------------------

// Ranges have up to 777 items here, and a group folds two ranges' at most: lengths around every share of 1 to 8 warps,
// and around two ranges; those that are too long begin and end at a range's begin, or an item beside it.
TEST(segmented_reduce_dealt, lengths_around_shares_and_ranges) {
  lengths shares;
  for (const std::int64_t warps : {1, 2, 3, 4, 5, 7, 8, 9})
    for (const std::int64_t off : {-1, 0, 1}) shares.push_back(128 * warps + off);
  for (int again = 0; again < wf_test::share_of(12); ++again)
    wf_test::expect_joined_by_offsets<wf_test::per_warp_team>({"shares", shares}, wf_test::way_of(again));
  for (const std::int64_t begin : {511, 512, 513, 200, 1024})
    for (const std::int64_t length : {1023, 1024, 1025, 1553, 1555, 2048, 5000})
      for (int again = 0; again < wf_test::share_of(4); ++again)
        wf_test::expect_joined_by_offsets<wf_test::per_warp_team>(
            {"from " + std::to_string(begin), {begin, length, 0, 0, length, 1, 3 * length, 700}},
            wf_test::way_of(again));
}

// Of exactly as many items as a group folds, and one more or less.
TEST(segmented_reduce_dealt, the_longest_of_a_group) {
  constexpr std::int64_t items = 40'960;
  for (int turn = 0; turn < 12; ++turn) {
    wf_test::per_warp_team::turn = turn;
    const auto policy = wf::segmented::kernel_policy_for(32, 8);
    const std::int64_t most = wf_test::per_warp_team::plan_of(items, 1, 8, policy).partition.max_uncut_items;
    wf_test::per_warp_team::turn = turn;
    wf_test::expect_joined_by_offsets<wf_test::per_warp_team>(
        {"around the longest", {most, most + 1, 5, most - 1, 0, most, items - 4 * most - 5}}, {.own_workspace = true});
  }
}

TEST(segmented_reduce_dealt, equal_segments) {
  for (const std::int64_t length : {0, 1, 100, 128, 1000, 1024, 4099, 30'000})
    for (int again = 0; again < 9; ++again)
      wf_test::expect_joined({"equal", lengths(7, length)}, wf_test::way_of(again),
                             [&](auto in, std::int64_t, auto out, const auto& options) {
                               wf_test::per_warp_team::reduce(in, wf::fixed_length{length}, out, wf_test::join{},
                                                              options);
                             });
}

/// A call takes this kernel, with `single` warps or with teams, unless the grid is bounded: the bits are those of other
/// kernels.
void expect_deals(const layout& where, bool single = false) {
  const std::int64_t segments = where.segments();
  const auto items = random_items_of<float>(where);
  const device_array<float> in(items);
  const device_array<int> offsets(where.offsets<int>());
  const device_array<float> none(segments);
  for (const int max_blocks : {0, 1})
    wf_test::with_arguments(
        in.items(), offsets.items(), std::span(none.data(), none.size()), wf::plus{},
        wf::segmented_options<float>{.max_blocks = max_blocks}, wf::thread::no_transform{},
        [&]<class S, class Leaves>(const wf::host_side::call_frame& frame,
                                   const wf::segmented::kernel_arguments<S, Leaves, wf::plus, float*>& arguments) {
          using kernel = wf::segmented::segment_per_warp_team_reduction<S, Leaves, wf::plus, float*>;
          const auto plan = kernel::plan(frame, arguments);
          ASSERT_EQ(plan.has_value(), max_blocks == 0) << where;
          if (plan) {
            EXPECT_EQ(plan->block_threads == 32, single) << where;
          }
        });
  for (const int max_blocks : {0, 1}) {
    const auto results =
        wf_test::results_of({.max_blocks = max_blocks}, segments, 0.0f, 5.0f, [&](auto out, const auto& options) {
          wf::segmented_reduce(in.items(), offsets.items(), out, wf::plus{}, options);
        });
    EXPECT_TRUE(wf_test::same_segments(results, wf_test::canonical_segments(items, where, wf::plus{}, 5.0f))) << where;
  }
}

// What a device does at once.
TEST(segmented_reduce_dealt, is_what_a_small_call_takes) {
  const auto device = wf::host_side::current_device();
  const auto segments = std::min<std::int64_t>(wf::host_side::limits_of(device).multiprocessors, 100);
  lengths about(static_cast<std::size_t>(segments)), wild(about.size());
  for (std::size_t s = 0; s < about.size(); ++s) {
    about[s] = static_cast<std::int64_t>(1200 + s * 97 % 500);
    wild[s] = s == 3 ? 60'000 : static_cast<std::int64_t>(s % 4 == 0 ? 0 : s * 571 % 3000);
  }
  expect_deals({"about as long", about});
  expect_deals({"of all lengths", wild});
}

// Long segments, more than a device folds at once, but not so much to read that no warp of a team may idle.
TEST(segmented_reduce_dealt, is_what_long_segments_take) {
  const auto device = wf::host_side::current_device();
  const auto warps = std::int64_t{wf::host_side::limits_of(device).multiprocessors} * 2048 / 32;
  lengths about(static_cast<std::size_t>(warps / 3)), wild(about.size());
  for (std::size_t s = 0; s < about.size(); ++s) {
    about[s] = static_cast<std::int64_t>(2050 + s * 97 % 500);
    wild[s] = s == 3 ? warps * 1000 : static_cast<std::int64_t>(s % 4 == 0 ? 0 : s * 571 % 3000);
  }
  expect_deals({"about as long", about});
  expect_deals({"of all lengths", wild});
}

// Several for each warp that the device holds.
TEST(segmented_reduce_dealt, single_warps_are_what_segments_of_some_thousand_items_take) {
  const auto device = wf::host_side::current_device();
  const auto warps = std::int64_t{wf::host_side::limits_of(device).multiprocessors} * 2048 / 32;
  lengths about(static_cast<std::size_t>(2 * warps)), wild(about.size());
  for (std::size_t s = 0; s < about.size(); ++s) {
    about[s] = static_cast<std::int64_t>(1030 + s * 97 % 300);
    wild[s] = s == 3 ? warps * 400 : static_cast<std::int64_t>(s % 4 == 0 ? 0 : s * 571 % 3000);
  }
  expect_deals({"about as long", about}, true);
  expect_deals({"of all lengths", wild}, true);
}

}  // namespace
