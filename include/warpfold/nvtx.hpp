// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges for profilers: each launch of Warpfold stands in a range of NVTX, in the domain "warpfold", which is named
// after the function that was called, the number of its items and their type: "reduce 1048576 float".
//
//   #include <warpfold/nvtx.hpp>  // in one source file of the program, or of a shared library
//
// turns them on for all calls that are compiled into this program or shared library; nothing need be linked. Where no
// profiler listens, a launch takes a nanosecond longer; in programs that do not include this header, no longer at all.
// Without the toolkit's <nvtx3/nvToolsExt.h> the header does nothing, and has_nvtx is false.
//
// A range spans the host's enqueueing, by which profilers find the kernel. If only the device knows the number of items
// (device_count.cuh), the name has the most that there may be.
#pragma once
#include <warpfold/host/launch_watch.hpp>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace warpfold {

#if __has_include(<nvtx3/nvToolsExt.h>)
/// Whether this build can mark ranges.
inline constexpr bool has_nvtx = true;

namespace host_side {

/// The domain of all ranges; null if no profiler listens. It is made by the first call.
[[gnu::visibility("hidden")]] inline nvtxDomainHandle_t nvtx_domain() {
  static const nvtxDomainHandle_t domain = nvtxDomainCreateA("warpfold");
  return domain;
}
[[gnu::cold, gnu::visibility("hidden")]] inline void begin_nvtx_range(const char* title) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = title;
  nvtxDomainRangePushEx(nvtx_domain(), &event);
}
[[gnu::visibility("hidden")]] inline constexpr range_marker nvtx_marker{
    [] { return nvtx_domain() != nullptr; }, &begin_nvtx_range, [] { nvtxDomainRangePop(nvtx_domain()); }};
/// Sets the marker before main.
[[gnu::visibility("hidden")]] inline const bool marks_ranges = [] {
  marker = &nvtx_marker;
  return true;
}();

}  // namespace host_side
#else
/// Whether this build can mark ranges.
inline constexpr bool has_nvtx = false;
#endif

}  // namespace warpfold
