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

TEST(stop_kernel, the_launch_throws_the_message) {
  device_array<int> state(1);
  for_each_seed(5, [&] {
    expect_fault(em::fault::precondition, {"item 7 is out of order", "stop_at", "block (0, 0, 0), thread (5, 0, 0)"},
                 stop_at, shape(1, 64), 5u, state.get());
    EXPECT_EQ(state[0], 1);
    EXPECT_EQ(em::launch(stop_at, shape(1, 64), 64u, state.get()), cudaSuccess);
    EXPECT_EQ(state[0], 0);
  });
}

TEST(stop_kernel, is_for_kernels) {
  try {
    em::stop_kernel("called by the host");
  } catch (const em::error& e) {
    EXPECT_EQ(e.kind(), em::fault::usage) << e.what();
  }
}

__global__ void count_up(int* count) { atomicAdd(count, 1); }

TEST(faults_of_the_settings, a_launch_returns_its_error_and_runs_nothing) {
  const em::scoped_settings settings;
  device_array<int> count(1);
  settings->launch_error = cudaErrorLaunchOutOfResources;
  EXPECT_EQ(em::launch(count_up, shape(2, 32), count.get()), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchOutOfResources);
  settings->launch_error = cudaSuccess;
  EXPECT_EQ(em::launch(count_up, shape(2, 32), count.get()), cudaSuccess);
  EXPECT_EQ(count[0], 64);
}

TEST(faults_of_the_settings, one_thread_of_the_grid_fails) {
  const em::scoped_settings settings;
  device_array<int> count(1);
  settings->failing_thread = 64 * 5 + 7;  // of block (1, 2, 0) in a grid of 2 x 3
  expect_fault(em::fault::trap, {"failing_thread", "block (1, 2, 0), thread (7, 0, 0)"}, count_up,
               shape(dim3(2, 3), 64), count.get());
  EXPECT_LT(count[0], 6 * 64);
  EXPECT_EQ(em::launch(count_up, shape(2, 32), count.get()), cudaSuccess) << "a grid without that thread";
}

TEST(on_kernel_failure, restores_after_a_failure_only) {
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

// Two kernels are captured under one guard: the first one marks the state, and the second one may fail.
TEST(on_kernel_failure, restores_after_a_launch_of_a_graph_that_fails) {
  device_array<int> state(1), fails(1), restored(1);
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaLaunchConfig_t config = shape(1, 1);
  config.stream = stream;
  {
    const em::on_kernel_failure guard([state = state.get(), restored = restored.get()] {
      *state = 0;
      ++*restored;
    });
    EXPECT_EQ(em::launch(
                  +[](int* marked) { *marked = 1; }, config, state.get()),
              cudaSuccess);
    const auto may_fail = +[](const int* fail, int* marked) {
      if (*fail != 0) __trap();
      *marked = 0;
    };
    EXPECT_EQ(em::launch(may_fail, config, fails.get(), state.get()), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int round = 1; round <= 2; ++round) {
    fails[0] = 1;
    EXPECT_THROW((void)cudaGraphLaunch(executable, stream), em::error);
    EXPECT_EQ(state[0], 0);
    EXPECT_EQ(restored[0], round) << "once a failure, though it guards two kernels";
    fails[0] = 0;
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(restored[0], round);
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// A thread that never calls the emulator again would hang it.
__global__ void compute_for_ever(int* out, bool ends) {
  __syncthreads();
  while (threadIdx.x == 5 && !ends) asm volatile("" ::: "memory");
  __syncthreads();
  *(out + threadIdx.x) = 1;
}

TEST(failure, an_endless_loop_is_found) {
  em::scoped_settings settings;
  settings->endless_seconds = 1;
  device_array<int> out(32);
  expect_fault(em::fault::endless_loop, {"compute_for_ever", "block (0, 0, 0), thread (5, 0, 0)"}, compute_for_ever,
               shape(1, 32), out.get(), false);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(em::launch(compute_for_ever, shape(1, 32), out.get(), true), cudaSuccess);
  EXPECT_EQ(out[0], 1);
}

}  // namespace
