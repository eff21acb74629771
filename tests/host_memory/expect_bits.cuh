// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to ask for a reduction of host memory, and that each of them has the bits of reduce.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>
#include <warpfold/host_memory.cuh>

#include "common/device.cuh"
#include "common/devices.cuh"
#include "common/pinned_array.cuh"
#include "common/same_results.hpp"

namespace wf_test::host_memory {

namespace wf = warpfold;

/// How a call is asked; `way` changes nothing of the result.
struct way {
  std::size_t chunk_bytes;
  int buffers, threads;
  std::vector<int> devices;
};
inline const std::vector<way> ways{{64, 1, 1, {}},
                                   {200, 2, 3, {}},
                                   {1000, 3, 2, {wf_test::device_number(1)}},
                                   {4096, 2, 8, {0, wf_test::device_number(1)}},
                                   {1 << 14, 2, 4, {wf_test::device_number(2), 0, wf_test::device_number(1)}},
                                   {1000, 2, 2, {0, 0}},
                                   {std::size_t{32} << 20, 2, 8, {}}};
template <class A> wf::host_options<A> options_of(const way& w) {
  wf::host_options<A> options;
  options.devices = w.devices, options.chunk_bytes = w.chunk_bytes;
  options.buffers = w.buffers, options.threads = w.threads;
  return options;
}

/// As a generator, which knows no address.
template <class T> auto generated(const std::vector<T>& items) {
  return wf::chunks<T>(std::ssize(items), [&items](std::int64_t first, std::span<T> to) {
    std::copy_n(items.begin() + first, to.size(), to.begin());
  });
}

template <class T, class Op> void expect_bits_of_reduce(const std::vector<T>& items, Op op) {
  using A = wf::accumulator_t<Op, T>;
  using R = wf::lowered_t<Op, A>;
  const device_array<T> in(items);
  const device_array<R> expected(1);
  wf::reduce(in.items(), expected.data(), op);
  const R result = expected.value();
  const pinned_array<T> pinned(items);
  for (const way& w : ways) {
    if (static_cast<std::size_t>(items.size()) * sizeof(T) > 200 * w.chunk_bytes) continue;
    const auto options = options_of<A>(w);
    EXPECT_TRUE(wf_test::same_result(wf::reduce_value(wf::host(items), op, options), result)) << w.chunk_bytes;
    EXPECT_TRUE(wf_test::same_result(wf::reduce_value(pinned.input(), op, options), result)) << w.chunk_bytes;
    EXPECT_TRUE(wf_test::same_result(wf::reduce_value(generated(items), op, options), result)) << w.chunk_bytes;
  }
}

}  // namespace wf_test::host_memory
