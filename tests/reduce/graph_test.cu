// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce under stream capture: one node per call, results that follow the input at each replay, and scratch that no
// other call shares.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "reduce/stream.cuh"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join;

namespace {

using device_intervals = wf_test::device_array<interval<>>;

// Enough for blocks that hand over to the last one through scratch.
constexpr std::int64_t count = wf_test::emulated ? 60'007 : 6'000'007;

device_intervals intervals(std::int64_t first, std::int64_t size = count) {
  std::vector<interval<>> items;
  for (std::int64_t i = 0; i < size; ++i) items.push_back(interval<>::of(first + i));
  return device_intervals(items);
}
interval<> joined(std::int64_t first, std::int64_t size = count) { return interval<>::of(first, first + size - 1); }

TEST(reduce_graph, one_node_a_call_at_every_size) {
  const device_intervals out(1);
  auto sizes = wf_test::shape_sizes<interval<>>();
  sizes.push_back(0);
  for (const std::int64_t size : sizes) {
    const device_intervals in = intervals(0, size);
    const wf_test::graph graph(
        [&](cudaStream_t s) { wf::reduce(in.items(), out.data(), join{}, {.stream = s, .init = interval<>::of(-1)}); });
    EXPECT_EQ(graph.nodes(), 1u) << size << " items";
  }
}

TEST(reduce_graph, nothing_runs_before_launch_and_replays_follow_the_input) {
  device_intervals in = intervals(0), out(1);
  out.set(0, interval<>::of(-7));
  const wf_test::graph graph([&](cudaStream_t s) { wf::reduce(in.items(), out.data(), join{}, {.stream = s}); });
  EXPECT_EQ(out.value(), interval<>::of(-7));
  const wf_test::stream stream;
  for (const std::int64_t first : {0, 5, 100}) {
    const device_intervals other = intervals(first);
    wf::check(
        cudaMemcpyAsync(in.data(), other.data(), in.size() * sizeof(interval<>), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
    graph.launch(stream);
    stream.wait();
    EXPECT_EQ(out.value(), joined(first));
  }
}

TEST(reduce_graph, device_resident_init_is_read_at_each_replay) {
  const device_intervals in = intervals(10), out(1);
  device_intervals init(1);
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::reduce(in.items(), out.data(), join{}, {.stream = s, .init = static_cast<const interval<>*>(init.data())});
  });
  const wf_test::stream stream;
  for (const std::int64_t before : {9, 4}) {
    init.set(0, interval<>::of(before, 9));
    graph.launch(stream);
    stream.wait();
    EXPECT_EQ(out.value(), interval<>::of(before, 9 + count));
  }
}

// Eager calls and replays overlap freely: each has its own slot.
TEST(reduce_graph, eager_calls_between_replays_on_other_streams) {
  const device_intervals graphs_in = intervals(0), eager_in = intervals(1000), graphs_out(1), eager_out(8);
  const wf_test::stream eager, replays;
  const auto reduce_eagerly = [&](std::int64_t i) {
    wf::reduce(eager_in.items(), eager_out.data() + i, join{}, {.stream = eager});
  };
  reduce_eagerly(0);
  const wf_test::graph graph(
      [&](cudaStream_t s) { wf::reduce(graphs_in.items(), graphs_out.data(), join{}, {.stream = s}); });
  for (std::int64_t i = 0; i < eager_out.count(); ++i) {
    graph.launch(replays);
    reduce_eagerly(i);
  }
  for (std::int64_t i = 0; i < eager_out.count(); ++i) {  // and on one stream, by turns
    graph.launch(eager);
    reduce_eagerly(i);
  }
  eager.wait();
  replays.wait();
  EXPECT_EQ(graphs_out.value(), joined(0));
  for (std::int64_t i = 0; i < eager_out.count(); ++i) EXPECT_EQ(eager_out.value(i), joined(1000)) << i;
}

TEST(reduce_graph, two_graphs_on_two_streams) {
  const device_intervals in0 = intervals(0), in1 = intervals(5000), out(2);
  const wf_test::graph graph0([&](cudaStream_t s) { wf::reduce(in0.items(), out.data(), join{}, {.stream = s}); });
  const wf_test::graph graph1([&](cudaStream_t s) { wf::reduce(in1.items(), out.data() + 1, join{}, {.stream = s}); });
  const wf_test::stream stream0, stream1;
  for (int replay = 0; replay < (wf_test::emulated ? 5 : 200); ++replay) {
    graph0.launch(stream0);
    graph1.launch(stream1);
  }
  stream0.wait();
  stream1.wait();
  EXPECT_EQ(out.value(0), joined(0));
  EXPECT_EQ(out.value(1), joined(5000));
}

// The branches of a graph may run at once, so two calls in one graph cannot share scratch either.
TEST(reduce_graph, branches_of_one_graph) {
  const device_intervals in0 = intervals(0), in1 = intervals(5000), out(2);
  const wf_test::stream branch;
  const wf_test::event forked, joined_again;
  const wf_test::graph graph([&](cudaStream_t s) {
    forked.record(s);
    forked.make_wait(branch);
    wf::reduce(in0.items(), out.data(), join{}, {.stream = s});
    wf::reduce(in1.items(), out.data() + 1, join{}, {.stream = branch});
    joined_again.record(branch);
    joined_again.make_wait(s);
  });
  EXPECT_EQ(graph.nodes(), 2u);
  const wf_test::stream stream;
  for (int replay = 0; replay < 5; ++replay) graph.launch(stream);
  stream.wait();
  EXPECT_EQ(out.value(0), joined(0));
  EXPECT_EQ(out.value(1), joined(5000));
}

TEST(reduce_graph, callers_workspace) {
  const device_intervals in = intervals(0), out(1);
  const wf::workspace workspace;
  const wf_test::graph graph(
      [&](cudaStream_t s) { wf::reduce(in.items(), out.data(), join{}, {.stream = s, .workspace = workspace}); });
  const wf_test::stream stream;
  for (int replay = 0; replay < 3; ++replay) graph.launch(stream);
  stream.wait();
  EXPECT_EQ(out.value(), joined(0));
}

// A graph's slot comes back when the graph is gone: recording again and again takes no more memory.
TEST(reduce_graph, slots_of_destroyed_graphs_are_used_again) {
  const device_intervals in = intervals(0), out(1);
  const wf_test::stream stream;
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    wf::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  };
  const auto record_and_run = [&] {
    const wf_test::graph graph([&](cudaStream_t s) { wf::reduce(in.items(), out.data(), join{}, {.stream = s}); });
    graph.launch(stream);
    stream.wait();
  };
  record_and_run();
  const std::size_t before = free_bytes();
  for (int i = 0; i < 20; ++i) record_and_run();
  if (wf_test::emulated) {  // others may use a GPU
    EXPECT_EQ(free_bytes(), before);
  }
  EXPECT_EQ(out.value(), joined(0));
}

}  // namespace
