// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small case of each path, to run under compute-sanitizer's tools: one tile and many, runs that end in a tile and
// that cross several, groups of tiles, keys alone in their runs, misaligned bytes, too little room.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "reduce/iterators.cuh"
#include "ways.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::lengths;

namespace {

template <class T> void expect_joined(const layout& where, const wf_test::by_key_way& way) {
  const layout runs = wf_test::runs_of(where);
  const auto keys = wf_test::keys_of<int>(runs);
  const auto items = wf_test::interval_items<T>(runs.items);
  const auto expected = wf_test::canonical_runs(keys, items, wf_test::join{});
  const device_array<int> k(keys, way.keys_off);
  const device_array<T> v(items, way.values_off);
  const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
    wf::reduce_by_key(k.items(), v.items(), out_keys, out_values, out_count, wf_test::join{}, options);
  };
  EXPECT_TRUE(wf_test::gives_runs(way, expected, {}, wf_test::join{}, reduce)) << runs;
}

const layout of_all_lengths("of all lengths", {5000, 3, 1, 9001, 1, 400, 2047, 31, 33});
const layout alone("alone", lengths(2100, 1));

TEST(reduce_by_key_sanitizer, intervals) {
  for (const layout& where :
       {of_all_lengths, alone, layout("power law", wf_test::power_law(150, 3000)), layout("one", {7})})
    for (const int max_blocks : {0, 1, 3})
      expect_joined<wf_test::interval<>>(where, {.max_blocks = max_blocks, .own_workspace = true});
}

// Tiles of 512 items: more of them than a warp joins at once; and several whose outputs fill their room.
TEST(reduce_by_key_sanitizer, groups_of_tiles) {
  using wide = wf_test::interval<std::int32_t, 40>;
  expect_joined<wide>(layout("groups", {700, 16'000, 1, 1, 3333}), {.own_workspace = true});
  expect_joined<wide>(alone, {.max_blocks = 1, .own_workspace = true});
}

TEST(reduce_by_key_sanitizer, too_little_room) {
  for (const std::int64_t missing : {1, 3, 9}) expect_joined<wf_test::interval<>>(of_all_lengths, {.spare = -missing});
  expect_joined<wf_test::interval<>>(alone, {.spare = -1000});
}

TEST(reduce_by_key_sanitizer, misaligned_bytes) {
  const layout runs("", {1, 7, 50, 3000, 1, 2000, 5000});
  const auto keys = wf_test::keys_of<std::int8_t>(runs);
  const std::vector<std::int8_t> ones(keys.size(), 1);
  const auto expected = wf_test::canonical_runs(keys, ones, wf::plus{});
  for (const int offset : {0, 1, 15}) {
    const device_array<std::int8_t> k(keys, offset), v(ones, 15 - offset);
    const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(k.items(), v.items(), out_keys, out_values, out_count, options);
    };
    EXPECT_TRUE(wf_test::gives_runs({.max_blocks = 2, .out_off = offset % 4}, expected, 0, wf::plus{}, reduce));
  }
}

TEST(reduce_by_key_sanitizer, iterators_and_no_items) {
  for (const std::int64_t count : {0, 1, 2500}) {
    std::vector<std::int64_t> keys;
    for (std::int64_t i = 0; i < count; ++i) keys.push_back(i + 7);
    const wf_test::stl_counting in{7};
    const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(in, in, count, out_keys, out_values, out_count, options);
    };
    const auto expected = wf_test::canonical_runs(keys, keys, wf::plus{});
    EXPECT_TRUE(wf_test::gives_runs({.spare = 2}, expected, std::int64_t{0}, wf::plus{}, reduce));
  }
}

}  // namespace
