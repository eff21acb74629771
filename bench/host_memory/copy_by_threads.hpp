// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace bench {

/// What processors can stage: `threads` threads copy `bytes` bytes from `from` to the `ring_bytes` bytes at `to`, over
/// and over, in pieces of a quarter of a mebibyte.
inline void copy_by_threads(int threads, const void* from, std::int64_t bytes, void* to, std::int64_t ring_bytes) {
  constexpr std::int64_t piece = 1 << 18;
  std::atomic<std::int64_t> next = 0;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (std::int64_t first; (first = next.fetch_add(piece)) < bytes;)
        std::memcpy(static_cast<char*>(to) + first % ring_bytes, static_cast<const char*>(from) + first,
                    static_cast<std::size_t>(std::min(piece, bytes - first)));
    });
  for (std::thread& each : all) each.join();
}

}  // namespace bench
