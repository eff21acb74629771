// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a case runs: on which stream, in a graph, by several host threads, after which fault.
#pragma once
#include <exception>
#include <optional>
#include <thread>

#include <warpfold/host/launch.cuh>
#include "fuzz/job.hpp"
#include "reduce/stream.cuh"

namespace wf_fuzz {

#if defined(__CUDACC__)
inline constexpr bool has_faults = false;
inline std::string with_fault(job&, const fuzz_case&, const place&) { return {}; }
struct own_schedule {
  explicit own_schedule(const fuzz_case&) {}
};
#else
inline constexpr bool has_faults = true;

/// The schedule of a case, in the thread that makes this.
struct own_schedule {
  explicit own_schedule(const fuzz_case& c) {
    settings->seed = static_cast<std::uint64_t>(c[schedule]) + 1;
    settings->resident_blocks = 1 + static_cast<int>(c[residents]);
  }
  cuda_emulator::scoped_settings settings;
};

/// A call that a fault ends. Either it throws and nothing is lost, or it is right.
inline std::string with_fault(job& j, const fuzz_case& c, const place& at) {
  const std::size_t used = cuda_emulator::used_device_bytes(0);
  bool has_thrown = false;
  {
    const cuda_emulator::scoped_settings settings;
    if (c[fault] == allocation_fails) settings->device_bytes = used;
    if (c[fault] == launch_fails) settings->launch_error = cudaErrorLaunchOutOfResources;
    if (c[fault] == thread_fails) settings->failing_thread = c[failing_thread];
    try {
      j.call(at);
    } catch (const warpfold::cuda_error&) {
      has_thrown = true;
    } catch (const cuda_emulator::error&) {
      if (c[fault] != thread_fails) throw;
      has_thrown = true;
    } catch (const std::bad_alloc&) {
      if (c[fault] != allocation_fails) throw;
      has_thrown = true;
    }
    (void)cudaGetLastError();
  }
  if (!has_thrown) {
    const std::string difference = j.difference();
    return difference.empty() ? difference : "with a fault that the call does not report: " + difference;
  }
  if (c[fault] == launch_fails && !j.untouched()) return "a call whose launch failed has written its output";
  if (c[fault] == allocation_fails && c[way] % ways_count != host_threads && cuda_emulator::used_device_bytes(0) > used)
    return "a call whose allocation failed keeps " + std::to_string(cuda_emulator::used_device_bytes(0) - used) +
           " bytes";
  return {};
}
#endif

inline const entry& find_entry(const std::string& name) {
  for (const entry& e : table())
    if (e.name == name) return e;
  throw std::invalid_argument("there is no entry " + name);
}

/// The calls of one host thread, in the way of the case.
inline std::string run_alone(const entry& of, const fuzz_case& c, std::int64_t thread) {
  const own_schedule schedule(c);
  const std::unique_ptr<job> j = of.make(c);
  const auto first = static_cast<std::uint64_t>(c[data] + thread * 1000);
  std::optional<warpfold::workspace> scratch;
  if (c[own_workspace] != 0) scratch.emplace();
  std::optional<wf_test::stream> stream;
  if (c[way] % ways_count != default_stream) stream.emplace();
  place at{stream ? static_cast<cudaStream_t>(*stream) : cudaStream_t{}, {}, static_cast<int>(c[max_blocks])};
  if (scratch) at.workspace = *scratch;

  j->fill(first);
  if (c[fault] != no_fault && has_faults) {
    const std::string difference = with_fault(*j, c, at);
    if (!difference.empty()) return difference;
    j->fill(first + 1);
  }
  if (c[way] % ways_count != in_graph || !j->can_be_captured()) {
    j->call(at);
    return j->difference();
  }
  const wf_test::graph graph([&](cudaStream_t recorder) {
    place recorded = at;
    recorded.stream = recorder;
    j->call(recorded);
  });
  if (!j->untouched()) return "a captured call has written before its launch";
  for (std::uint64_t replay = 0; replay < 2; ++replay) {
    j->fill(first + replay);
    graph.launch(*stream);
    stream->wait();
    const std::string difference = j->difference();
    if (!difference.empty()) return "replay " + std::to_string(replay) + ": " + difference;
  }
  return {};
}

/// Empty, or what is wrong.
inline std::string run_case(const fuzz_case& c) {
  const entry& of = find_entry(c.entry);
  const auto caught = [&](std::int64_t thread) -> std::string {
    try {
      return run_alone(of, c, thread);
    } catch (const std::exception& e) {
      return std::string("throws ") + e.what();
    }
  };
  if (c[way] % ways_count != host_threads) return caught(0);
  std::string results[3];
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 3; ++t) threads.emplace_back([&, t] { results[t] = caught(t); });
  for (std::thread& t : threads) t.join();
  for (const std::string& result : results)
    if (!result.empty()) return "one of three host threads: " + result;
  return {};
}

}  // namespace wf_fuzz
