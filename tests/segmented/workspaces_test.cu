// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch, streams and graphs: workspaces shared by reduce and segmented_reduce and by types, calls under way at once,
// replays, and use after a call that went wrong. Counters are zero after each.
#include <gtest/gtest.h>

#include <stdexcept>
#include <warpfold/reduce.cuh>

#include "common/interval.hpp"
#include "reduce/stream.cuh"
#include "segmented/ways.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;
using interval = wf_test::interval<>;
using wide = wf_test::interval<std::int32_t, 40>;

namespace {

// Segments that many warps share, and some that they do not.
const layout& where() {
  constexpr std::int64_t many = wf_test::emulated ? 9'000 : 300'000;
  static const layout result("", {many, 0, 7, 3 * many + 1, 1, 0, 300, many / 2});
  return result;
}

template <class T> struct data {
  const device_array<T> in{wf_test::interval_items<T>(where().items)};
  const device_array<int> offsets{where().offsets<int>()};

  static const data& instance() {
    static const data result;
    return result;
  }
};

/// One call and its results.
template <class T> class call {
 public:
  void enqueue(cudaStream_t stream, wf::workspace_ref workspace = {}, int max_blocks = 0) const {
    const auto& [in, offsets] = data<T>::instance();
    wf::segmented_reduce(in.items(), offsets.items(), std::span(out_.data(), out_.size()), wf_test::join{},
                         {.stream = stream, .empty = T::of(-5), .workspace = workspace, .max_blocks = max_blocks});
  }
  testing::AssertionResult is_right() const {
    std::vector<T> expected;
    for (std::size_t s = 0; s < where().begins.size(); ++s)
      expected.push_back(where().begins[s] == where().ends[s] ? T::of(-5)
                                                              : T::of(where().begins[s], where().ends[s] - 1));
    return wf_test::same_segments(out_.to_host(), expected);
  }
  void clear() const { wf::check(cudaMemset(out_.data(), 0x5a, out_.size() * sizeof(T)), "cudaMemset"); }

 private:
  device_array<T> out_{where().segments()};
};

template <class T> void expect_right(cudaStream_t stream, wf::workspace_ref workspace = {}, int max_blocks = 0) {
  const call<T> one;
  one.enqueue(stream, workspace, max_blocks);
  wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  EXPECT_TRUE(one.is_right()) << sizeof(T) << " bytes, max_blocks " << max_blocks;
  if (!workspace.bytes.empty()) {
    EXPECT_TRUE(wf_test::is_cleared(workspace.bytes)) << sizeof(T) << " bytes, max_blocks " << max_blocks;
  }
}

void expect_reduced(cudaStream_t stream, wf::workspace_ref workspace, int max_blocks) {
  const auto& in = data<interval>::instance().in;
  const device_array<interval> out(1);
  wf::reduce(in.items(), out.data(), wf_test::join{},
             {.stream = stream, .workspace = workspace, .max_blocks = max_blocks});
  wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  EXPECT_EQ(out.value(), interval::of(0, where().items - 1));
}

TEST(segmented_reduce_workspaces, shared_with_reduce_and_by_types) {
  const wf_test::stream stream;
  const wf::workspace own(sizeof(wide));
  const device_array<std::byte> callers(static_cast<std::int64_t>(wf::workspace_bytes<wide>()));
  wf::check(cudaMemset(callers.data(), 0xa5, callers.size()), "cudaMemset");
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const wf::workspace_ref initialized = wf::initialize_workspace({callers.data(), callers.size()}, stream);
  stream.wait();
  for (const wf::workspace_ref scratch : {wf::workspace_ref{}, wf::workspace_ref{own}, initialized})
    for (int round = 0; round < 6; ++round) {
      expect_right<interval>(stream, scratch, round % 3 * 3);
      expect_reduced(stream, scratch, round % 2);
      expect_right<wide>(stream, scratch, round % 2 * 5);
    }
}

TEST(segmented_reduce_workspaces, exactly_what_is_asked_for) {
  const std::size_t needed = wf::segmented::scratch(sizeof(wide)).workspace_bytes();
  const device_array<std::byte> bytes(static_cast<std::int64_t>(needed));
  const wf::workspace_ref scratch = wf::initialize_workspace({bytes.data(), needed});
  for (const int max_blocks : {0, 1, 2, 7}) expect_right<wide>({}, scratch, max_blocks);
}

TEST(segmented_reduce_streams, calls_under_way_at_once) {
  constexpr int streams = 4, calls = wf_test::emulated ? 2 : 20;
  const wf_test::stream on[streams];
  const wf::workspace workspaces[2];
  const call<interval> made[streams][calls];
  for (int i = 0; i < calls; ++i)
    for (int s = 0; s < streams; ++s)
      made[s][i].enqueue(on[s], s < 2 ? wf::workspace_ref{workspaces[s]} : wf::workspace_ref{}, i % 3 == 2 ? 5 : 0);
  for (int s = 0; s < streams; ++s) {
    on[s].wait();
    for (const auto& one : made[s]) EXPECT_TRUE(one.is_right()) << "stream " << s;
  }
}

TEST(segmented_reduce_graph, one_node_that_runs_at_each_replay) {
  data<interval>::instance();  // allocated before the capture
  const wf::workspace workspace;
  const wf_test::stream stream, eager;
  for (const wf::workspace_ref scratch : {wf::workspace_ref{}, wf::workspace_ref{workspace}}) {
    const call<interval> recorded, between;
    recorded.clear();
    const wf_test::graph graph([&](cudaStream_t s) { recorded.enqueue(s, scratch); });
    EXPECT_EQ(graph.nodes(), 1u);
    EXPECT_FALSE(recorded.is_right()) << "nothing runs before the launch";
    for (int replay = 0; replay < 4; ++replay) {
      recorded.clear();
      graph.launch(stream);
      between.enqueue(eager);  // overlaps the replay, with scratch of its own
      stream.wait();
      eager.wait();
      EXPECT_TRUE(recorded.is_right()) << "replay " << replay;
      EXPECT_TRUE(between.is_right()) << "replay " << replay;
    }
  }
}

// Offsets and lengths may change between replays: the host has never seen them.
TEST(segmented_reduce_graph, replays_follow_the_offsets) {
  const auto& in = data<interval>::instance().in;
  device_array<int> offsets(std::vector<int>{0, 0, 0, 0});
  const device_array<interval> out(3);
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::segmented_reduce(in.items(), offsets.items(), std::span(out.data(), out.size()), wf_test::join{},
                         {.stream = s, .empty = interval::of(-5)});
  });
  const wf_test::stream stream;
  const int all = static_cast<int>(where().items);
  for (const auto& [a, b] : {std::pair{3, 10}, {0, all}, {all / 2, all - 1}, {all, all}}) {
    const int now[] = {0, a, b, all};
    for (int i = 0; i < 4; ++i) offsets.set(i, now[i]);
    graph.launch(stream);
    stream.wait();
    for (int s = 0; s < 3; ++s)
      EXPECT_EQ(out.value(s), now[s] == now[s + 1] ? interval::of(-5) : interval::of(now[s], now[s + 1] - 1))
          << a << ", " << b;
  }
}

