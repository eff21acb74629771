// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells of the kernels that calls enqueue: explain.hpp, which a program calls, lines of the log, which the environment
// variable WARPFOLD_LOG asks for, and a profiler's ranges (nvtx.hpp).
#pragma once
#include <cxxabi.h>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <warpfold/error.hpp>
#include <warpfold/host/launch_work.hpp>
#include <warpfold/host/relaxed_capture.cuh>

namespace warpfold {

/// A kernel that a call has enqueued, and how.
struct [[gnu::visibility("hidden")]] kernel_launch {
  std::string function;       ///< that was called; empty if several functions have the kernel
  std::string kernel;         ///< with its template arguments, without namespace warpfold
  int blocks, threads;        ///< blocks of the grid, threads of a block
  std::size_t shared_bytes;   ///< of dynamic shared memory per block
  int cluster_blocks;         ///< blocks of a cluster; 0 if they form none
  std::size_t scratch_bytes;  ///< as much as the call may need; 0 if it takes none
  cudaStream_t stream;        ///< in whose order it runs
  std::int64_t items;         ///< of the input, or as many as there may be; -1 if the kernel does not count them
  std::string item;           ///< their type; empty if items is -1
  std::string why;            ///< why this kernel and not another one of the function; empty if there is no other

  /// All of it but the stream, in one line.
  [[gnu::cold]] std::string line() const {
    using detail::joined;
    std::string text = function.empty() ? kernel : joined({function, ": ", kernel});
    text += joined(
        {", ", blocks, blocks == 1 ? " block of " : " blocks of ", threads, threads == 1 ? " thread" : " threads"});
    if (cluster_blocks > 0) text += joined({", clusters of ", cluster_blocks});
    if (shared_bytes > 0) text += joined({", ", shared_bytes, " bytes of shared memory"});
    if (scratch_bytes > 0) text += joined({", ", scratch_bytes, " bytes of scratch"});
    if (items >= 0) text += joined({", for ", items, " items of ", item});
    if (!why.empty()) text += joined({" (", why, ")"});
    return text;
  }
  /// Function, number and type of the items: "reduce 1000 float".
  [[gnu::cold]] std::string title() const {
    const std::string name = function.empty() ? kernel.substr(0, kernel.find('<')) : function;
    return items < 0 ? name : detail::joined({name, " ", items, " ", item});
  }
};

}  // namespace warpfold

namespace warpfold::host_side {
// All of this is hidden, so that shared libraries do not share it. It is not named after the build (config.hpp), so
// that translation units for different architectures hear one another.

/// Who is told of this thread's launches, and on whose behalf they are made.
struct [[gnu::visibility("hidden")]] launch_watch {
  void (*tell)(void* listener, const kernel_launch&) = nullptr;
  void* listener = nullptr;
  const char* function = "";
  std::size_t scratch_bytes = 0;
};
[[gnu::visibility("hidden")]] inline constinit thread_local launch_watch watch_of_thread{};

/// While it exists, kernels are enqueued for a call of `function`.
class [[gnu::visibility("hidden")]] named_launches {
 public:
  named_launches(const char* function, std::size_t scratch_bytes) {
    watch_of_thread.function = function, watch_of_thread.scratch_bytes = scratch_bytes;
  }
  named_launches(const named_launches&) = delete;
  ~named_launches() { watch_of_thread.function = "", watch_of_thread.scratch_bytes = 0; }
};

/// Whether WARPFOLD_LOG is set to anything but "" and "0".
[[gnu::visibility("hidden")]] inline bool logs_launches() {
  static const bool does = [] {
    const char* const value = std::getenv("WARPFOLD_LOG");
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
  }();
  return does;
}

/// What marks the launches of this program or shared library for a profiler (nvtx.hpp).
struct [[gnu::visibility("hidden")]] range_marker {
  bool (*listens)();  ///< whether a profiler does
  void (*begin)(const char* title);
  void (*end)();
};
/// Null if nothing does. It is set before main, or while the shared library is loaded.
[[gnu::visibility("hidden")]] inline constinit const range_marker* marker = nullptr;

/// The range of one launch, which ends with this object, if it has begun.
struct [[gnu::visibility("hidden")]] launch_range {
  bool has_begun = false;

  launch_range() = default;
  launch_range(const launch_range&) = delete;
  ~launch_range() {
    if (has_begun) [[unlikely]]
      marker->end();
  }
};

[[gnu::noinline, gnu::visibility("hidden")]] inline bool is_watched() {
  return watch_of_thread.tell != nullptr || logs_launches() || (marker != nullptr && marker->listens());
}

/// Erases the namespaces whose names begin with `begin`: those named after the build, v1_…, begin alike (config.hpp).
[[gnu::cold, gnu::visibility("hidden")]] inline void erase_namespaces(std::string& name, std::string_view begin) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 0; (at = name.find(begin, at)) != std::string::npos;) {
    std::size_t end = at + begin.size();
    while (end < name.size() && is_letter(name[end])) ++end;
    const bool is_whole = at == 0 || !is_letter(name[at - 1]);
    if (is_whole && name.compare(end, 2, "::") == 0) name.erase(at, end + 2 - at);
    else at = end;
  }
}

/// The name of a kernel, as a reader wants it: without its parameters, and without namespaces that all have.
[[gnu::cold, gnu::visibility("hidden")]] inline std::string readable_kernel_name(const void* kernel) {
  const relaxed_capture relaxed;  // it may load the kernel
  const char* symbol = nullptr;
  if (cudaFuncGetName(&symbol, kernel) != cudaSuccess || symbol == nullptr) {
    (void)cudaGetLastError();
    return "a kernel without a name";
  }
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 ? text : symbol;
  std::free(text);
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;  // of template arguments: the parameters begin outside all of them
  for (std::size_t i = 0; i < name.size(); ++i)
    if (name[i] == '<') ++depth;
    else if (name[i] == '>') --depth;
    else if (name[i] == '(' && depth == 0) name.resize(i);
  erase_namespaces(name, "warpfold");
  erase_namespaces(name, "v1");
  return name;
}

/// Tells of a kernel that is about to be enqueued, and why it is. Returns whether a range has begun.
[[gnu::noinline, gnu::cold, gnu::visibility("hidden")]] inline bool tell_of_launch(const void* kernel,
                                                                                   const cudaLaunchConfig_t& config,
                                                                                   int cluster_blocks, const char* why,
                                                                                   std::int64_t items,
                                                                                   std::string_view item) {
  const launch_watch& watch = watch_of_thread;
  const kernel_launch launch{watch.function,
                             readable_kernel_name(kernel),
                             static_cast<int>(config.gridDim.x),
                             static_cast<int>(config.blockDim.x),
                             config.dynamicSmemBytes,
                             cluster_blocks,
                             watch.scratch_bytes,
                             config.stream,
                             items,
                             std::string(item),
                             why};
  if (logs_launches()) std::fprintf(stderr, "warpfold: %s\n", launch.line().c_str());
  if (watch.tell != nullptr) watch.tell(watch.listener, launch);
  if (marker == nullptr || !marker->listens()) return false;
  marker->begin(launch.title().c_str());
  return true;
}

}  // namespace warpfold::host_side
