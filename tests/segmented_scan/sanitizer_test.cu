// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small case of each path, to run under compute-sanitizer's tools: whole units, pieces of short segments, gaps,
// groups of units, bounded grids, misaligned bases, exact operators, in place.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::layout;

namespace {

TEST(segmented_scan_sanitizer, intervals) {
  const layout where("some", {3, 0, 0, 1'100, 70, 1, 1, 1, 4'000, 513, 0, 31});
  const auto expected =
      wf_test::prefixes_of<false>(where, interval<>::poison(), interval<>::poison(),
                                  [](std::int64_t first, std::int64_t last) { return interval<>::of(first, last); });
  const device_array<int> offsets(where.offsets<int>()), ids(where.owners<int>());
  const auto expect = [&](const auto& segments, int max_blocks) {
    const device_array<interval<>> in(wf_test::interval_items(where.items)),
        out(std::vector<interval<>>(in.size(), interval<>::poison()), 1);
    wf::segmented_inclusive_scan(in.items(), segments, out.data(), join{}, {.max_blocks = max_blocks});
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), expected));
  };
  for (const int max_blocks : {0, 2}) {
    expect(offsets.items(), max_blocks);
    expect(wf::owners{ids.items()}, max_blocks);
  }
}

TEST(segmented_scan_sanitizer, groups_of_units_and_gaps) {
  const wf_test::schedule_seed scheduled(2);  // a tile that has published a longer node leaves before others
  using wide = interval<std::int32_t, 40>;
  const layout where = wf_test::with_gaps({"long", {7, 32 * 70 + 5, 1, 40, 32 * 33}});
  const wide untouched = wide::of(-9);
  const auto expected = wf_test::prefixes_of<false>(
      where, untouched, untouched, [](std::int64_t first, std::int64_t last) { return wide::of(first, last); });
  const device_array<wide> in(wf_test::interval_items<wide>(where.items));
  const device_array<int> begins(wf_test::narrowed<int>(where.begins)), ends(wf_test::narrowed<int>(where.ends));
  for (const int max_blocks : {0, 3}) {
    const device_array<wide> out(std::vector<wide>(in.size(), untouched));
    wf_test::scan_in_small_tiles<false, 1, 2>(in.items(), wf_test::listed<128>(begins, ends), out.data(), join{},
                                              {.max_blocks = max_blocks});
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), expected));
  }
}

TEST(segmented_scan_sanitizer, bytes_in_place) {
  for (const std::int64_t offset : {0, 1}) {
    const device_array<std::int8_t> both(std::vector<std::int8_t>(9'000, 1), offset);
    wf::segmented_inclusive_scan(both.items(), wf::fixed_length{45}, both.data());
    const auto found = both.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i % 45 + 1) << i;
  }
}

// Vectors around a misaligned unit hold items of its neighbours, which other warps overwrite.
TEST(segmented_scan_sanitizer, units_in_place) {
  const layout where("long", {3, 9'000, 1, 1, 5'002, 70, 256, 1, 512, 1024, 1, 2048, 4096, 3});
  const device_array<int> offsets(where.offsets<int>());
  std::vector<std::int16_t> expected;
  for (std::size_t s = 0; s < where.begins.size(); ++s)
    for (std::int64_t i = where.begins[s]; i < where.ends[s]; ++i)
      expected.push_back(static_cast<std::int16_t>(i - where.begins[s] + 1));
  for (const std::int64_t offset : {0, 1})
    for (const int max_blocks : {0, 2}) {  // tiles of one row and of several
      const device_array<std::int16_t> both(std::vector<std::int16_t>(expected.size(), 1), offset);
      wf::segmented_inclusive_scan(both.items(), offsets.items(), both.data(), {.max_blocks = max_blocks});
      EXPECT_EQ(both.to_host(), expected);
    }
}

// Where no item begins at a boundary of vectors, lanes read vectors around their chunks, which neighbours overwrite.
TEST(segmented_scan_sanitizer, never_aligned_in_place) {
  static_assert(sizeof(interval<>) == 2 * sizeof(int) && alignof(interval<>) == alignof(int));
  const layout where("some", {3, 0, 1'100, 70, 1, 513});
  const auto items = wf_test::interval_items(where.items);
  const device_array<int> offsets(where.offsets<int>()), memory(2 * where.items + 1);
  auto* const both = reinterpret_cast<interval<>*>(memory.data() + 1);
  const std::size_t bytes = items.size() * sizeof(interval<>);
  const auto expected =
      wf_test::prefixes_of<false>(where, interval<>::poison(), interval<>::poison(),
                                  [](std::int64_t first, std::int64_t last) { return interval<>::of(first, last); });
  for (const int max_blocks : {0, 1}) {  // tiles of one row and of several
    wf::check(cudaMemcpy(both, items.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    wf::segmented_inclusive_scan(std::span<const interval<>>(both, items.size()), offsets.items(), both, join{},
                                 {.max_blocks = max_blocks});
    auto found = items;
    wf::check(cudaMemcpy(found.data(), both, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    EXPECT_TRUE(wf_test::all_same_bits(found, expected));
  }
}

}  // namespace
