// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and handles are as before, whichever functions were called, however often, and whatever failed.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "common/samples.hpp"
#include "host/every_function.cuh"
#include "reduce/stream.cuh"

namespace {

using namespace wf_test;
using where = every_function::where;

/// The memory that the process holds. On a GPU other programs may allocate and free meanwhile.
struct holdings {
  std::int64_t device_bytes = 0, objects = 0;

  static holdings now() {
    std::size_t free = 0, total = 0;
    wf::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    holdings result{static_cast<std::int64_t>(total - free)};
#if !defined(__CUDACC__)
    namespace e = cuda_emulator;
    result.objects = static_cast<std::int64_t>(e::allocations().size() + e::tables().streams.size() +
                                               e::tables().captures.size() + e::graphs().size() +
                                               e::executables().size() + e::user_objects().size() + e::events().size());
#endif
    return result;
  }
};

/// Expects that `body` holds no more memory after it has run a few times: of a few further runs, one does not grow.
template <class Body> void expect_no_growth(const std::string& what, Body body) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  holdings least{most, most};
  for (int i = 0; i < 3 && (least.device_bytes > 0 || least.objects > 0); ++i) {
    const holdings before = holdings::now();
    body();
    const holdings after = holdings::now();
    least.device_bytes = std::min(least.device_bytes, after.device_bytes - before.device_bytes);
    least.objects = std::min(least.objects, after.objects - before.objects);
  }
  EXPECT_LE(least.device_bytes, 0) << what;
  EXPECT_LE(least.objects, 0) << what;
}

/// As much scratch as any function needs.
constexpr wf::host_side::scratch_need whole{wf::host_side::feature_control_bytes, std::size_t{1} << 22};

class leaks : public testing::Test {
 protected:
  /// From here on, new streams take slots that are idle.
  static void SetUpTestSuite() {
    for (std::size_t i = 0; i <= wf::host_side::workspace_pool::kept_slots; ++i) {
      const stream next;
      const wf::host_side::call_scratch used(wf::host_side::current_device(), next, whole);
    }
  }
  ~leaks() override { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }

  /// Calls each function that can be captured, or all.
  template <class Test> void for_each(bool captured, Test test) {
    for (const auto& function : functions_.all())
      if (!captured || !function.waits) test(function);
  }

  const every_function functions_;
};

const std::int64_t streams = wf_test::share_of(200), graphs = wf_test::share_of(50);

TEST_F(leaks, streams_leave_nothing) {
  const auto count = std::ssize(functions_.all());
  for_each(false, [&](const every_function::function& f) {
    expect_no_growth(f.name, [&] {
      for (std::int64_t i = 0; i < streams / count + 1; ++i) {
        const stream next;
        f.call({next, {}});
        next.wait();
      }
    });
  });
}

TEST_F(leaks, graphs_leave_nothing) {
  for_each(true, [&](const every_function::function& f) {
    expect_no_growth(f.name, [&] {
      const stream on;
      const graph recorded([&](cudaStream_t recorder) { f.call({recorder, {}}); });
      for (int i = 0; i < 2; ++i) recorded.launch(on);
      on.wait();
    });
  });
}

TEST_F(leaks, graphs_of_all_functions_leave_nothing) {
  expect_no_growth("all", [&] {
    for (std::int64_t i = 0; i < graphs; ++i) {
      const graph recorded([&](cudaStream_t recorder) {
        for_each(true, [&](const every_function::function& f) { f.call({recorder, {}}); });
      });
      EXPECT_GT(recorded.nodes(), 0u);
    }
  });
}

/// A capture that a wait has spoiled: CUDA refuses every launch on the stream.
class spoiled_capture {
 public:
  spoiled_capture() {
    wf::check(cudaStreamBeginCapture(on, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    EXPECT_NE(cudaStreamSynchronize(on), cudaSuccess);
    (void)cudaGetLastError();
  }
  ~spoiled_capture() {
    cudaGraph_t none{};
    EXPECT_EQ(cudaStreamEndCapture(on, &none), cudaErrorStreamCaptureInvalidated);
    (void)cudaGetLastError();
  }
  stream on;
};

TEST_F(leaks, refused_launches_leave_nothing) {
  const wf::workspace scratch(256);
  for_each(true, [&](const every_function::function& f) {
    expect_no_growth(f.name, [&] {
      const spoiled_capture spoiled;
      EXPECT_THROW(f.call({spoiled.on, {}}), wf::cuda_error) << f.name;
      EXPECT_THROW(f.call({spoiled.on, scratch}), wf::cuda_error) << f.name;
    });
  });
}

#if !defined(__CUDACC__)
TEST_F(leaks, failed_launches_leave_nothing) {
  const cuda_emulator::scoped_settings settings;
  for_each(false, [&](const every_function::function& f) {
    expect_no_growth(f.name, [&] {
      const stream next;
      settings->launch_error = cudaErrorLaunchOutOfResources;
      EXPECT_THROW(f.call({next, {}}), wf::cuda_error) << f.name;
      if (!f.waits) {
        EXPECT_THROW(graph([&](cudaStream_t recorder) { f.call({recorder, {}}); }), wf::cuda_error) << f.name;
      }
      settings->launch_error = cudaSuccess;
      f.call({next, {}});
    });
  });
}

/// Whether allocations fail at last while `hold` keeps taking scratch.
template <class Hold> bool runs_out_of_memory(Hold hold) {
  const cuda_emulator::scoped_settings settings;
  settings->device_bytes = static_cast<std::size_t>(holdings::now().device_bytes);
  for (int i = 0; i < 500; ++i) try {
      hold();
    } catch (const wf::cuda_error& e) {
      EXPECT_EQ(e.code(), cudaErrorMemoryAllocation);
      return true;
    }
  return false;
}

TEST_F(leaks, failed_allocations_leave_nothing) {
  int refused = 0;
  for_each(true, [&](const every_function::function& f) {
    expect_no_growth(f.name, [&] {
      std::deque<graph> held;
      refused += runs_out_of_memory([&] { held.emplace_back([&](cudaStream_t on) { f.call({on, {}}); }); });
    });
  });
  EXPECT_GT(refused, 25) << "at least so many functions need scratch";
  expect_no_growth("streams", [] {
    std::deque<stream> streams;
    std::deque<wf::host_side::call_scratch> held;  // calls that are under way
    EXPECT_TRUE(
        runs_out_of_memory([&] { held.emplace_back(wf::host_side::current_device(), streams.emplace_back(), whole); }));
  });
}

TEST_F(leaks, failed_kernels_leave_nothing) {
  const cuda_emulator::scoped_settings settings;
  for_each(false, [&](const every_function::function& f) {
    expect_no_growth(f.name, [&] {
      const stream next;
      std::optional<graph> recorded;
      if (!f.waits) recorded.emplace([&](cudaStream_t recorder) { f.call({recorder, {}}); });
      settings->failing_thread = 40;
      EXPECT_THROW(f.call({next, {}}), cuda_emulator::error) << f.name;
      if (recorded) {
        EXPECT_THROW(recorded->launch(next), cuda_emulator::error) << f.name;
      }
      settings->failing_thread = -1;
      f.call({next, {}});
    });
  });
}
#endif

}  // namespace
