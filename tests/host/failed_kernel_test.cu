// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that stops midway, which on a GPU is the end of the process and in the emulator an exception: the scratch
// must be fit for the next call.
#include <gtest/gtest.h>

#include <vector>
#include <warpfold/reduce.cuh>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;

constexpr int fatal = -1;

struct plus_unless_fatal {
  __device__ int operator()(int a, int b) const {
    if (a == fatal || b == fatal) __trap();
    return a + b;
  }
};

class FailedKernel : public testing::TestWithParam<int> {
 protected:
  const int items_ = GetParam();
  wf_test::device_array<int> in_{std::vector<int>(static_cast<std::size_t>(items_), 1)};
  wf_test::device_array<int> out_{std::vector<int>{0}};

  /// Fails in the middle, at the end and at the beginning, under several schedules, each time followed by a call that
  /// must be right.
  template <class Call> void expect_recovery(Call call) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      for (const int at : {items_ / 2, items_ - 1, 0}) {
        const wf_test::schedule_seed scheduled(seed);
        in_.set(at, fatal);
        EXPECT_THROW(call(), cuda_emulator::error);
        in_.set(at, 1);
        out_.set(0, 0);
        call();
        ASSERT_EQ(out_.value(), items_) << "after a failure at " << at << ", seed " << seed;
      }
  }
};

TEST_P(FailedKernel, LeavesTheDefaultWorkspaceUsable) {
  expect_recovery([&] { wf::reduce(in_.items(), out_.data(), plus_unless_fatal{}); });
}

TEST_P(FailedKernel, LeavesAWorkspaceUsable) {
  const wf::workspace scratch;
  expect_recovery([&] { wf::reduce(in_.items(), out_.data(), plus_unless_fatal{}, {.workspace = scratch}); });
}

// One block, one cluster, a wave and shares, on the emulated device.
INSTANTIATE_TEST_SUITE_P(Sizes, FailedKernel, testing::Values(1000, 20000, 100000, 400000));

}  // namespace
