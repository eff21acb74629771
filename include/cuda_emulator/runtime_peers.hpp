// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device is current, and whose memory its kernels may use. All devices are as the settings describe.
#pragma once

#include <cuda_emulator/runtime_error.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace cuda_emulator {

inline int device_count() { return std::clamp(settings().devices, 1, 64); }

// Of this host thread.
inline int& current_device() {
  static thread_local int device = 0;
  return device;
}
inline bool is_device(int device) { return device >= 0 && device < device_count(); }

// The pairs (device, peer) of which the first may use the memory of the second.
inline std::set<std::pair<int, int>>& peer_accesses() {
  static std::set<std::pair<int, int>> pairs;
  return pairs;
}
inline bool may_access(int device, int owner) {
  runtime_lock lock(runtime_mutex());
  return device == owner || peer_accesses().contains({device, owner});
}

}  // namespace cuda_emulator

extern "C" {

inline cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  namespace e = cuda_emulator;
  if (can == nullptr) return e::remember(cudaErrorInvalidValue);
  if (!e::is_device(device) || !e::is_device(peer)) return e::remember(cudaErrorInvalidDevice);
  *can = device != peer;
  return cudaSuccess;
}
inline cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  namespace e = cuda_emulator;
  if (flags != 0) return e::remember(cudaErrorInvalidValue);
  if (!e::is_device(peer) || peer == e::current_device()) return e::remember(cudaErrorInvalidDevice);
  e::runtime_lock lock(e::runtime_mutex());
  const bool is_new = e::peer_accesses().insert({e::current_device(), peer}).second;
  return e::remember(is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled);
}
inline cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int peer) {
  namespace e = cuda_emulator;
  if (!e::is_device(peer)) return e::remember(cudaErrorInvalidDevice);
  e::runtime_lock lock(e::runtime_mutex());
  const bool was_there = e::peer_accesses().erase({e::current_device(), peer}) > 0;
  return e::remember(was_there ? cudaSuccess : cudaErrorPeerAccessNotEnabled);
}
}
