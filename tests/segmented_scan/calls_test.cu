// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How segmented scans are called: forms of input, segments and output, transforms, in place, streams, graphs, scratch.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <warpfold/segmented_reduce.cuh>

#include "common/interval.hpp"
#include "common/outputs.cuh"
#include "reduce/iterators.cuh"
#include "reduce/stream.cuh"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::layout;

namespace {

struct negate_each {
  __host__ __device__ int operator()(int x) const { return -x; }
};

class segmented_scan_forms : public testing::Test {
 protected:
  segmented_scan_forms() {
    std::iota(items_.begin(), items_.end(), -500);
    inclusive_ = wf_test::canonical_segment_prefixes<false>(items_, where_, wf::plus{}, 0, 0);
    exclusive_ = wf_test::canonical_segment_prefixes<true>(items_, where_, wf::plus{}, 0, 5, &five_);
  }
  template <class Scan> void expect(const std::vector<int>& expected, Scan scan) {
    wf::check(cudaMemset(out_.data(), 0x77, out_.size() * 4), "cudaMemset");
    scan();
    EXPECT_TRUE(wf_test::all_same_bits(out_.to_host(), expected));
  }
  const int five_ = 5;
  const layout where_{"five of 1000", {1'000, 1'000, 1'000, 1'000, 1'000}};
  std::vector<int> items_ = std::vector<int>(5'000), inclusive_, exclusive_;
  const device_array<int> out_{5'000};
};

TEST_F(segmented_scan_forms, ranges_pointers_and_iterators) {
  const device_array<int> in(items_), offsets(where_.offsets<int>());
  const std::span<int> range(out_.data(), out_.size());
  const wf_test::strided<int> strided{in.data(), 1};
  const auto o = offsets.items();
  expect(inclusive_, [&] { wf::segmented_inclusive_scan(in.items(), o, out_.data()); });
  expect(inclusive_, [&] { wf::segmented_inclusive_scan(in.items(), o, range, wf::plus{}); });
  expect(inclusive_, [&] { wf::segmented_inclusive_scan(in.data(), in.count(), o, out_.data()); });
  expect(inclusive_, [&] { wf::segmented_inclusive_scan(strided, in.count(), o, range, wf::plus{}); });
  expect(exclusive_, [&] { wf::segmented_exclusive_scan(in.items(), o, out_.data(), {.init = 5}); });
  expect(exclusive_, [&] { wf::segmented_exclusive_scan(in.items(), o, range, wf::plus{}, {.init = 5}); });
  expect(exclusive_, [&] { wf::segmented_exclusive_scan(in.data(), in.count(), o, out_.data(), {.init = 5}); });
  expect(exclusive_, [&] { wf::segmented_exclusive_scan(strided, in.count(), o, range, wf::plus{}, {.init = 5}); });
}

TEST_F(segmented_scan_forms, transforms_and_written_iterators) {
  const device_array<int> in(items_), offsets(where_.offsets<int>());
  for (int& x : inclusive_) x = -x;
  for (int& x : exclusive_) x = 5 - x;
  const auto o = offsets.items();
  const wf::plus sum;
  const negate_each negate;
  expect(inclusive_, [&] { wf::transform_segmented_inclusive_scan(in.items(), o, out_.data(), sum, negate); });
  expect(inclusive_,
         [&] { wf::transform_segmented_inclusive_scan(in.data(), in.count(), o, out_.data(), sum, negate); });
  expect(exclusive_, [&] { wf::transform_segmented_exclusive_scan(in.items(), o, out_.data(), sum, negate); });
  expect(exclusive_,
         [&] { wf::transform_segmented_exclusive_scan(in.data(), in.count(), o, out_.data(), sum, negate); });
  expect(inclusive_,
         [&] { wf::segmented_inclusive_scan(in.items(), o, wf_test::outputs::negating_output{out_.data()}); });
}

// Any integer type, bounds of a range and an iterator, owners that leave ids out.
TEST_F(segmented_scan_forms, descriptions_of_segments) {
  const device_array<int> in(items_);
  const auto expect_by = [&](const auto& segments) {
    expect(inclusive_, [&] { wf::segmented_inclusive_scan(in.items(), segments, out_.data()); });
  };
  const device_array<std::int64_t> wide(where_.offsets<std::int64_t>());
  const device_array<unsigned> unsigned_offsets(where_.offsets<unsigned>());
  const device_array<short> narrow(where_.offsets<short>());
  expect_by(wide.items());
  expect_by(unsigned_offsets.items());
  expect_by(narrow.items());
  expect_by(wf::fixed_length{1'000});
  expect_by(wf::bounds{wide.items().first(5), wide.items().last(5)});
  expect_by(wf::bounds{wide.data(), narrow.items().subspan(1)});
  expect_by(wf::bounds{narrow.items().first(5), wf_test::strided<std::int64_t>{wide.data() + 1, 1}});
  std::vector<std::int8_t> ids(items_.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int8_t>(3 * (i / 1'000) - 5);
  const device_array<std::int8_t> few(ids);
  expect_by(wf::owners{few.items()});
}

TEST(segmented_scan_calls, no_items) {
  const device_array<float> out(std::vector<float>{3});
  const device_array<int> offsets(std::vector<int>{0, 0, 0});
  wf::segmented_inclusive_scan(std::span<const float>{}, offsets.items(), out.data());
  wf::segmented_exclusive_scan(static_cast<const float*>(nullptr), 0, wf::fixed_length{0}, out.data());
  wf::segmented_exclusive_scan(std::span<const float>{}, wf::owners{std::span<const int>{}}, out.data());
  const device_array<float> some(std::vector<float>{1, 2}), kept(std::vector<float>{5, 6});
  wf::segmented_inclusive_scan(some.items(), offsets.items().first(1), kept.data());  // no segment
  wf::segmented_inclusive_scan(some.items(), offsets.items(), kept.data());           // empty ones
  EXPECT_EQ(kept.to_host(), (std::vector<float>{5, 6}));
  EXPECT_EQ(out.value(), 3);
}

constexpr std::int64_t count = 30'000, length = 7'500;
std::vector<interval<>> quarters(std::int64_t first) {
  std::vector<interval<>> expected;
  for (std::int64_t i = 0; i < count; ++i) expected.push_back(interval<>::of(first + i / length * length, first + i));
  return expected;
}
device_array<interval<>> intervals(std::int64_t first) {
  std::vector<interval<>> items;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(interval<>::of(first + i));
  return device_array<interval<>>(items);
}

TEST(segmented_scan_calls, in_place) {
  for (const std::int64_t offset : {0, 1}) {
    const device_array<interval<>> both(wf_test::interval_items(count), offset);
    wf::segmented_inclusive_scan(both.items(), wf::fixed_length{length}, both.data(), join{});
    EXPECT_TRUE(wf_test::all_same_bits(both.to_host(), quarters(0)));
  }
  for (const std::int64_t offset : {0, 1, 5}) {
    const device_array<std::int8_t> both(std::vector<std::int8_t>(70'000, 3), offset);
    wf::segmented_exclusive_scan(both.items(), wf::fixed_length{7}, both.data());
    const auto found = both.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 3 * (i % 7)) << i;
  }
}

TEST(segmented_scan_calls, one_node_a_graph_and_replays) {
  const device_array<interval<>> in = intervals(0), out(count);
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::segmented_inclusive_scan(in.items(), wf::fixed_length{length}, out.data(), join{}, {.stream = s});
  });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const std::int64_t first : {0, 5, 100}) {
    const device_array<interval<>> other = intervals(first);
    wf::check(
        cudaMemcpyAsync(in.data(), other.data(), in.size() * sizeof(interval<>), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
    graph.launch(stream);
    stream.wait();
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), quarters(first)));
  }
}

// One workspace serves scans of different types and other functions, one after another: control words are zero again.
TEST(segmented_scan_calls, one_workspace_for_all) {
  const wf::workspace workspace;
  const device_array<interval<>> in = intervals(0), out(count), totals(4);
  const device_array<std::int8_t> bytes(std::vector<std::int8_t>(static_cast<std::size_t>(count), 1)), sums(count);
  for (int turn = 0; turn < 3; ++turn) {
    wf::segmented_inclusive_scan(in.items(), wf::fixed_length{length}, out.data(), join{}, {.workspace = workspace});
    wf::segmented_reduce(in.items(), wf::fixed_length{length}, std::span(totals.data(), 4), join{},
                         {.workspace = workspace});
    wf::segmented_inclusive_scan(bytes.items(), wf::fixed_length{count}, sums.data(), {.workspace = workspace});
    wf::inclusive_scan(in.items(), out.data(), join{}, {.workspace = workspace});
    EXPECT_EQ(out.value(count - 1), interval<>::of(0, count - 1));
    EXPECT_EQ(totals.value(3), interval<>::of(3 * length, count - 1));
    EXPECT_EQ(sums.value(count - 1), static_cast<std::int8_t>(count));
  }
  std::vector<std::byte> control(wf::host_side::control_bytes);
  wf::check(cudaMemcpy(control.data(), workspace.bytes().data(), control.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  EXPECT_TRUE(std::ranges::all_of(control, [](std::byte b) { return b == std::byte{0}; }));
}

// Each stream and graph has scratch of its own.
TEST(segmented_scan_calls, streams_and_graphs_at_once) {
  std::vector<device_array<interval<>>> ins, outs;
  for (int i = 0; i < 4; ++i) ins.push_back(intervals(1'000 * i)), outs.emplace_back(count);
  const wf_test::stream streams[4];
  const auto enqueue = [&](std::size_t i, cudaStream_t s) {
    wf::segmented_inclusive_scan(ins[i].items(), wf::fixed_length{length}, outs[i].data(), join{}, {.stream = s});
  };
  const wf_test::graph graph([&](cudaStream_t s) { enqueue(3, s); });
  for (int turn = 0; turn < (wf_test::emulated ? 2 : 100); ++turn) {
    for (std::size_t i = 0; i < 3; ++i) enqueue(i, streams[i]);
    graph.launch(streams[3]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    streams[i].wait();
    EXPECT_TRUE(wf_test::all_same_bits(outs[i].to_host(), quarters(1'000 * static_cast<std::int64_t>(i)))) << i;
  }
}

}  // namespace
