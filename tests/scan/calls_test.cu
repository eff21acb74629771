// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How scans are called: forms of input and output, transforms, in place, streams, graphs, scratch.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <warpfold/reduce.cuh>

#include "common/interval.hpp"
#include "common/outputs.cuh"
#include "reduce/iterators.cuh"
#include "reduce/stream.cuh"
#include "scan/expect_prefixes.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join;
using device_intervals = device_array<interval<>>;

namespace {

constexpr std::int64_t count = 30'011;

std::vector<interval<>> prefixes(std::int64_t first) {
  std::vector<interval<>> expected;
  for (std::int64_t i = 0; i < count; ++i) expected.push_back(interval<>::of(first, first + i));
  return expected;
}
device_intervals intervals(std::int64_t first) {
  std::vector<interval<>> items;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(interval<>::of(first + i));
  return device_intervals(items);
}

struct negate {
  __host__ __device__ int operator()(int x) const { return -x; }
};

class scan_forms : public testing::Test {
 protected:
  scan_forms() {
    std::iota(items_.begin(), items_.end(), -500);
    std::inclusive_scan(items_.begin(), items_.end(), inclusive_.begin());
    std::exclusive_scan(items_.begin(), items_.end(), exclusive_.begin(), 5);
  }
  std::vector<int> items_ = std::vector<int>(5'000), inclusive_ = items_, exclusive_ = items_;
};

TEST_F(scan_forms, ranges_pointers_and_iterators) {
  const device_array<int> in(items_), out(in.count());
  const std::span<int> range(out.data(), out.size());
  wf_test::outputs::device_vector<int> vector(items_);
  const wf_test::strided<int> strided{in.data(), 1};
  const auto expect = [&](auto scan, const std::vector<int>& expected) {
    wf::check(cudaMemset(out.data(), 0x77, out.size() * 4), "cudaMemset");
    scan();
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), expected));
  };
  expect([&] { wf::inclusive_scan(in.items(), out.data()); }, inclusive_);
  expect([&] { wf::inclusive_scan(in.items(), range, wf::plus{}); }, inclusive_);
  expect([&] { wf::inclusive_scan(vector, range); }, inclusive_);
  expect([&] { wf::inclusive_scan(in.data(), in.count(), out.data()); }, inclusive_);
  expect([&] { wf::inclusive_scan(strided, in.count(), range, wf::plus{}); }, inclusive_);
  expect([&] { wf::exclusive_scan(in.items(), out.data(), {.init = 5}); }, exclusive_);
  expect([&] { wf::exclusive_scan(in.items(), range, wf::plus{}, {.init = 5}); }, exclusive_);
  expect([&] { wf::exclusive_scan(in.data(), in.count(), out.data(), {.init = 5}); }, exclusive_);
  expect([&] { wf::exclusive_scan(strided, in.count(), range, wf::plus{}, {.init = 5}); }, exclusive_);
}

TEST_F(scan_forms, transforms_and_written_iterators) {
  const device_array<int> in(items_), out(in.count());
  for (int& x : inclusive_) x = -x;
  std::exclusive_scan(items_.begin(), items_.end(), exclusive_.begin(), 0);
  for (int& x : exclusive_) x = -x;
  const auto expect = [&](auto scan, const std::vector<int>& expected) {
    wf::check(cudaMemset(out.data(), 0x77, out.size() * 4), "cudaMemset");
    scan();
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), expected));
  };
  expect([&] { wf::transform_inclusive_scan(in.items(), out.data(), wf::plus{}, negate{}); }, inclusive_);
  expect([&] { wf::transform_inclusive_scan(in.data(), in.count(), out.data(), wf::plus{}, negate{}); }, inclusive_);
  expect([&] { wf::transform_exclusive_scan(in.items(), out.data(), wf::plus{}, negate{}); }, exclusive_);
  expect([&] { wf::transform_exclusive_scan(in.data(), in.count(), out.data(), wf::plus{}, negate{}); }, exclusive_);
  expect([&] { wf::inclusive_scan(in.items(), wf_test::outputs::negating_output{out.data()}); }, inclusive_);
}

TEST(scan_calls, no_items) {
  const device_array<float> out(std::vector<float>{3});
  wf::inclusive_scan(std::span<const float>{}, out.data());
  wf::exclusive_scan(static_cast<const float*>(nullptr), 0, static_cast<float*>(nullptr));
  EXPECT_EQ(out.value(), 3);
}

