// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options for the way from host memory to the devices.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <warpfold/host/device.cuh>
#include <warpfold/options.hpp>

namespace warpfold {

/// Options of functions that read host memory. Their order is part of the interface.
template <class A> struct host_options {
  stream_argument stream = {};    ///< of the first device; the result is written in its order
  initial<A> init = {};           ///< joins on the left, once; the result of an empty input
  std::vector<int> devices = {};  ///< which share the work; the current one, if empty. A device may stand there twice
  std::size_t chunk_bytes = std::size_t{32} << 20;  ///< of host memory that travel at once; changes no bit
  int buffers = 2;                                  ///< for as many chunks, on each device
  int threads = 8;  ///< that stage pageable memory and call generators, over all devices; pinned memory needs none
  /// Called with the number of items that are reduced, and of all, after each chunk; by one thread at a time. If it
  /// throws, the call ends and throws that.
  std::function<void(std::int64_t done, std::int64_t all)> progress = {};
};
template <class A> inline constexpr bool is_options<host_options<A>> = true;

/// The same of segmented_reduce, whose init and empty are values.
template <class A> struct host_segmented_options {
  stream_argument stream = {};    ///< of the first device; results are written in its order
  initial<A> init = {};           ///< joins each segment on the left, once
  initial<A> empty = {};          ///< the result of an empty segment; init or the operator's identity without it
  std::vector<int> devices = {};  ///< as in host_options
  std::size_t chunk_bytes = std::size_t{32} << 20;  ///< as in host_options
  int buffers = 3;  ///< as in host_options; one more, since results travel back meanwhile
  int threads = 8;  ///< as in host_options
  std::function<void(std::int64_t done, std::int64_t all)> progress = {};  ///< as in host_options
};
template <class A> inline constexpr bool is_options<host_segmented_options<A>> = true;

}  // namespace warpfold

namespace warpfold::host_memory {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The options of the way, which have been checked.
struct settings {
  std::vector<int> devices;
  std::size_t chunk_bytes;
  int buffers, threads;
  std::function<void(std::int64_t, std::int64_t)> progress;
};

template <class Options> settings checked_settings(const char* function, const Options& options) {
  const auto positive = [&](const char* name, std::int64_t value) {
    if (value < 1) reject(function, {name, " is ", value, "; it must be positive"});
  };
  positive("chunk_bytes", static_cast<std::int64_t>(options.chunk_bytes));
  positive("buffers", options.buffers);
  positive("threads", options.threads);
  int count = 0;
  require_success(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (const int device : options.devices)
    if (device < 0 || device >= count)
      reject(function, {"devices name device ", device, "; devices are numbered 0 to ", count - 1});
  return {options.devices.empty() ? std::vector<int>{host_side::current_device()} : options.devices,
          options.chunk_bytes, options.buffers, options.threads, options.progress};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
