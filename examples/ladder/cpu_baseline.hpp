// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 003's two baselines: the sum on the CPU, by one thread and by all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace ladder {

template <class T> T sum_by_one_thread(std::span<const T> items) {
  T sum{};
  for (const T& item : items) sum += item;
  return sum;
}

inline unsigned cpu_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

/// Each thread sums a part; the parts join in order.
template <class T> T sum_by_all_threads(std::span<const T> items) {
  const std::size_t threads = cpu_threads();
  std::vector<T> parts(threads);
  std::vector<std::jthread> running;
  for (std::size_t t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      const std::size_t begin = items.size() * t / threads, end = items.size() * (t + 1) / threads;
      parts[t] = sum_by_one_thread(items.subspan(begin, end - begin));
    });
  running.clear();  // waits for all
  return sum_by_one_thread(std::span<const T>(parts));
}

}  // namespace ladder