TEST(scan_calls, in_place) {
  for (const std::int64_t offset : {0, 1}) {
    const device_intervals both(wf_test::interval_items(count), offset);
    wf::inclusive_scan(both.items(), both.data(), join{});
    EXPECT_TRUE(wf_test::all_same_bits(both.to_host(), prefixes(0)));
  }
  const auto bytes = std::vector<std::int8_t>(70'001, 3);
  std::vector<std::int8_t> expected;
  for (std::size_t i = 0; i < bytes.size(); ++i) expected.push_back(static_cast<std::int8_t>(3 * i));
  for (const std::int64_t offset : {0, 1, 5}) {
    const device_array<std::int8_t> both(bytes, offset);
    wf::exclusive_scan(both.items(), both.data());
    EXPECT_TRUE(wf_test::all_same_bits(both.to_host(), expected)) << offset;
  }
}

TEST(scan_calls, exclusive_prefixes_of_extrema) {
  const device_array<float> in(std::vector<float>{3, -7, 5}), out(3);
  wf::exclusive_scan(in.items(), out.data(), wf::minimum{});
  EXPECT_EQ(out.to_host(), (std::vector<float>{INFINITY, 3, -7}));
}

TEST(scan_calls, one_node_a_graph_and_replays) {
  const device_intervals in = intervals(0), out(count);
  const wf_test::graph graph(
      [&](cudaStream_t s) { wf::inclusive_scan(in.items(), out.data(), join{}, {.stream = s}); });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const std::int64_t first : {0, 5, 100}) {
    const device_intervals other = intervals(first);
    wf::check(
        cudaMemcpyAsync(in.data(), other.data(), in.size() * sizeof(interval<>), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
    graph.launch(stream);
    stream.wait();
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(first)));
  }
}

// Each stream and graph has scratch of its own.
TEST(scan_calls, streams_and_graphs_at_once) {
  std::vector<device_intervals> ins, outs;
  for (int i = 0; i < 4; ++i) ins.push_back(intervals(1000 * i)), outs.emplace_back(count);
  const wf_test::stream streams[4];
  const wf_test::graph graph(
      [&](cudaStream_t s) { wf::inclusive_scan(ins[3].items(), outs[3].data(), join{}, {.stream = s}); });
  for (int turn = 0; turn < (wf_test::emulated ? 3 : 100); ++turn) {
    for (std::size_t i = 0; i < 3; ++i)
      wf::inclusive_scan(ins[i].items(), outs[i].data(), join{}, {.stream = streams[i]});
    graph.launch(streams[3]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    streams[i].wait();
    EXPECT_TRUE(wf_test::all_same_bits(outs[i].to_host(), prefixes(1000 * static_cast<std::int64_t>(i)))) << i;
  }
}

/// Writes `value` to all items, late.
__global__ void write_late(int* items, int count, int value) {
  for (int turn = 0; turn < (wf_test::emulated ? 1 : 200); ++turn) warpfold::arch::pause<1000>();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) items[i] = value;
}

// Kernels that begin early, as those of graphs do, wait for what the kernel before them writes, and for what it still
// reads.
TEST(scan_calls, follow_slow_kernels) {
  for (const int size : {1'000, 9'000, 300'000}) {
    const device_array<int> items(std::vector<int>(static_cast<std::size_t>(size), 0)), sums(size), totals(4);
    const auto enqueue = [&](cudaStream_t stream) {
      for (int turn = 0; turn < 4; ++turn) {
        wf::launch(&write_late, wf::host_side::launch_config((size + 255) / 256, 256, 0, stream), items.data(), size,
                   turn + 1);
        wf::inclusive_scan(items.items(), sums.data(), {.stream = stream});
        wf::exclusive_scan(sums.items(), items.data(), {.stream = stream});
        wf::reduce(sums.items(), totals.data() + turn, wf::maximum{}, {.stream = stream});
      }
    };
    const auto expect_totals = [&] {
      const auto found = totals.to_host();
      for (int turn = 0; turn < 4; ++turn) EXPECT_EQ(found[static_cast<std::size_t>(turn)], size * (turn + 1)) << size;
    };
    const wf_test::stream stream;
    enqueue(stream);
    stream.wait();
    expect_totals();
    const wf_test::graph graph(enqueue);
    for (int turn = 0; turn < 3; ++turn) graph.launch(stream);
    stream.wait();
    expect_totals();
  }
}

// One workspace serves scans of different types and other functions, one after another: control words are zero again.
TEST(scan_calls, one_workspace_for_all) {
  const wf::workspace workspace;
  const device_intervals in = intervals(0), out(count), total(1);
  std::vector<std::int8_t> ones(200'003, 1);
  const device_array<std::int8_t> bytes(ones), sums(in.count());
  for (int turn = 0; turn < 3; ++turn) {
    wf::inclusive_scan(in.items(), out.data(), join{}, {.workspace = workspace});
    wf::reduce(in.items(), total.data(), join{}, {.workspace = workspace});
    wf::inclusive_scan(bytes.items().first(out.size()), sums.data(), {.workspace = workspace});
    EXPECT_TRUE(wf_test::all_same_bits(out.to_host(), prefixes(0)));
    EXPECT_EQ(total.value(), interval<>::of(0, count - 1));
  }
  std::vector<std::byte> control(wf::host_side::control_bytes);
  wf::check(cudaMemcpy(control.data(), workspace.bytes().data(), control.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  EXPECT_TRUE(std::ranges::all_of(control, [](std::byte b) { return b == std::byte{0}; }));
}

}  // namespace
