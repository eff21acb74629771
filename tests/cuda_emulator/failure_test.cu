// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface for libraries with checks of their own, or with state that a failed kernel would spoil.
#include "emulated.hpp"

namespace {

using namespace emulated;

__global__ void stop_at(unsigned thread, int* state) {
  if (threadIdx.x == 0) *state = 1;
  __syncthreads();
  if (threadIdx.x == thread) em::stop_kernel("item 7 is out of order");
  __syncthreads();
  if (threadIdx.x == 0) *state = 0;
}

TEST(StopKernel, TheLaunchThrowsTheMessage) {
  device_array<int> state(1);
  for_each_seed(5, [&] {
    expect_fault(em::fault::precondition, {"item 7 is out of order", "stop_at", "block (0, 0, 0), thread (5, 0, 0)"},
                 stop_at, shape(1, 64), 5u, state.get());
    EXPECT_EQ(state[0], 1);
    EXPECT_EQ(em::launch(stop_at, shape(1, 64), 64u, state.get()), cudaSuccess);
    EXPECT_EQ(state[0], 0);
  });
}

TEST(StopKernel, IsForKernels) {
  try {
    em::stop_kernel("called by the host");
  } catch (const em::error& e) {
    EXPECT_EQ(e.kind(), em::fault::usage) << e.what();
  }
}

TEST(OnKernelFailure, RestoresAfterAFailureOnly) {
  device_array<int> state(1);
  int restored = 0;
  const auto launch = [&](unsigned thread) {
    const em::on_kernel_failure guard([&] {
      state[0] = 0;
      ++restored;
    });
    EXPECT_EQ(em::launch(stop_at, shape(1, 64), thread, state.get()), cudaSuccess);
  };
  EXPECT_THROW(launch(3), em::error);
  EXPECT_EQ(state[0], 0);
  EXPECT_EQ(restored, 1);
  launch(64);
  EXPECT_EQ(restored, 1);
  try {
    throw 1;
  } catch (int) {  // an exception that was there before is not the launch's
    launch(64);
  }
  EXPECT_EQ(restored, 1);
}

}  // namespace