#if defined(WARPFOLD_EMULATOR)
// Only the emulator lets an operator throw. The kernel stops midway, when some units have been counted.
struct join_until_poison {
  interval operator()(const interval& a, const interval& b) const {
    if (b.is_poison()) throw std::domain_error("poison");
    return wf_test::join{}(a, b);
  }
};

TEST(segmented_reduce_workspaces, survive_an_operator_that_throws) {
  const wf::workspace workspace;
  auto items = wf_test::interval_items(where().items);
  device_array<interval> in(items), out(where().segments());
  const auto& offsets = data<interval>::instance().offsets;
  for (const wf::workspace_ref scratch : {wf::workspace_ref{workspace}, wf::workspace_ref{}})
    for (const int max_blocks : {0, 1, 3})
      for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (const std::int64_t at : {std::int64_t{1}, where().items / 2, where().items - 1}) {
          const wf_test::schedule_seed scheduled(seed);
          const auto reduce = [&] {
            wf::segmented_reduce(in.items(), offsets.items(), std::span(out.data(), out.size()), join_until_poison{},
                                 {.empty = interval::of(-5), .workspace = scratch, .max_blocks = max_blocks});
          };
          in.set(at, interval::poison());
          EXPECT_THROW(reduce(), std::domain_error) << max_blocks << " blocks, seed " << seed;
          in.set(at, items[static_cast<std::size_t>(at)]);
          expect_right<interval>({}, scratch, max_blocks);
        }
}
#endif

}  // namespace
