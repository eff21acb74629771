// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams. Work runs before the call that enqueues it returns. A stream that captures records it instead.
#pragma once

#include <cuda_emulator/failure.hpp>
#include <cuda_emulator/runtime_peers.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace cuda_emulator {

using task = std::function<void()>;

struct user_object {  // shared by the graphs that retain it
  void* pointer;
  cudaHostFn_t destroy;
  ~user_object() { destroy(pointer); }
};

struct graph_contents {
  std::vector<task> tasks;  // in the order of capture, which keeps every dependency
  std::vector<std::shared_ptr<user_object>> objects;
  std::vector<std::shared_ptr<void>> memory;  // allocated by cudaMallocAsync under capture
  std::vector<task> restores;                 // to be called when a launch has failed
};

struct stream_object;

struct capture {
  unsigned long long id;
  cudaStreamCaptureMode mode;
  std::thread::id owner;
  stream_object* origin;
  std::shared_ptr<graph_contents> graph = std::make_shared<graph_contents>();
  std::set<stream_object*> members;
  bool invalidated = false;
};

struct stream_object {
  explicit stream_object(unsigned long long number, unsigned with_flags = cudaStreamDefault, int with_priority = 0)
      : id(number), flags(with_flags), priority(with_priority) {}
  unsigned long long id;
  int device = current_device();  // which was current when it was made
  unsigned flags;
  int priority;
  std::shared_ptr<capture> capturing = nullptr;
  bool joined = true;         // nothing was captured here after the last event that another stream waited for
  std::recursive_mutex busy;  // two host threads may use one stream
};

struct runtime_tables {
  unsigned long long last_id = 2;  // the driver gives 1 and 2 to the default streams
  unsigned long long last_capture = 0;
  std::set<stream_object*> streams;
  std::set<std::shared_ptr<capture>> captures;
};

inline runtime_tables& tables() {
  static runtime_tables instance;
  return instance;
}

// Each device has its own default streams. These are the current device's.
inline stream_object& legacy_stream() {
  static std::map<int, stream_object> instances;
  runtime_lock lock(runtime_mutex());
  return instances.try_emplace(current_device(), 1).first->second;
}
inline stream_object& per_thread_stream() {
  static thread_local std::map<int, stream_object> instances;
  const auto found = instances.find(current_device());
  if (found != instances.end()) return found->second;
  runtime_lock lock(runtime_mutex());
  return instances.try_emplace(current_device(), ++tables().last_id).first->second;
}

// Null if there is no such stream.
inline stream_object* find_stream(cudaStream_t handle) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  if (handle == nullptr) return &per_thread_stream();
#endif
  if (handle == nullptr || handle == cudaStreamLegacy) return &legacy_stream();
  if (handle == cudaStreamPerThread) return &per_thread_stream();
  auto* stream = reinterpret_cast<stream_object*>(handle);
  return tables().streams.contains(stream) ? stream : nullptr;
}

