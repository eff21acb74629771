// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream capture: begin, end, query.
#pragma once

#include <cuda_emulator/runtime_stream.hpp>

namespace cuda_emulator {

inline std::set<std::shared_ptr<graph_contents>>& graphs() {
  static std::set<std::shared_ptr<graph_contents>> live;
  return live;
}

inline cudaGraph_t handle_of(const std::shared_ptr<graph_contents>& graph) {
  return reinterpret_cast<cudaGraph_t>(graph.get());
}

// A finished graph, or one that is being captured.
inline std::shared_ptr<graph_contents> find_graph(cudaGraph_t handle) {
  for (const auto& graph : graphs())
    if (handle_of(graph) == handle) return graph;
  for (const auto& c : tables().captures)
    if (handle_of(c->graph) == handle) return c->graph;
  return nullptr;
}

inline void join_capture(stream_object& stream, const std::shared_ptr<capture>& c) {
  stream.capturing = c;
  stream.joined = true;
  c->members.insert(&stream);
}

inline cudaError_t end_capture(stream_object& stream, cudaGraph_t* graph) {
  const std::shared_ptr<capture> c = stream.capturing;
  if (c == nullptr) return cudaErrorIllegalState;
  if (c->mode != cudaStreamCaptureModeRelaxed && c->owner != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  if (c->origin != &stream) return cudaErrorStreamCaptureUnmatched;
  bool unjoined = false;
  for (stream_object* member : c->members) {
    unjoined = unjoined || (member != &stream && !member->joined);
    member->capturing = nullptr;
  }
  tables().captures.erase(c);
  if (c->invalidated) return cudaErrorStreamCaptureInvalidated;
  if (unjoined) return cudaErrorStreamCaptureUnjoined;
  graphs().insert(c->graph);
  *graph = handle_of(c->graph);
  return cudaSuccess;
}

inline cudaStreamCaptureStatus status_of(const stream_object& stream) {
  if (stream.capturing == nullptr) return cudaStreamCaptureStatusNone;
  return stream.capturing->invalidated ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  e::stream_object* stream = e::find_stream(handle);
  if (stream == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  if (stream == &e::legacy_stream()) return e::remember(cudaErrorStreamCaptureUnsupported);
  if (stream->capturing != nullptr) return e::remember(cudaErrorIllegalState);
  auto c = std::make_shared<e::capture>();
  c->id = ++e::tables().last_capture;
  c->mode = mode;
  c->owner = std::this_thread::get_id();
  c->origin = stream;
  e::tables().captures.insert(c);
  e::join_capture(*stream, c);
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  if (graph == nullptr) return e::remember(cudaErrorInvalidValue);
  *graph = nullptr;
  e::stream_object* stream = e::find_stream(handle);
  return e::remember(stream == nullptr ? cudaErrorInvalidResourceHandle : e::end_capture(*stream, graph));
}

inline cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const e::stream_object* stream = e::find_stream(handle);
  if (status == nullptr) return e::remember(cudaErrorInvalidValue);
  if (stream == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  *status = e::status_of(*stream);
  return cudaSuccess;
}

// A graph here is a list of tasks: nodes and edges are not modelled.
#if CUDART_VERSION >= 13000
inline cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                                      unsigned long long* id, cudaGraph_t* graph,
                                                      const cudaGraphNode_t** dependencies,
                                                      const cudaGraphEdgeData** edges, size_t* dependency_count) {
#else
inline cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v2(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                                         unsigned long long* id, cudaGraph_t* graph,
                                                         const cudaGraphNode_t** dependencies,
                                                         size_t* dependency_count) {
  const cudaGraphEdgeData** edges = nullptr;
#endif
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const e::stream_object* stream = e::find_stream(handle);
  if (status == nullptr) return e::remember(cudaErrorInvalidValue);
  if (stream == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  *status = e::status_of(*stream);
  if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
  if (id != nullptr) *id = stream->capturing->id;
  if (graph != nullptr) *graph = e::handle_of(stream->capturing->graph);
  if (dependencies != nullptr) *dependencies = nullptr;
  if (edges != nullptr) *edges = nullptr;
  if (dependency_count != nullptr) *dependency_count = 0;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr) return cuda_emulator::remember(cudaErrorInvalidValue);
  std::swap(*mode, cuda_emulator::capture_mode_of_thread());
  return cudaSuccess;
}
}
