// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every prefix of a segment has the association of reduce over it, whatever the tiles and wherever the segment lies:
// the operator is not associative on purpose.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "common/random_items.hpp"
#include "common/tree_hash.hpp"
#include "segmented_scan/expect_segment_prefixes.cuh"
#include "segmented_scan/expect_trees.cuh"

namespace wf = warpfold;
using wf_test::all_same_bits, wf_test::device_array, wf_test::expect_trees, wf_test::layout;

namespace {

std::vector<layout> cut_layouts() {
  std::vector<layout> all = wf_test::distributions(32, wf_test::emulated ? 6'000 : 100'000, 300);
  wf_test::random_source source(11);
  for (int i = 0; i < 10; ++i)
    all.emplace_back("random", wf_test::random_lengths(source, wf_test::emulated ? 9'000 : 80'000));
  return all;
}

TEST(segmented_scan_bits, trees_in_tiles_of_some_shapes) {
  int turn = 0;
  for (const layout& where : cut_layouts()) {
    expect_trees<wf_test::tree_hash<8, 8>, 1, 2, false>(where, turn++ % 3);
    expect_trees<wf_test::tree_hash<4, 4>, 2, 4, true>(wf_test::with_gaps(where), turn % 5);
  }
}

// The pieces of a long segment that begins anywhere: all levels of groups.
TEST(segmented_scan_bits, groups_of_groups) {
  using hash = wf_test::tree_hash<16, 16>;  // tiles of 32 items
  for (const std::int64_t before : {1, 31, 32, 1'000}) {
    const wf_test::schedule_seed schedule(static_cast<std::uint64_t>(before));
    expect_trees<hash, 1, 4, false>({"long", {before, 32 * 1'057 + 5, 3, 32 * 40}}, before == 31 ? 3 : 0);
  }
}

// Any alignment of both bases, nothing written beside the results, and in place.
template <class T, class Out, class Op> void expect_segments_at_all_alignments(Op op, wf_test::lengths lengths = {}) {
  if (lengths.empty()) lengths = {3, 700, 1, 0, 0, 64, 5'000, 17, 1, 1, 1, 1'024, 2, 2'300, 33};
  const layout where("alignments", lengths);
  std::vector<T> items;
  if constexpr (std::is_same_v<T, __half>)
    for (const float item : wf_test::random_items<float>(where.items)) items.push_back(__float2half(item));
  else items = wf_test::random_items<T>(where.items);
  using A = wf::accumulator_t<Op, T>;
  const device_array<int> offsets(where.offsets<int>());
  std::vector<Out> expected{Out(77)};
  for (const auto& prefix : wf_test::canonical_segment_prefixes<false>(items, where, op, A{}, A{}))
    expected.push_back(static_cast<Out>(prefix));
  expected.push_back(Out(77));
  if constexpr (wf::has_identity_v<Op, A>) {
    const A nothing = wf::identity<Op, A>::value();
    const device_array<T> in(items, 1);
    const device_array<A> out(where.items);
    wf::segmented_exclusive_scan(in.items(), offsets.items(), out.data(), op);
    EXPECT_TRUE(
        all_same_bits(out.to_host(), wf_test::canonical_segment_prefixes<true>(items, where, op, nothing, nothing)));
  }
  for (const std::int64_t in_offset : {0, 1, 3, 5})
    for (const std::int64_t out_offset : {0, 1, 2, 7}) {
      const device_array<T> in(items, in_offset);
      const device_array<Out> out(std::vector<Out>(items.size() + 2, Out(77)), out_offset + 15);
      wf::segmented_inclusive_scan(in.items(), offsets.items(), out.data() + 1, op,
                                   {.max_blocks = static_cast<int>(in_offset)});
      EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << in_offset << ", " << out_offset;
      if constexpr (std::is_same_v<T, Out>) {
        if (out_offset > 0) continue;
        wf::segmented_inclusive_scan(in.items(), offsets.items(), in.data(), op,
                                     {.max_blocks = static_cast<int>(in_offset)});
        EXPECT_TRUE(all_same_bits(in.to_host(), {expected.begin() + 1, expected.end() - 1})) << "in place";
      }
    }
}

struct smaller_of_bytes {
  __host__ __device__ std::int8_t operator()(std::int8_t a, std::int8_t b) const { return b < a ? b : a; }
};

TEST(segmented_scan_bits, floats_at_all_alignments) { expect_segments_at_all_alignments<float, float>(wf::plus{}); }
TEST(segmented_scan_bits, halves_at_all_alignments) { expect_segments_at_all_alignments<__half, float>(wf::plus{}); }
TEST(segmented_scan_bits, doubles_at_all_alignments) { expect_segments_at_all_alignments<double, double>(wf::plus{}); }
TEST(segmented_scan_bits, bytes_at_all_alignments) {
  expect_segments_at_all_alignments<std::int8_t, std::int8_t>(wf::plus{});
}
TEST(segmented_scan_bits, bytes_into_integers) { expect_segments_at_all_alignments<std::int8_t, int>(wf::plus{}); }
TEST(segmented_scan_bits, a_users_operator_of_bytes) {
  expect_segments_at_all_alignments<std::int8_t, std::int8_t>(smaller_of_bytes{});
}
TEST(segmented_scan_bits, short_segments_of_floats) {
  wf_test::random_source source(4);
  wf_test::lengths lengths;
  for (int s = 0; s < 600; ++s) lengths.push_back(source.below(30));
  expect_segments_at_all_alignments<float, float>(wf::plus{}, lengths);
}

// A running total agrees with a total: the last result of each segment is that of segmented_reduce.
TEST(segmented_scan_bits, last_results_are_those_of_reductions) {
  const layout where("law", wf_test::power_law(wf_test::emulated ? 500 : 300'000, 9'000));
  const auto items = wf_test::random_items<float>(where.items);
  const device_array<float> in(items), out(where.items);
  const device_array<int> offsets(where.offsets<int>());
  wf::segmented_inclusive_scan(in.items(), offsets.items(), out.data());
  const auto results = out.to_host();
  for (std::int64_t s = 0; s < where.segments(); ++s) {
    const auto begin = where.begins[static_cast<std::size_t>(s)];
    if (where.length(s) == 0) continue;
    const float total = wf::canonical_tree::replay(items.data() + begin, where.length(s), wf::plus{});
    ASSERT_TRUE(wf_test::same_bits(results[static_cast<std::size_t>(begin + where.length(s) - 1)], total)) << s;
  }
}

}  // namespace