inline cudaStreamCaptureMode& capture_mode_of_thread() {
  static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

// For calls that allocate or wait: invalidates the captures that forbid them, as CUDA does.
inline cudaError_t refuse_while_capturing() {
  runtime_lock lock(runtime_mutex());
  const cudaStreamCaptureMode mode = capture_mode_of_thread();
  if (mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  cudaError_t verdict = cudaSuccess;
  for (const auto& c : tables().captures) {
    const bool own = c->owner == std::this_thread::get_id() && c->mode != cudaStreamCaptureModeRelaxed;
    const bool others = mode == cudaStreamCaptureModeGlobal && c->mode == cudaStreamCaptureModeGlobal;
    if (!own && !others) continue;
    c->invalidated = true;
    verdict = cudaErrorStreamCaptureUnsupported;
  }
  return verdict;
}

// The legacy stream waits for blocking streams, so its use invalidates their captures.
inline cudaError_t refuse_legacy_while_capturing(const stream_object& stream) {
  if (&stream != &legacy_stream()) return cudaSuccess;
  cudaError_t verdict = cudaSuccess;
  for (const auto& c : tables().captures)
    for (const stream_object* member : c->members)
      if (member->device == stream.device && (member->flags & cudaStreamNonBlocking) == 0 &&
          c->mode != cudaStreamCaptureModeRelaxed) {
        c->invalidated = true;
        verdict = cudaErrorStreamCaptureImplicit;
      }
  return verdict;
}

// Runs `work` now, or records it if the stream captures.
inline cudaError_t submit(cudaStream_t handle, task work) {
  refuse_in_kernel("a stream operation");
  stream_object* stream = nullptr;
  {
    runtime_lock lock(runtime_mutex());
    stream = find_stream(handle);
    if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
    if (stream->capturing != nullptr) {
      if (stream->capturing->invalidated) return remember(cudaErrorStreamCaptureInvalidated);
      graph_contents& graph = *stream->capturing->graph;
      detail::failure_scope::record_all(&graph, [&](task restore) { graph.restores.push_back(std::move(restore)); });
      graph.tasks.push_back(std::move(work));
      stream->joined = false;
      return cudaSuccess;
    }
    if (const cudaError_t e = refuse_legacy_while_capturing(*stream); e != cudaSuccess) return remember(e);
  }
  runtime_lock lock(stream->busy);
  work();
  return cudaSuccess;
}

inline cudaError_t create_stream(cudaStream_t* handle, unsigned flags, int priority) {
  refuse_in_kernel("cudaStreamCreate");
  if (handle == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) return remember(cudaErrorInvalidValue);
  runtime_lock lock(runtime_mutex());
  auto stream = std::make_unique<stream_object>(++tables().last_id, flags, priority);
  tables().streams.insert(stream.get());
  *handle = reinterpret_cast<cudaStream_t>(stream.release());
  return cudaSuccess;
}

// The result of a query or a wait: all work is done already, unless the stream captures.
inline cudaError_t settle(cudaStream_t handle) {
  refuse_in_kernel("cudaStreamSynchronize");
  runtime_lock lock(runtime_mutex());
  stream_object* stream = find_stream(handle);
  if (stream == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (const cudaError_t e = refuse_legacy_while_capturing(*stream); e != cudaSuccess) return remember(e);
  if (stream->capturing != nullptr) {
    stream->capturing->invalidated = true;
    return remember(cudaErrorStreamCaptureUnsupported);
  }
  return remember(refuse_while_capturing());
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t* stream) {
  return cuda_emulator::create_stream(stream, cudaStreamDefault, 0);
}
inline cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cuda_emulator::create_stream(stream, flags, 0);
}
inline cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return cuda_emulator::create_stream(stream, flags, priority);
}
inline cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t handle) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  auto* stream = reinterpret_cast<e::stream_object*>(handle);
  if (e::tables().streams.erase(stream) == 0) return e::remember(cudaErrorInvalidResourceHandle);
  if (stream->capturing != nullptr) {
    stream->capturing->invalidated = true;
    stream->capturing->members.erase(stream);
  }
  delete stream;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) { return cuda_emulator::settle(stream); }
inline cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream) { return cuda_emulator::settle(stream); }

inline cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const e::stream_object* stream = e::find_stream(handle);
  if (id == nullptr) return e::remember(cudaErrorInvalidValue);
  if (stream == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  *id = stream->id;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const e::stream_object* stream = e::find_stream(handle);
  if (stream == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  *flags = stream->flags;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const e::stream_object* stream = e::find_stream(handle);
  if (stream == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  *priority = stream->priority;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t handle, int* device) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  if (device == nullptr) return e::remember(cudaErrorInvalidValue);
  if (e::find_stream(handle) == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  *device = e::find_stream(handle)->device;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return cuda_emulator::remember(cudaErrorInvalidValue);
  return cuda_emulator::submit(stream, [=] { function(data); });
}
}
