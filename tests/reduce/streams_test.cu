// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many calls under way at once: streams, host threads, workspaces; and the order of calls in one stream.
#include <gtest/gtest.h>

#include <thread>

#include "common/interval.hpp"
#include "reduce/stream.cuh"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join;

namespace {

using device_intervals = wf_test::device_array<interval<>>;

constexpr std::int64_t count = wf_test::emulated ? 60'007 : 6'000'007;
constexpr int calls = wf_test::emulated ? 3 : 50;

const device_intervals& input() {
  static const device_intervals in(wf_test::interval_items(count));
  return in;
}

/// Enqueues `calls` reductions of parts of the input, each to a place of its own, and tells which came out right.
class batch_of_calls {
 public:
  void enqueue(cudaStream_t stream, wf::workspace_ref workspace = {}) {
    for (int i = 0; i < calls; ++i)
      wf::reduce(input().data() + i, count - 2 * i, out_.data() + i, join{},
                 {.stream = stream, .workspace = workspace, .max_blocks = i % 3 == 2 ? 5 : 0});
  }
  std::vector<interval<>> results() const { return out_.to_host(); }
  static std::vector<interval<>> expected() {
    std::vector<interval<>> all;
    for (int i = 0; i < calls; ++i) all.push_back(interval<>::of(i, count - i - 1));
    return all;
  }

 private:
  device_intervals out_{calls};
};

TEST(reduce_streams, default_workspaces_of_many_streams) {
  const wf_test::stream streams[6];
  batch_of_calls batches[6];
  for (int i = 0; i < 6; ++i) batches[i].enqueue(streams[i]);
  for (int i = 0; i < 6; ++i) {
    streams[i].wait();
    EXPECT_EQ(batches[i].results(), batch_of_calls::expected()) << "stream " << i;
  }
}

TEST(reduce_streams, a_workspace_each) {
  const wf_test::stream streams[4];
  const wf::workspace workspaces[4];
  batch_of_calls batches[4];
  for (int i = 0; i < 4; ++i) batches[i].enqueue(streams[i], workspaces[i]);
  for (int i = 0; i < 4; ++i) {
    streams[i].wait();
    EXPECT_EQ(batches[i].results(), batch_of_calls::expected()) << "stream " << i;
  }
}

// A new stream may get the handle of one that is gone, while work of that one still runs.
TEST(reduce_streams, streams_that_come_and_go) {
  std::vector<batch_of_calls> batches(10);
  for (batch_of_calls& batch : batches) batch.enqueue(wf_test::stream());
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (const batch_of_calls& batch : batches) EXPECT_EQ(batch.results(), batch_of_calls::expected());
}

class reduce_threads : public testing::Test {
 protected:
  static constexpr int threads = 4;

  // Gives each host thread a batch, lets all enqueue at once, and then looks.
  template <class Enqueue> void run(Enqueue enqueue) {
    input();
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([this, t, &enqueue] {
        enqueue(batches_[t], t);
        wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      });
    for (std::thread& thread : running) thread.join();
    for (int t = 0; t < threads; ++t) EXPECT_EQ(batches_[t].results(), batch_of_calls::expected()) << "thread " << t;
  }

 private:
  batch_of_calls batches_[threads];
};

TEST_F(reduce_threads, a_stream_each) {
  const wf_test::stream streams[threads];
  run([&](batch_of_calls& batch, int t) { batch.enqueue(streams[t]); });
}
TEST_F(reduce_threads, one_stream_for_all) {
  const wf_test::stream stream;
  run([&](batch_of_calls& batch, int) { batch.enqueue(stream); });
}
TEST_F(reduce_threads, the_default_stream) {
  run([](batch_of_calls& batch, int) { batch.enqueue({}); });
}
TEST_F(reduce_threads, per_thread_default_streams) {  // one handle, another stream in each thread
  run([](batch_of_calls& batch, int) { batch.enqueue(cudaStreamPerThread); });
}
TEST_F(reduce_threads, a_workspace_each) {
  run([](batch_of_calls& batch, int) {
    const wf::workspace workspace;
    batch.enqueue(cudaStreamPerThread, workspace);
    wf::check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
  });
}

// Each call takes the result of the one before it as its init.
TEST(reduce_streams, calls_follow_one_another) {
  const wf_test::stream stream;
  const wf::workspace workspace;
  const std::int64_t pieces = 12, piece = count / pieces;
  for (const wf::workspace_ref scratch : {wf::workspace_ref{}, wf::workspace_ref{workspace}}) {
    device_intervals results(pieces + 1);
    results.set(0, interval<>::of(-1));
    for (std::int64_t i = 0; i < pieces; ++i)
      wf::reduce(input().data() + i * piece, piece, results.data() + i + 1, join{},
                 {.stream = stream,
                  .init = static_cast<const interval<>*>(results.data() + i),
                  .workspace = scratch,
                  .max_blocks = i % 2 == 0 ? 0 : 3});
    stream.wait();
    for (std::int64_t i = 0; i < pieces; ++i)
      EXPECT_EQ(results.value(i + 1), interval<>::of(-1, (i + 1) * piece - 1)) << i;
  }
}

// Events order two streams that share a workspace.
TEST(reduce_streams, events_order_streams) {
  const wf_test::stream first, second;
  const wf_test::event done;
  const wf::workspace workspace;
  batch_of_calls batches[2];
  batches[0].enqueue(first, workspace);
  done.record(first);
  done.make_wait(second);
  batches[1].enqueue(second, workspace);
  first.wait();
  second.wait();
  for (const batch_of_calls& batch : batches) EXPECT_EQ(batch.results(), batch_of_calls::expected());
}

}  // namespace
