// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch, streams and graphs: workspaces shared by all reductions and by types, calls under way at once, replays, and
// use after a call that went wrong. Control words are zero after each.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <warpfold/reduce.cuh>

#include "by_key/ways.cuh"
#include "common/interval.hpp"
#include "reduce/stream.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;
using interval = wf_test::interval<>;
using wide = wf_test::interval<std::int32_t, 40>;

namespace {

// Runs across many tiles, some in one, and many in each of others.
const layout& runs() {
  static const layout result = [] {
    constexpr std::int64_t many = wf_test::emulated ? 9'000 : 300'000;
    wf_test::lengths all{many, 7, 3 * many + 1, 1, 300};
    all.resize(400, 3);
    all.push_back(many / 2);
    return layout("", all);
  }();
  return result;
}

template <class T> struct data {
  const std::vector<int> host_keys = wf_test::keys_of<int>(runs());
  const std::vector<T> host_values = wf_test::interval_items<T>(runs().items);
  const device_array<int> keys{host_keys};
  const device_array<T> values{host_values};
  const wf_test::run_list<int, T> expected = wf_test::canonical_runs(host_keys, host_values, wf_test::join{});

  static const data& instance() {
    static const data result;
    return result;
  }
};

/// One call and its results.
template <class T> class call {
 public:
  template <class Op = wf_test::join, class Equal = wf::equal_to>
  void enqueue(cudaStream_t stream, wf::workspace_ref workspace = {}, int max_blocks = 0, Op op = {},
               Equal equal = {}) const {
    const auto& in = data<T>::instance();
    wf::reduce_by_key(in.keys.items(), in.values.items(), out_.keys(), out_.values(), out_.count(), op, equal,
                      {.stream = stream, .workspace = workspace, .max_blocks = max_blocks});
  }
  testing::AssertionResult is_right() const { return out_.hold(data<T>::instance().expected); }
  void clear() const { out_.clear(); }

 private:
  wf_test::by_key_outputs<int, T, int> out_{runs().segments() + 3};
};

template <class T> void expect_right(cudaStream_t stream, wf::workspace_ref workspace = {}, int max_blocks = 0) {
  const call<T> one;
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  one.enqueue(stream, workspace, max_blocks);
  wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  EXPECT_TRUE(one.is_right()) << sizeof(T) << " bytes, max_blocks " << max_blocks;
  if (!workspace.bytes.empty()) {
    EXPECT_TRUE(wf_test::is_cleared(workspace.bytes)) << sizeof(T) << " bytes, max_blocks " << max_blocks;
  }
}

void expect_others_right(cudaStream_t stream, wf::workspace_ref workspace, int max_blocks) {
  const auto& values = data<interval>::instance().values;
  const std::int64_t items = runs().items;
  const device_array<interval> out(1), outs(3);
  const device_array<std::int64_t> offsets(std::vector<std::int64_t>{0, items / 3, items / 2, items});
  wf::reduce(values.items(), out.data(), wf_test::join{},
             {.stream = stream, .workspace = workspace, .max_blocks = max_blocks});
  wf::segmented_reduce(values.items(), offsets.items(), std::span(outs.data(), 3), wf_test::join{},
                       {.stream = stream, .empty = interval::of(-5), .workspace = workspace, .max_blocks = max_blocks});
  wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  EXPECT_EQ(out.value(), interval::of(0, items - 1));
  EXPECT_EQ(outs.value(0), interval::of(0, items / 3 - 1));
  EXPECT_EQ(outs.value(2), interval::of(items / 2, items - 1));
}

TEST(reduce_by_key_workspaces, shared_with_other_reductions_and_by_types) {
  const wf_test::stream stream;
  const wf::workspace own(sizeof(wide));
  const device_array<std::byte> callers(static_cast<std::int64_t>(wf::workspace_bytes<wide>()));
  wf::check(cudaMemset(callers.data(), 0xa5, callers.size()), "cudaMemset");
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const std::span bytes(callers.data(), callers.size());
  const wf::workspace_ref initialized = wf::initialize_workspace(bytes, stream);
  stream.wait();
  for (const wf::workspace_ref scratch : {wf::workspace_ref{}, wf::workspace_ref{own}, initialized})
    for (const int max_blocks : {0, 1, 5}) {
      expect_right<interval>(stream, scratch, max_blocks);
      expect_others_right(stream, scratch, max_blocks);
      expect_right<wide>(stream, scratch, max_blocks);
    }
}

TEST(reduce_by_key_workspaces, exactly_what_is_asked_for) {
  const auto expect_enough = [&]<class T>(T) {
    const std::size_t needed = wf::by_key::scratch(sizeof(T)).workspace_bytes();
    const device_array<std::byte> bytes(static_cast<std::int64_t>(needed));
    wf::check(cudaMemset(bytes.data(), 0xa5, needed), "cudaMemset");
    const wf::workspace_ref scratch = wf::initialize_workspace({bytes.data(), needed});
    for (const int max_blocks : {0, 1, 2, 7}) expect_right<T>({}, scratch, max_blocks);
  };
  expect_enough(interval{});
  expect_enough(wide{});
}

// Room for accumulators of so many bytes is room for smaller ones, whatever these are aligned to.
TEST(reduce_by_key_workspaces, suffice_for_smaller_accumulators) {
  std::size_t most = 0;
  for (std::size_t bytes = 1; bytes <= 1024; ++bytes) {
    most = std::max(most, wf::by_key::scratch(bytes).workspace_bytes());
    EXPECT_GE(wf::detail::any_workspace_bytes(bytes), most) << bytes;
  }
}

TEST(reduce_by_key_streams, calls_under_way_at_once) {
  constexpr int streams = 4, calls = wf_test::emulated ? 2 : 20;
  const wf_test::stream on[streams];
  const wf::workspace workspaces[2];
  data<interval>::instance();
  const call<interval> made[streams][calls];
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (int i = 0; i < calls; ++i)
    for (int s = 0; s < streams; ++s)
      made[s][i].enqueue(on[s], s < 2 ? wf::workspace_ref{workspaces[s]} : wf::workspace_ref{}, i % 3 == 2 ? 5 : 0);
  for (int s = 0; s < streams; ++s) {
    on[s].wait();
    for (const auto& one : made[s]) EXPECT_TRUE(one.is_right()) << "stream " << s;
  }
}

TEST(reduce_by_key_graph, one_node_that_runs_at_each_replay) {
  data<interval>::instance();  // allocated before the capture
  const wf::workspace workspace;
  const wf_test::stream stream, eager;
  for (const wf::workspace_ref scratch : {wf::workspace_ref{}, wf::workspace_ref{workspace}}) {
    const call<interval> recorded, between;
    const wf_test::graph graph([&](cudaStream_t s) { recorded.enqueue(s, scratch); });
    EXPECT_EQ(graph.nodes(), 1u);
    EXPECT_FALSE(recorded.is_right()) << "nothing runs before the launch";
    for (int replay = 0; replay < 4; ++replay) {
      recorded.clear(), between.clear();
      wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      graph.launch(stream);
      between.enqueue(eager);  // overlaps the replay, with scratch of its own
      stream.wait();
      eager.wait();
      EXPECT_TRUE(recorded.is_right()) << "replay " << replay;
      EXPECT_TRUE(between.is_right()) << "replay " << replay;
    }
  }
}

// Keys, and so the number of runs, may change between replays: the host has never seen them.
TEST(reduce_by_key_graph, replays_follow_the_keys) {
  constexpr std::int64_t items = wf_test::emulated ? 20'000 : 2'000'000;
  const auto intervals = wf_test::interval_items<interval>(items);
  const device_array<interval> values(intervals);
  const device_array<int> keys(items);
  const wf_test::by_key_outputs<int, interval, int> out(items);
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::reduce_by_key(keys.items(), values.items(), out.keys(), out.values(), out.count(), wf_test::join{},
                      {.stream = s});
  });
  const wf_test::stream stream;
  for (const std::int64_t length : {std::int64_t{1}, std::int64_t{37}, items / 2, items, std::int64_t{3000}}) {
    std::vector<int> now;
    for (std::int64_t i = 0; i < items; ++i) now.push_back(static_cast<int>(i / length));
    wf::check(cudaMemcpy(keys.data(), now.data(), now.size() * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
    out.clear();
    wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    graph.launch(stream);
    stream.wait();
    EXPECT_TRUE(out.hold(wf_test::canonical_runs(now, intervals, wf_test::join{}))) << "runs of " << length;
  }
}

#if defined(WARPFOLD_EMULATOR)
// Only the emulator lets operators and equalities throw. The kernel stops midway, when some tiles have been counted.
struct join_until {
  std::int64_t end;
  interval operator()(const interval& a, const interval& b) const {
    if (b.last >= end) throw std::domain_error("operator");
    return wf_test::join{}(a, b);
  }
};
struct equal_for_a_while {
  int* asked;
  int most;
  bool operator()(int a, int b) const {
    if (++*asked > most) throw std::domain_error("equality");
    return a == b;
  }
};

TEST(reduce_by_key_workspaces, survive_what_throws) {
  const wf::workspace workspace;
  const call<interval> one;
  const int items = static_cast<int>(runs().items);
  for (const wf::workspace_ref scratch : {wf::workspace_ref{workspace}, wf::workspace_ref{}})
    for (const int max_blocks : {0, 1, 3})
      for (std::uint64_t seed = 1; seed <= 2; ++seed)
        for (const int at : {1, items / 2, items - 1}) {
          const wf_test::schedule_seed scheduled(seed);
          int asked = 0;
          const equal_for_a_while equal{&asked, at - 1};
          EXPECT_THROW(one.enqueue({}, scratch, max_blocks, join_until{at}), std::domain_error)
              << at << ", seed " << seed;
          expect_right<interval>({}, scratch, max_blocks);
          EXPECT_THROW(one.enqueue({}, scratch, max_blocks, {}, equal), std::domain_error) << at << ", seed " << seed;
          expect_right<interval>({}, scratch, max_blocks);
        }
}
#endif

}  // namespace
