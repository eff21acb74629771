// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans from host to host memory have the results of scans in device memory, whatever the chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <warpfold/arg_operators.hpp>
#include <warpfold/host_memory_scan.cuh>
#include <warpfold/statistics.hpp>

#include "common/device.cuh"
#include "common/devices.cuh"
#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "common/samples.hpp"

namespace host_memory_scan_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join;

template <class A> wf::host_options<A> options_of(int way) {
  const std::size_t chunk_bytes[] = {100, 1000, 4096, 1 << 16, std::size_t{32} << 20};
  wf::host_options<A> options;
  options.chunk_bytes = chunk_bytes[way % 5];
  options.buffers = 1 + way % 4, options.threads = 1 + way % 3;
  options.devices = {wf_test::device_number(way)};
  return options;
}

TEST(host_memory_scan, keeps_the_order) {
  std::int64_t number = 0;
  for (const std::int64_t count : {0, 1, 17, 1000, 30'011}) {
    const auto items = wf_test::interval_items(count);
    for (int way = count > 2000 ? 2 : 0; way < 10; ++way) {
      if (!wf_test::in_sample(number++)) continue;
      auto options = options_of<interval<>>(way);
      if (count > 2000 && options.chunk_bytes < 1000) continue;
      std::vector<interval<>> results(static_cast<std::size_t>(count));
      wf::inclusive_scan(wf::host(items), results, join{}, options);
      for (std::int64_t i = 0; i < count; ++i)
        ASSERT_EQ(results[static_cast<std::size_t>(i)], interval<>::of(0, i)) << count << " items, way " << way;
      options.init = interval<>::of(-1);
      wf::inclusive_scan(wf::host(items), results, join{}, options);
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(results[static_cast<std::size_t>(i)], interval<>::of(-1, i));
      results = items;
      wf::exclusive_scan(wf::host(results), results, join{}, options);  // in place
      for (std::int64_t i = 0; i < count; ++i)
        ASSERT_EQ(results[static_cast<std::size_t>(i)], interval<>::of(-1, i - 1)) << count << " items, way " << way;
    }
  }
}

template <class R> bool same(const R& a, const R& b) { return wf_test::same_bits(a, b); }
template <class T, class I> bool same(const wf::indexed_value<T, I>& a, const wf::indexed_value<T, I>& b) {
  return same(a.value, b.value) && a.index == b.index;
}

template <class R, class T, class Op> void expect_results_of_scan(const std::vector<T>& items, Op op) {
  const device_array<T> in(items);
  const device_array<R> out(std::ssize(items));
  wf::inclusive_scan(in.items(), std::span<R>(out.data(), out.size()), op);
  const std::vector<R> inclusive = out.to_host();
  constexpr bool has_exclusive = wf::has_identity_v<Op, wf::accumulator_t<Op, T>>;
  if (has_exclusive) wf::exclusive_scan(in.items(), std::span<R>(out.data(), out.size()), op);
  const std::vector<R> exclusive = out.to_host();
  std::int64_t number = 0;
  for (int way = 1; way < 7; ++way) {
    const auto options = options_of<wf::accumulator_t<Op, T>>(way);
    if (options.chunk_bytes < 1000 || !wf_test::in_sample(number++)) continue;
    std::vector<R> results(items.size());
    wf::inclusive_scan(wf::host(items), results, op, options);
    for (std::size_t i = 0; i < items.size(); ++i) ASSERT_TRUE(same(results[i], inclusive[i])) << i << ", way " << way;
    if (!has_exclusive) continue;
    wf::exclusive_scan(wf::host(items), results, op, options);
    for (std::size_t i = 0; i < items.size(); ++i) ASSERT_TRUE(same(results[i], exclusive[i])) << i << ", way " << way;
  }
}
TEST(host_memory_scan, has_the_results_of_scans_in_device_memory) {
  for (const std::int64_t count : {1, 3000, 12'021}) {
    const auto floats = wf_test::random_items<float>(count, 1);
    expect_results_of_scan<float>(floats, wf::plus{});
    expect_results_of_scan<double>(floats, wf::accumulate_in<double>(wf::plus{}));
    expect_results_of_scan<float>(floats, wf::maximum{});
    expect_results_of_scan<wf::indexed_value<float>>(floats, wf::arg_maximum{});
    expect_results_of_scan<int>(wf_test::random_items<std::int8_t>(count, 2), wf::plus{});
    expect_results_of_scan<wf_test::affine<>>(wf_test::random_items<wf_test::affine<>>(count, 3), wf_test::compose{});
    if (HasFatalFailure()) return;
  }
}

TEST(host_memory_scan, refusals_and_a_generator_that_throws) {
  const std::vector<float> items(5000, 1);
  std::vector<float> results(4999);
  EXPECT_THROW(wf::inclusive_scan(wf::host(items), results, wf::plus{}), std::invalid_argument);
  results.resize(5000);
  EXPECT_THROW(wf::inclusive_scan(wf::host(items), results, wf::plus{}, {.devices = {0, 0}}), std::invalid_argument);
  const std::vector<interval<>> intervals(3);
  std::vector<interval<>> of_intervals(3);
  EXPECT_THROW(wf::exclusive_scan(wf::host(intervals), of_intervals, join{}), std::invalid_argument);
  for (std::int64_t fatal = 0; fatal < 5000; fatal += 499) {
    const auto in = wf::chunks<float>(5000, [fatal](std::int64_t first, std::span<float> to) {
      if (first <= fatal && fatal < first + std::ssize(to)) throw std::runtime_error("no more");
      std::fill(to.begin(), to.end(), 1.0f);
    });
    EXPECT_THROW(wf::inclusive_scan(in, results, wf::plus{}, {.chunk_bytes = 1024}), std::runtime_error);
  }
  wf::inclusive_scan(wf::host(items), results, wf::plus{}, {.chunk_bytes = 1024});
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(results[static_cast<std::size_t>(i)], i + 1.0f);
}

}  // namespace host_memory_scan_tests
