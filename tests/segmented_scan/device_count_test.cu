// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of segments whose number the kernel reads: prefixes are those of a call with that number, and items behind the
// last segment keep what they hold.
#include <gtest/gtest.h>

#include <warpfold/device_count.cuh>

#include "common/interval.hpp"
#include "reduce/stream.cuh"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace segmented_scan_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;
using interval = wf_test::interval<>;

const interval untouched = interval::of(-9);

template <class N> void set(const device_array<N>& count, std::int64_t value) { count.set(0, static_cast<N>(value)); }
std::vector<interval> expected_of(const layout& all, std::int64_t count) {
  layout first = all;
  first.begins.resize(static_cast<std::size_t>(count));
  first.ends.resize(static_cast<std::size_t>(count));
  return wf_test::prefixes_of<false>(
      first, untouched, untouched, [](std::int64_t from, std::int64_t through) { return interval::of(from, through); });
}

TEST(segmented_scan_device_count, every_prefix_of_the_first_segments_and_nothing_behind) {
  const layout where("some", {3, 0, 0, 1'100, 70, 1, 1, 1, 24'000, 513, 0, 31, 9'000});
  const std::int64_t most = where.segments();
  const device_array<int> offsets(where.offsets<int>());
  const device_array<std::int64_t> count(1);
  const auto expect = [&](const auto& all) {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{9}, most})
      for (const int max_blocks : {0, 2}) {
        set(count, n);
        const device_array<interval> in(wf_test::interval_items(where.items)),
            out(std::vector<interval>(in.size(), untouched));
        wf::segmented_inclusive_scan(in.items(), wf::first_segments{all, wf::device_count(count.data(), most)},
                                     out.data(), wf_test::join{}, {.max_blocks = max_blocks});
        EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), expected_of(where, n))) << n << " segments";
      }
  };
  expect(offsets.data());
  expect(wf::bounds{offsets.data(), std::span<const int>(offsets.data() + 1, offsets.size() - 1)});
}

TEST(segmented_scan_device_count, rows_in_a_graph_whose_replays_see_other_counts) {
  constexpr std::int64_t most = 30, length = 300;
  const layout where("rows", wf_test::lengths(most, length));
  const device_array<interval> in(wf_test::interval_items(where.items)), out(where.items);
  const device_array<unsigned> count(1);
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::segmented_inclusive_scan(in.items(),
                                 wf::first_segments{wf::fixed_length{length}, wf::device_count(count.data(), most)},
                                 out.data(), wf_test::join{}, {.stream = s});
  });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const std::int64_t n : {std::int64_t{4}, most, std::int64_t{0}}) {
    set(count, n);
    const std::vector<interval> empty(out.size(), untouched);
    out.set(empty);
    graph.launch(stream);
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), expected_of(where, n))) << n << " segments";
  }
}

TEST(segmented_scan_device_count, errors_name_the_argument) {
  const device_array<int> in(40), out(40), count(1);
  const auto error_of = [&](std::int64_t length, std::int64_t most) -> std::string {
    try {
      wf::segmented_inclusive_scan(
          in.items(), wf::first_segments{wf::fixed_length{length}, wf::device_count(count.data(), most)}, out.data());
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of(0, 4).find("fixed_length is 0"), std::string::npos);
  EXPECT_NE(error_of(4, 11).find("in has 40 items"), std::string::npos);
  EXPECT_NE(error_of(4, -1).find("at most -1"), std::string::npos);
}

}  // namespace segmented_scan_device_count_tests
