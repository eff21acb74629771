// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events: points in time. In a capture, a second stream joins by waiting for one.
#pragma once

#include <cuda_emulator/runtime_capture.hpp>

#include <chrono>

namespace cuda_emulator {

struct event_object {
  unsigned flags = cudaEventDefault;
  int device = current_device();  // which was current when it was made
  bool recorded = false;
  std::chrono::steady_clock::time_point time{};
  std::shared_ptr<capture> captured;  // the capture in which it was recorded
  stream_object* source = nullptr;    // the stream on which it was recorded
};

inline std::set<event_object*>& events() {
  static std::set<event_object*> live;
  return live;
}
inline event_object* find_event(cudaEvent_t handle) {
  auto* event = reinterpret_cast<event_object*>(handle);
  return events().contains(event) ? event : nullptr;
}

inline cudaError_t query_event(cudaEvent_t handle) {
  runtime_lock lock(runtime_mutex());
  if (const cudaError_t code = refuse_while_capturing(); code != cudaSuccess) return code;
  const event_object* event = find_event(handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  return event->captured != nullptr ? cudaErrorCapturedEvent : cudaSuccess;
}

inline cudaError_t wait_event(stream_object& stream, const event_object& event) {
  if (event.captured == nullptr)
    return stream.capturing == nullptr || !event.recorded ? cudaSuccess : cudaErrorStreamCaptureIsolation;
  if (!tables().captures.contains(event.captured)) return cudaErrorCapturedEvent;
  if (stream.capturing != nullptr && stream.capturing != event.captured) return cudaErrorStreamCaptureMerge;
  if (stream.capturing == nullptr) join_capture(stream, event.captured);
  if (event.source != &stream && event.captured->members.contains(event.source)) {
    event.source->joined = true;
    if (event.captured->origin != &stream) stream.joined = false;  // this stream must be joined, too
  }
  return cudaSuccess;
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  namespace e = cuda_emulator;
  if (event == nullptr) return e::remember(cudaErrorInvalidValue);
  e::runtime_lock lock(e::runtime_mutex());
  auto* object = new e::event_object;
  object->flags = flags;
  e::events().insert(object);
  *event = reinterpret_cast<cudaEvent_t>(object);
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

inline cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t handle) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  e::event_object* event = e::find_event(handle);
  if (event == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  e::events().erase(event);
  delete event;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaEventRecord");
  e::runtime_lock lock(e::runtime_mutex());
  e::event_object* event = e::find_event(handle);
  e::stream_object* stream = e::find_stream(stream_handle);
  if (event == nullptr || stream == nullptr || event->device != stream->device)
    return e::remember(cudaErrorInvalidResourceHandle);
  if (e::status_of(*stream) == cudaStreamCaptureStatusInvalidated)
    return e::remember(cudaErrorStreamCaptureInvalidated);
  event->recorded = true;
  event->captured = stream->capturing;
  event->source = stream;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

inline cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle, unsigned) {
  namespace e = cuda_emulator;
  e::refuse_in_kernel("cudaStreamWaitEvent");
  e::runtime_lock lock(e::runtime_mutex());
  const e::event_object* event = e::find_event(handle);
  e::stream_object* stream = e::find_stream(stream_handle);
  if (event == nullptr || stream == nullptr) return e::remember(cudaErrorInvalidResourceHandle);
  return e::remember(e::wait_event(*stream, *event));
}

inline cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  return cuda_emulator::remember(cuda_emulator::query_event(event));
}
inline cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  return cuda_emulator::remember(cuda_emulator::query_event(event));
}

inline cudaError_t CUDARTAPI cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t last) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const e::event_object *from = e::find_event(first), *to = e::find_event(last);
  if (milliseconds == nullptr) return e::remember(cudaErrorInvalidValue);
  if (from == nullptr || to == nullptr || !from->recorded || !to->recorded ||
      ((from->flags | to->flags) & cudaEventDisableTiming) != 0 || from->captured != nullptr || to->captured != nullptr)
    return e::remember(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
  return cudaSuccess;
}
}
