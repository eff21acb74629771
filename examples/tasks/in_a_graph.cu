// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a CUDA graph
//
// A call enqueues one kernel and never waits, so it can be captured. The graph has scratch of its own. What the calls read
// and write is fixed when they are captured, so the input is overwritten between two launches.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

int main() {
  const examples::device_array<float> in(std::vector<float>(1000, 1)), out(1);
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  wf::check(cudaStreamCreate(&stream), "cudaStreamCreate");

  wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  wf::reduce(in, out, wf::plus{}, {.stream = stream});
  wf::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  wf::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");

  for (const float number : {1.f, 2.f}) {
    const std::vector<float> items(in.size(), number);
    wf::check(cudaMemcpyAsync(in.data(), items.data(), items.size() * sizeof(float), cudaMemcpyHostToDevice, stream),
              "cudaMemcpyAsync");
    wf::check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    std::printf("%g\n", out.to_host()[0]);
  }
  wf::check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
  wf::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  wf::check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return 0;
}
