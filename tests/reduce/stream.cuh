// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and graphs for tests: destroyed at the end of their scope.
#pragma once
#include <utility>
#include <warpfold/error.hpp>

namespace wf_test {

/// A stream that does not wait for the default one.
class stream {
 public:
  stream() { warpfold::check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  stream(const stream&) = delete;
  ~stream() { (void)cudaStreamDestroy(handle_); }

  operator cudaStream_t() const { return handle_; }
  void wait() const { warpfold::check(cudaStreamSynchronize(handle_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t handle_{};
};

/// An event that orders streams.
class event {
 public:
  event() { warpfold::check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  event(const event&) = delete;
  ~event() { (void)cudaEventDestroy(handle_); }

  void record(cudaStream_t stream) const { warpfold::check(cudaEventRecord(handle_, stream), "cudaEventRecord"); }
  void make_wait(cudaStream_t stream) const {
    warpfold::check(cudaStreamWaitEvent(stream, handle_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t handle_{};
};

/// The graph that enqueue(stream) records, ready to launch.
class graph {
 public:
  template <class Enqueue> explicit graph(Enqueue enqueue) {
    const stream recorder;
    warpfold::check(cudaStreamBeginCapture(recorder, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
    cudaGraph_t recorded{};
    try {
      enqueue(static_cast<cudaStream_t>(recorder));
    } catch (...) {
      (void)cudaStreamEndCapture(recorder, &recorded);
      if (recorded != nullptr) (void)cudaGraphDestroy(recorded);
      throw;
    }
    warpfold::check(cudaStreamEndCapture(recorder, &recorded), "cudaStreamEndCapture");
    warpfold::check(cudaGraphGetNodes(recorded, nullptr, &nodes_), "cudaGraphGetNodes");
    warpfold::check(cudaGraphInstantiate(&executable_, recorded, 0), "cudaGraphInstantiate");
    warpfold::check(cudaGraphDestroy(recorded), "cudaGraphDestroy");
  }
  graph(const graph&) = delete;
  ~graph() { (void)cudaGraphExecDestroy(executable_); }

  void launch(cudaStream_t stream) const { warpfold::check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }
  std::size_t nodes() const { return nodes_; }

 private:
  cudaGraphExec_t executable_{};
  std::size_t nodes_ = 0;
};

}  // namespace wf_test
