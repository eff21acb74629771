// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of times, and on a GPU of bandwidths, at the end of an example's output.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "device.cuh"
#include "program.hpp"

namespace examples {

/// The emulator has no bandwidth to show: its times are the CPU's.
inline void print_times_header(const char* what) {
  std::printf("  %-32s%12s%s\n", what, "time", is_emulated ? "" : "     bandwidth");
}

/// One line: runs what `enqueue` puts on the default stream, shows its median time and the bandwidth for `bytes` of it.
template <class Enqueue> void print_time(const char* name, std::size_t bytes, int runs, Enqueue enqueue) {
  const double seconds = median_seconds(enqueue, runs);
  const std::string time = format_quantity(seconds, "s");
  const std::string bandwidth = format_quantity(static_cast<double>(bytes) / seconds, "B/s");
  std::printf("  %-32s%s%s\n", name, right_aligned(time, 12).c_str(),
              is_emulated ? "" : right_aligned(bandwidth, 14).c_str());
}

/// Says so if the data fits in the cache, since times then say nothing about memory. `bytes` is the most that one line
/// touched.
inline void print_cache_note(std::size_t bytes) {
  if (bytes >= l2_cache_bytes()) return;
  std::printf("\nAn array this small stays in the L2 cache: these times are not those of memory.\n");
}

}  // namespace examples
