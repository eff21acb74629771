// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <barrier>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "../common/cuda_resources.hpp"

namespace bench {

inline int device_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  return count;
}

/// Seconds of one of `calls` calls of call(rank), made by a thread for each rank, whose device is that of its number. All
/// begin together; wait(rank) ends a rank's calls.
template <class Call, class Wait> double seconds_on_ranks(int ranks, int calls, Call call, Wait wait) {
  std::barrier begin(ranks + 1);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      begin.arrive_and_wait();
      try {
        check(cudaSetDevice(r));
        for (int i = 0; i < calls; ++i) call(r);
        wait(r);
      } catch (...) {
        failures[static_cast<std::size_t>(r)] = std::current_exception();
      }
    });
  begin.arrive_and_wait();
  const auto start = std::chrono::steady_clock::now();
  for (std::thread& each : threads) each.join();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  for (const std::exception_ptr& each : failures)
    if (each) std::rethrow_exception(each);
  return passed.count() / calls;
}

}  // namespace bench
