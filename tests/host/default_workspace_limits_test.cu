// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The default workspace and the host's memory beside other threads, graphs, refused calls, and streams without end.
#include <warpfold/host/call_frame.cuh>
#include <warpfold/reduce.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "common/device.cuh"
#include "common/samples.hpp"
#include "reduce/stream.cuh"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

/// The bytes of the device that are in use. Other programs may allocate and free meanwhile.
std::int64_t used_bytes() {
  std::size_t free = 0, total = 0;
  wf::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(total - free);
}

/// How many bytes `body` adds to those in use: the least of a few runs.
template <class Body> std::int64_t growth(Body body) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = used_bytes();
    body();
    least = std::min(least, used_bytes() - before);
  }
  return least;
}

/// A sum that needs scratch: one block folds several tiles.
struct sum_with_scratch {
  static constexpr int count = 20000;
  const device_array<int> in{std::vector<int>(count, 1)};
  device_array<int> out{1};
  void enqueue(cudaStream_t stream) const {
    wf::reduce(in.items(), out.data(), wf::plus{}, {.stream = stream, .max_blocks = 2});
  }
  void expect() const { EXPECT_EQ(out.value(), count); }
};

/// Runs `call` in a thread; ends the process if it has not returned after a minute.
template <class Call> void within_a_minute(Call call) {
  auto done = std::async(std::launch::async, call);
  if (done.wait_for(std::chrono::minutes(1)) == std::future_status::ready) return done.get();
  std::cerr << "deadlock" << std::endl;
  std::_Exit(EXIT_FAILURE);
}

TEST(default_workspace, does_not_lock_out_the_thread_that_destroys_graphs) {
  within_a_minute([] {
    std::atomic<bool> over = false;
    std::thread destroys([&] {
      const wf_test::stream stream;
      const sum_with_scratch sum;
      while (!over) {
        cudaGraph_t graph{};
        wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
        sum.enqueue(stream);
        wf::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
        wf::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
      }
    });
    const sum_with_scratch sum;
    for (std::int64_t i = wf_test::share_of(1000); i > 0; --i) {
      const wf_test::stream stream;
      sum.enqueue(stream);
      stream.wait();
    }
    over = true;
    destroys.join();
    sum.expect();
  });
}

TEST(default_workspace, holds_bounded_memory_however_many_streams_come_and_go) {
  const sum_with_scratch sum;
  const std::int64_t grown = growth([&] {
    for (std::int64_t i = wf_test::share_of(300); i > 0; --i) {
      const wf_test::stream stream;
      sum.enqueue(stream);
      stream.wait();
      sum.expect();
    }
  });
  EXPECT_LE(grown, 0);  // after the first time
}

TEST(default_workspace, living_streams_share_slots_only_when_they_are_idle) {
  constexpr std::size_t streams = 50;
  std::vector<sum_with_scratch> sums(streams);
  std::vector<std::optional<wf_test::stream>> on(streams);
  for (auto& stream : on) stream.emplace();
  for (int round = 0; round < 3; ++round) {
    for (std::size_t s = 0; s < streams; ++s) sums[s].enqueue(*on[s]);
    for (std::size_t s = 0; s < streams; ++s) {
      on[s]->wait();
      sums[s].expect();
      sums[s].out.set(0, -1);
    }
  }
}

/// As much as any function needs.
constexpr wf::host_side::scratch_need whole{wf::host_side::feature_control_bytes, std::size_t{1} << 21};

/// The scratch of a call on `stream`, which ends with it.
unsigned* scratch_of(cudaStream_t stream) {
  return wf::host_side::call_scratch(wf::host_side::current_device(), stream, whole).ticket();
}
unsigned* scratch_of_new_stream() {
  const wf_test::stream stream;
  return scratch_of(stream);
}
/// From here on, new streams take slots that are idle.
void use_up_kept_slots() {
  for (std::size_t i = 0; i <= wf::host_side::workspace_pool::kept_slots; ++i) scratch_of_new_stream();
}
bool is_recycled(const unsigned* scratch) {
  for (int i = 0; i < 100; ++i)
    if (scratch_of_new_stream() == scratch) return true;
  return false;
}

TEST(default_workspace, is_not_recycled_before_the_call_ends) {
  use_up_kept_slots();
  const unsigned* scratch = nullptr;
  {
    const wf_test::stream stream;
    const wf::host_side::call_scratch used(wf::host_side::current_device(), stream, whole);
    scratch = used.ticket();
    EXPECT_EQ(scratch_of(stream), scratch) << "another call on the same stream";
    EXPECT_FALSE(is_recycled(scratch));
  }
  EXPECT_TRUE(is_recycled(scratch));
}

#if defined(__CUDACC__)  // the emulator does not return before the work is done
TEST(default_workspace, is_not_recycled_before_the_kernel_ends) {
  use_up_kept_slots();
  std::atomic<bool> may_end = false;
  const auto wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
  };
  const wf_test::stream stream;
  const unsigned* scratch = nullptr;
  {
    const wf::host_side::call_scratch used(wf::host_side::current_device(), stream, whole);
    scratch = used.ticket();
    wf::check(cudaLaunchHostFunc(stream, wait, &may_end), "cudaLaunchHostFunc");
  }
  EXPECT_FALSE(is_recycled(scratch));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "that an event is not ready is no error of the caller's";
  may_end = true;
  stream.wait();
  EXPECT_TRUE(is_recycled(scratch));
}
#endif

TEST(default_workspace, serves_streams_of_many_threads_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      sum_with_scratch sum;
      for (int i = 0; i < 50; ++i) {
        const wf_test::stream stream;
        for (int call = 0; call < 2; ++call) {
          sum.enqueue(stream);
          stream.wait();
          sum.expect();
          sum.out.set(0, -1);
        }
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST(default_workspace, is_not_taken_by_calls_on_an_invalidated_capture) {
  const sum_with_scratch sum;
  const wf_test::stream stream;
  wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
  (void)cudaGetLastError();
  const std::int64_t grown = growth([&] {
    for (int i = 0; i < 20; ++i) try {
        sum.enqueue(stream);
        ADD_FAILURE() << "accepted";
      } catch (const wf::cuda_error& refused) {
        EXPECT_EQ(refused.code(), cudaErrorStreamCaptureInvalidated);
      }
  });
  EXPECT_LE(grown, 0);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  cudaGraph_t graph{};
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  (void)cudaGetLastError();
  sum.enqueue(stream);
  stream.wait();
  sum.expect();
}

TEST(default_workspace_limits, is_allowed_while_another_thread_captures_and_leaves_its_capture_valid) {
  const device_array<int> in(std::vector<int>(1000, 1));
  const wf_test::stream captured;
  wf::check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  std::thread([&] {
    const wf_test::stream stream;
    EXPECT_NO_THROW(EXPECT_EQ(wf::reduce_value(in.items(), wf::plus{}, {.stream = stream}), 1000));
  }).join();  // its pinned memory is freed when it ends
  cudaStreamCaptureStatus status{};
  wf::check(cudaStreamIsCapturing(captured, &status), "cudaStreamIsCapturing");
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
