// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <vector>

#include "contender.hpp"
#include "statistics.hpp"

namespace bench {

// The four ways in which a call is timed. All take the contenders in turn (round_robin) and return the seconds of one
// call of each, and the kernels that it enqueues, which the JSON has as the row's label.

/// CUDA events around one call whose input L2 does not hold (cold_cache). The host enqueues while the device is busy
/// emptying the cache, so no launch latency is in the time.
std::vector<statistics> time_cold(const contenders& list, const sampling& plan = {11, 101, 0.4});

/// A graph of `graph_calls` captured calls, replayed back to back with itself; the second replay's time divided by
/// graph_calls. L2 holds what it can of the input (hot).
std::vector<statistics> time_in_graph(const contenders& list, const sampling& plan = {7, 61, 0.3});
inline constexpr int graph_calls = 20;

/// Host clock around a burst of calls that only enqueue, divided by their number. The device's queue never fills.
std::vector<statistics> time_enqueue(const contenders& list, const sampling& plan = {21, 101, 0.3});
inline constexpr int burst_calls = 64;

/// Host clock around one call that waits for its result.
std::vector<statistics> time_wait(const contenders& list, const sampling& plan = {51, 501, 0.3});

/// The kernels that one call of a contender launches, and the parameter bytes of the first of them (0 where the driver
/// does not say); read off a captured graph, so it holds for kernels that cannot be named from here.
struct launch_shape {
  int kernels = 0;
  int parameter_bytes = 0;
};
launch_shape inspect_launch(const contender& candidate);

/// Enqueues an empty kernel with at least `parameter_bytes` (up to 1024) bytes of parameters: what any launch costs.
contender make_empty_kernel(int parameter_bytes);

/// Keeps the device busy for about a second, so that clocks have risen before the first sample.
void warm_up_device();

/// The multiprocessors' clock just now, in MHz: cycles over nanoseconds in a short kernel.
double measure_clock_mhz();

}  // namespace bench
