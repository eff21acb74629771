// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread for each rank, and parts of an input.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "common/device.cuh"
#include "common/devices.cuh"
#include "common/random_items.hpp"

namespace ranks_tests {

/// Where ranks share a GPU, loading a kernel late would wait for the kernels that run there, which wait for its rank.
inline const bool loads_kernels_at_once = setenv("CUDA_MODULE_LOADING", "EAGER", 0) == 0;

/// Calls body(rank) on a thread for each rank, with its device current; returns what each threw.
template <class Body> std::vector<std::exception_ptr> failures_on(const std::vector<int>& devices, Body body) {
  std::vector<std::exception_ptr> failures(devices.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < devices.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        warpfold::check(cudaSetDevice(devices[r]), "cudaSetDevice");
        body(static_cast<int>(r));
      } catch (...) {
        failures[r] = std::current_exception();
      }
    });
  for (std::thread& each : threads) each.join();
  return failures;
}
/// The same; the first failure is thrown.
template <class Body> void on_ranks(const std::vector<int>& devices, Body body) {
  for (const std::exception_ptr& each : failures_on(devices, body))
    if (each) std::rethrow_exception(each);
}
/// The text of the exception.
inline std::string text_of(const std::exception_ptr& failure) {
  if (!failure) return "nothing";
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    return e.what();
  }
}

/// Whether `ranks` ranks can wait for each other. Some tools run the kernels of a device one after another: then each
/// rank needs a device of its own, as WARPFOLD_TEST_RANKS_SHARE_DEVICES=0 tells.
inline bool can_wait(int ranks) {
  const char* const share = std::getenv("WARPFOLD_TEST_RANKS_SHARE_DEVICES");
  return ranks <= wf_test::device_count() || share == nullptr || *share != '0';
}
inline std::vector<int> devices_of(int ranks) {
  std::vector<int> devices;
  for (int r = 0; r < ranks; ++r) devices.push_back(wf_test::device_number(r));
  return devices;
}

/// Parts of `count` items for `ranks` ranks in any order: their first items and ends. Some are empty.
inline std::vector<std::pair<std::int64_t, std::int64_t>> random_parts(std::int64_t count, int ranks,
                                                                       wf_test::random_source& source) {
  std::vector<std::int64_t> borders{0, count};
  for (int i = 1; i < ranks; ++i) borders.push_back(source.below(3) == 0 ? borders.back() : source.below(count + 1));
  std::sort(borders.begin(), borders.end());
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  for (int i = 0; i < ranks; ++i)
    parts.emplace_back(borders[static_cast<std::size_t>(i)], borders[static_cast<std::size_t>(i) + 1]);
  for (std::size_t i = parts.size(); i > 1; --i)
    std::swap(parts[i - 1], parts[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(i)))]);
  return parts;
}

}  // namespace ranks_tests
