// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only for the kernel that stages mixed steps: steps that fill the stage, or nearly; owners of items that no stage
// holds; and when a call takes it. (Every distribution of lengths goes through it in segmented_reduce_kernels_test.)
#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/vector_operators.hpp>

#include "segmented/expect_joined.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::expect_joined_by_offsets, wf_test::expect_joined_by_owners, wf_test::layout,
    wf_test::lengths, wf_test::segmented_way, wf_test::staged;
using wide_interval = wf_test::interval<std::int32_t, 16>;

namespace {

class segmented_reduce_staged : public testing::Test {
 protected:
  void SetUp() override {
    if (!wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  }
};

TEST_F(segmented_reduce_staged, owners) {
  std::int64_t turn = 2;
  for (const layout& where :
       wf_test::distributions(256, wf_test::emulated ? 12'000 : 500'000, wf_test::emulated ? 3'000 : 100'000))
    expect_joined_by_owners<staged>(where, wf_test::way_of(turn++));
  for (std::uint64_t seed = 1; seed <= (wf_test::emulated ? 125 : 400); ++seed) {
    wf_test::random_source source(seed);
    expect_joined_by_owners<staged>({"seed " + std::to_string(seed), wf_test::random_lengths(source, 6000)},
                                    wf_test::way_of(turn++));
  }
}

// Segments of a chunk or less are folded in place, any number of items of them; owners are read no further than a stage
// has items.
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
        expect_joined_by_owners<staged>(where, way);
        expect_joined_by_owners<staged, wide_interval>(where, way);
        expect_joined_by_offsets<staged>(where, way);
      }
  }
}

// A stage has at most 4080 bytes: 510 items of 8 bytes, 255 of 16. Here segments fill it to one item more or less: many
// segments of a chunk each, or one as long as a short segment can be, beside longer ones.
TEST_F(segmented_reduce_staged, steps_that_fill_the_stage) {
  std::int64_t turn = 0;
  const auto add = [](lengths& to, std::int64_t length, std::int64_t count) {
    to.insert(to.end(), static_cast<std::size_t>(count), length);
  };
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
        expect_joined_by_offsets<staged>(where, wf_test::way_of(turn++));
        expect_joined_by_offsets<staged, wide_interval>(where, wf_test::way_of(turn++));
      }
      lengths longest;
      for (const std::int64_t length :
           {most / 2, most / 2 + 1, most, std::int64_t{128}, std::int64_t{129}, std::int64_t{257}}) {
        add(longest, 3, 20 + turn % 5);
        add(longest, length + off, 2);
      }
      expect_joined_by_offsets<staged>(layout("around the longest", longest), wf_test::way_of(turn++));
      expect_joined_by_offsets<staged, wide_interval>(layout("around the longest", longest), wf_test::way_of(turn++));
    }
}

__global__ void count_within_kernel(int first, int items, int* within) {
  wf::segmented::segment_tile<4, int> tile;
  for (int k = 0; k < 4; ++k) {
    tile.begin[k] = first + 7 * (32 * k + static_cast<int>(threadIdx.x));
    tile.end[k] = tile.begin[k] + 7;
  }
  const int found = tile.count_within(items);
  if (threadIdx.x == 0) *within = found;
}
// Also of the last items that an index reaches.
TEST(segment_tile, counts_the_segments_within_a_stage) {
  const device_array<int> within(1);
  for (const int first : {0, 1'000'000'000, std::numeric_limits<int>::max() - 7 * 128})
    for (const int items : {6, 7, 100, 895, 896, 1020}) {
      wf_test::launch_and_wait(&count_within_kernel, 1, 32, 0, first, items, within.data());
      EXPECT_EQ(within.value(), std::min(items / 7, 128)) << first << ' ' << items;
    }
}

// A call takes this kernel if it fills the device: the bits are those of a device that cannot stage.
TEST_F(segmented_reduce_staged, is_what_a_large_call_takes) {
  const auto device = wf::host_side::current_device();
  const std::int64_t warps = std::int64_t{wf::host_side::limits_of(device).multiprocessors} * 2048 / 32;
  const std::int64_t segments =
      (wf::segmented::min_staged_empty_tiles + 1) * warps * wf::segmented::tile_segments_per_lane * 32;
  lengths few(static_cast<std::size_t>(segments)), mostly_none(few.size()), too_many(few.size());
  for (std::size_t s = 0; s < few.size(); ++s) {
    few[s] = static_cast<std::int64_t>(s % 97 == 0 ? 90 + s % 31 : s * 7 % 9);
    mostly_none[s] = s % 1000 == 7 ? 200 : s % 4 == 0 ? 2 : 0;
    too_many[s] = static_cast<std::int64_t>(s % 700 < 400 ? s * 7 % 19 : s * 5 % 4);  // for one stage
  }
  for (const layout& where :
       {layout("few items", few), layout("mostly none", mostly_none), layout("too many for one stage", too_many)}) {
    ASSERT_TRUE(wf::segmented::gains_by_staging(where.items, segments, sizeof(float), warps, true, false)) << where;
    const auto items = wf_test::random_items<float>(where.items, 29);
    const device_array<float> in(items);
    const device_array<int> offsets(where.offsets<int>());
    const auto results = wf_test::results_of({}, segments, 0.0f, 5.0f, [&](auto out, const auto& options) {
      wf::segmented_reduce(in.items(), offsets.items(), out, wf::plus{}, options);
    });
    EXPECT_TRUE(wf_test::same_segments(results, wf_test::canonical_segments(items, where, wf::plus{}, 5.0f))) << where;
  }
}

// Operators whose tiny segments would be packed otherwise are staged at a mean length of 1.
template <class Op> void expect_tiny_segments(const Op& op) {
  using A = wf::accumulator_t<Op, float>;
  const std::int64_t warps =
      std::int64_t{wf::host_side::limits_of(wf::host_side::current_device()).multiprocessors} * 2048 / 32;
  lengths tiny(static_cast<std::size_t>(wf::segmented::staging_bounds_of_items.min_tiles * warps *
                                        wf::segmented::tile_segments_per_lane * 32));
  for (std::size_t s = 0; s < tiny.size(); ++s) tiny[s] = static_cast<std::int64_t>(s % 500 == 99 ? 40 : s * 5 % 3);
  const layout where("tiny", tiny);
  const auto items = wf_test::random_items<float>(where.items, 31);
  const device_array<float> in(items);
  const device_array<int> offsets(where.offsets<int>());
  const device_array<wf::lowered_t<Op, A>> out(where.segments());
  const auto call = [&] { wf::segmented_reduce(in.items(), offsets.items(), std::span(out.data(), out.size()), op); };
  EXPECT_NE(std::string(wf::explain(call).front().why).find("through shared memory"), std::string::npos);
  call();
  const auto found = out.to_host();
  for (std::size_t s = 0; s < found.size(); ++s) {
    const float* const own = items.data() + where.begins[s];
    const auto count = where.length(static_cast<std::int64_t>(s));
    const A tree = count > 0 ? wf::canonical_tree::replay(own, count, op) : wf::identity<Op, A>::value();
    const auto expected = op.lower(tree);
    ASSERT_EQ(std::memcmp(&found[s], &expected, sizeof(expected)), 0) << "segment " << s << " of " << count << " items";
  }
}
TEST_F(segmented_reduce_staged, means_of_tiny_segments) { expect_tiny_segments(wf::arithmetic_mean{}); }
TEST_F(segmented_reduce_staged, norms_of_tiny_segments) { expect_tiny_segments(wf::euclidean_norm{}); }

}  // namespace
