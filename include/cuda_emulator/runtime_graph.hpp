// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: instantiation, launch, and the user objects that they keep alive.
#pragma once

#include <cuda_emulator/runtime_capture.hpp>

namespace cuda_emulator {

struct user_object_handle {  // the references that the caller holds
  std::shared_ptr<user_object> object;
  unsigned references;
};

inline std::set<user_object_handle*>& user_objects() {
  static std::set<user_object_handle*> live;
  return live;
}
inline std::set<graph_contents*>& executables() {
  static std::set<graph_contents*> live;
  return live;
}

inline cudaError_t drop_user_object(cudaUserObject_t handle, unsigned count) {
  auto* object = reinterpret_cast<user_object_handle*>(handle);
  if (!user_objects().contains(object) || count == 0 || count > object->references) return cudaErrorInvalidValue;
  object->references -= count;
  if (object->references == 0) {
    user_objects().erase(object);
    delete object;
  }
  return cudaSuccess;
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  namespace e = cuda_emulator;
  if (graph == nullptr || flags != 0) return e::remember(cudaErrorInvalidValue);
  e::runtime_lock lock(e::runtime_mutex());
  *graph = e::handle_of(*e::graphs().insert(std::make_shared<e::graph_contents>()).first);
  return cudaSuccess;
}

// Counts the nodes. The nodes themselves are not modelled.
inline cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const auto graph = e::find_graph(handle);
  if (graph == nullptr || count == nullptr) return e::remember(cudaErrorInvalidValue);
  if (nodes != nullptr) return e::remember(cudaErrorNotSupported);
  *count = graph->tasks.size();
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t handle, unsigned long long) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const auto graph = e::find_graph(handle);
  if (graph == nullptr || executable == nullptr) return e::remember(cudaErrorInvalidValue);
  auto* copy = new e::graph_contents(*graph);
  e::executables().insert(copy);
  *executable = reinterpret_cast<cudaGraphExec_t>(copy);
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t handle,
                                                           unsigned long long flags) {
  return cudaGraphInstantiate(executable, handle, flags);
}

inline cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  namespace e = cuda_emulator;
  auto* executable = reinterpret_cast<e::graph_contents*>(handle);
  {
    e::runtime_lock lock(e::runtime_mutex());
    if (!e::executables().contains(executable)) return e::remember(cudaErrorInvalidValue);
  }
  return e::submit(stream, [executable] {
    try {
      for (const e::task& work : executable->tasks) work();
    } catch (...) {  // after this, no kernel of the graph runs, so it is safe to restore what all of them use
      for (const e::task& restore : executable->restores) restore();
      throw;
    }
  });
}
inline cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

inline cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t handle) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  auto* executable = reinterpret_cast<e::graph_contents*>(handle);
  if (e::executables().erase(executable) == 0) return e::remember(cudaErrorInvalidValue);
  delete executable;
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t handle) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const auto graph = e::find_graph(handle);
  if (graph == nullptr || e::graphs().erase(graph) == 0) return e::remember(cudaErrorInvalidValue);
  return cudaSuccess;
}

inline cudaError_t CUDARTAPI cudaUserObjectCreate(cudaUserObject_t* handle, void* pointer, cudaHostFn_t destroy,
                                                  unsigned references, unsigned flags) {
  namespace e = cuda_emulator;
  if (handle == nullptr || destroy == nullptr || references == 0 || flags != cudaUserObjectNoDestructorSync)
    return e::remember(cudaErrorInvalidValue);
  e::runtime_lock lock(e::runtime_mutex());
  auto* object = new e::user_object_handle{std::make_shared<e::user_object>(pointer, destroy), references};
  e::user_objects().insert(object);
  *handle = reinterpret_cast<cudaUserObject_t>(object);
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  auto* object = reinterpret_cast<e::user_object_handle*>(handle);
  if (!e::user_objects().contains(object) || count == 0) return e::remember(cudaErrorInvalidValue);
  object->references += count;
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  return e::remember(e::drop_user_object(handle, count));
}
inline cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t graph_handle, cudaUserObject_t handle,
                                                       unsigned count, unsigned flags) {
  namespace e = cuda_emulator;
  e::runtime_lock lock(e::runtime_mutex());
  const auto graph = e::find_graph(graph_handle);
  auto* object = reinterpret_cast<e::user_object_handle*>(handle);
  if (graph == nullptr || !e::user_objects().contains(object) || count == 0) return e::remember(cudaErrorInvalidValue);
  graph->objects.insert(graph->objects.end(), count, object->object);
  return flags == cudaGraphUserObjectMove ? e::remember(e::drop_user_object(handle, count)) : cudaSuccess;
}
}
