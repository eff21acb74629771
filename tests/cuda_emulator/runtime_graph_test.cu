// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream capture and graphs.
#include <thread>

#include "streams.hpp"

namespace {

using namespace emulated;

using runtime_graph = two_streams;
using runtime_capture = two_streams;

TEST_F(runtime_graph, captured_work_runs_when_launched) {
  launch_log l;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  l.add(1, stream);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);  // the other stream joins
  l.add(2, other);
  ASSERT_EQ(cudaMemsetAsync(l.list.get() + 20, 0xFF, 4, other), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(back, other), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream, back, 0), cudaSuccess);
  l.add(3, stream);
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(l.values(), std::vector<int>{});

  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 4u);
  cudaGraphExec_t executable{};
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, other), cudaSuccess);
  EXPECT_EQ(l.values(), (std::vector<int>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(l.list[20], -1);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaErrorInvalidValue);
}

TEST_F(runtime_graph, captured_arguments_are_copies) {
  launch_log l;
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  for (int i = 0; i < 5; ++i) l.add(i, stream);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphUpload(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(l.values(), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(runtime_graph, owns_the_memory_allocated_while_capturing) {
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  int* memory = nullptr;
  device_array<int> seen(1);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&memory), 4, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(seen.get(), memory, 4, cudaMemcpyDeviceToDevice, stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 4, stream), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(seen[0], 0x7FFB7FFB);  // poison at each replay
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(runtime_graph, keeps_user_objects_alive) {
  int destroyed = 0;
  cudaUserObject_t object{};
  const auto destroy = [](void* p) { ++*static_cast<int*>(p); };
  ASSERT_EQ(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaStreamCaptureStatus status{};
  cudaGraph_t capturing{}, graph{};
  unsigned long long id = 0;
  ASSERT_EQ(cudaStreamGetCaptureInfo(stream, &status, &id, &capturing, nullptr, nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_NE(id, 0u);
  ASSERT_EQ(cudaGraphRetainUserObject(capturing, object, 1, cudaGraphUserObjectMove), cudaSuccess);
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);  // moved away
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(graph, capturing);
  cudaGraphExec_t executable{};
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(destroyed, 1);

  ASSERT_EQ(cudaUserObjectCreate(&object, &destroyed, destroy, 2, cudaUserObjectNoDestructorSync), cudaSuccess);
  EXPECT_EQ(cudaUserObjectRetain(object, 1), cudaSuccess);
  EXPECT_EQ(cudaUserObjectRelease(object, 2), cudaSuccess);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaSuccess);
  EXPECT_EQ(destroyed, 2);
}

TEST_F(runtime_graph, a_fault_comes_out_of_the_launch_and_the_graph_stays_usable) {
  device_array<int> list(4), count(1);
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  cudaLaunchConfig_t config = shape(1, 32);
  config.stream = stream;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(em::launch(
                +[](int* flag) {
                  if (*flag != 0) __trap();
                },
                config, count.get()),
            cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  count[0] = 1;
  EXPECT_THROW((void)cudaGraphLaunch(executable, stream), em::error);
  count[0] = 0;
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

// A call that a capture forbids spoils the capture, and returns an error.
void expect_spoiled(cudaStream_t stream, cudaError_t expected, cudaError_t code) {
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(code, expected);
  EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  EXPECT_EQ(cudaMemsetAsync(&status, 0, 1, stream), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph{};
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
}

TEST_F(runtime_capture, forbids_allocating_and_waiting) {
  void* p = nullptr;
  const auto begin = [&] { ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess); };
  begin();
  expect_spoiled(stream, cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  begin();
  expect_spoiled(stream, cudaErrorStreamCaptureUnsupported, cudaStreamQuery(stream));
  begin();
  expect_spoiled(stream, cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 4));
  begin();
  expect_spoiled(stream, cudaErrorStreamCaptureUnsupported, cudaFree(p));
  begin();
  expect_spoiled(stream, cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
  begin();
  expect_spoiled(stream, cudaErrorStreamCaptureUnsupported, cudaEventQuery(event));
}

TEST_F(runtime_capture, forbids_other_threads_to_wait_for_other_streams_unless_they_are_relaxed) {
  cudaStream_t other{};
  ASSERT_EQ(cudaStreamCreate(&other), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaError_t relaxed = cudaErrorUnknown, strict = cudaSuccess;
  std::thread([&] {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    relaxed = cudaStreamSynchronize(other);
  }).join();
  EXPECT_EQ(relaxed, cudaSuccess);
  std::thread([&] { strict = cudaStreamSynchronize(other); }).join();
  expect_spoiled(stream, cudaErrorStreamCaptureUnsupported, strict);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
}

TEST_F(runtime_capture, modes_decide_what_is_forbidden) {
  void* p = nullptr;
  cudaGraph_t graph{};
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMalloc(&p, 4), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);

  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  std::thread([] {
    void* elsewhere = nullptr;
    EXPECT_EQ(cudaMalloc(&elsewhere, 4), cudaSuccess);
    EXPECT_EQ(cudaFree(elsewhere), cudaSuccess);
  }).join();
  cudaError_t code = cudaSuccess;
  std::thread([&] { code = cudaStreamEndCapture(stream, &graph); }).join();
  EXPECT_EQ(code, cudaErrorStreamCaptureWrongThread);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(runtime_capture, the_legacy_stream_cannot_be_used_beside_a_blocking_one) {
  cudaStream_t blocking{};
  device_array<int> x(1);
  ASSERT_EQ(cudaStreamCreate(&blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal), cudaSuccess);
  expect_spoiled(blocking, cudaErrorStreamCaptureImplicit, cudaMemset(x.get(), 0, 4));
  EXPECT_EQ(cudaStreamDestroy(blocking), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
}

TEST_F(runtime_capture, forks_must_be_joined) {
  launch_log l;
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
  l.add(1, other);
  EXPECT_EQ(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(cudaStreamIsCapturing(other, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
}

TEST_F(runtime_capture, captures_do_not_mix_with_other_work) {
  cudaGraph_t graph{};
  ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation);
  ASSERT_EQ(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(other, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(other, &graph), cudaErrorIllegalState);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorCapturedEvent);
}

}  // namespace
