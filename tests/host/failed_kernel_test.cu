// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that stops midway, which on a GPU is the end of the process and in the emulator an exception: the scratch
// must be fit for the next call.
#include <gtest/gtest.h>

#include <optional>
#include <vector>
#include <warpfold/reduce.cuh>

#include "common/device.cuh"
#include "common/samples.hpp"
#include "reduce/stream.cuh"

namespace {

namespace wf = warpfold;

constexpr int fatal = -1;

struct plus_unless_fatal {
  __device__ int operator()(int a, int b) const {
    if (a == fatal || b == fatal) __trap();
    return a + b;
  }
};

/// A new value each time shows partial results of an earlier launch.
void fill(const wf_test::device_array<int>& in, int each) {
  const std::vector<int> values(in.size(), each);
  wf::check(cudaMemcpy(in.data(), values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
}

class failed_kernel : public testing::TestWithParam<int> {
 protected:
  const int items_ = GetParam();
  wf_test::device_array<int> in_{std::vector<int>(static_cast<std::size_t>(items_), 1)};
  wf_test::device_array<int> out_{std::vector<int>{0}};

  /// Fails in the middle, at the end and at the beginning, under several schedules, each time followed by a call that
  /// must be right.
  template <class Call> void expect_recovery(Call call) {
    int each = 1;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(wf_test::share_of(3)); ++seed)
      for (const int at : {items_ / 2, items_ - 1, 0}) {
        const wf_test::schedule_seed scheduled(seed);
        fill(in_, ++each);
        in_.set(at, fatal);
        EXPECT_THROW(call(), cuda_emulator::error);
        fill(in_, ++each);
        call();
        ASSERT_EQ(out_.value(), items_ * each) << "after a failure at " << at << ", seed " << seed;
      }
  }
};

TEST_P(failed_kernel, leaves_the_default_workspace_usable) {
  expect_recovery([&] { wf::reduce(in_.items(), out_.data(), plus_unless_fatal{}); });
}

TEST_P(failed_kernel, leaves_a_workspace_usable) {
  const wf::workspace scratch;
  expect_recovery([&] { wf::reduce(in_.items(), out_.data(), plus_unless_fatal{}, {.workspace = scratch}); });
}

/// A launch of a graph fails. Then the same graph must give the right sum or, in every other schedule, one that is
/// captured after it is gone and that gets its scratch.
template <class Sum> void expect_recovery_of_graphs(Sum sum, const wf_test::device_array<int>& in) {
  const auto items = static_cast<int>(in.size());
  int each = 1;
  const wf_test::stream stream;
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    for (const int at : {items / 2, items - 1, 0}) {
      const wf_test::schedule_seed scheduled(seed);
      const wf_test::device_array<int> out(std::vector<int>{0});
      const auto record = [&](cudaStream_t recorder) { sum(out.data(), recorder); };
      std::optional<wf_test::graph> recorded(record);
      fill(in, ++each);
      wf::check(cudaMemset(in.data() + at, 0xFF, sizeof fatal), "cudaMemset");
      EXPECT_THROW(recorded->launch(stream), cuda_emulator::error);
      fill(in, ++each);
      if (seed % 2 == 0) {
        recorded.reset();
        recorded.emplace(record);
      }
      recorded->launch(stream);
      ASSERT_EQ(out.value(), items * each) << "after a failure at " << at << ", seed " << seed;
    }
}

TEST_P(failed_kernel, leaves_the_scratch_of_a_graph_usable) {
  expect_recovery_of_graphs(
      [&](int* out, cudaStream_t stream) { wf::reduce(in_.items(), out, plus_unless_fatal{}, {.stream = stream}); },
      in_);
}

TEST_P(failed_kernel, leaves_a_graphs_workspace_usable) {
  const wf::workspace scratch;
  expect_recovery_of_graphs(
      [&](int* out, cudaStream_t stream) {
        wf::reduce(in_.items(), out, plus_unless_fatal{}, {.stream = stream, .workspace = scratch});
      },
      in_);
}

// One block, one cluster, a wave and shares, on the emulated device.
INSTANTIATE_TEST_SUITE_P(sizes, failed_kernel, testing::Values(1000, 20000, 100000, 400000));

}  // namespace
